import type { FastifyInstance, FastifyReply } from 'fastify'
import type { ProofServices } from '#http/access/authorize-user'
import { html, type Html } from './elements.ts'
import { askToType, readSeenVersion, renderButtons, requireTyped, type FormFields } from './form.ts'
import { addFormPage, renderForm, type FormPage, type PageContent, type PageRequest } from './form-page.ts'
import { renderProof, requireProof } from './proof.ts'

/* A page that asks before something is done, and does it. */

interface Question extends Omit<PageContent, 'body'> {
  /** What will happen. */
  text: Html
  /** The button that does it, and the page that the other one leads back to. */
  button: string
  back: string
  kind?: 'primary'
  /** The version of what it changes, so that outdated and repeated forms are refused. */
  version?: number
  /** What somebody types to confirm. */
  typed?: string
}

type Do<Params, Shown, Result> = (request: PageRequest<Params>, shown: Shown, seen: number) => Promise<Result>

interface QuestionPage<Params, Shown> extends Pick<FormPage<Params, Shown, never, never>, 'path' | 'config' | 'load'> {
  /** Asks, or says which other address has what somebody looks for. */
  ask(shown: Shown, request: PageRequest<Params>): Question | { elsewhere: string }
  /** Does it, and says where to go; or shows a secret, once. */
  run?: Do<Params, Shown, string>
  issue?: Do<Params, Shown, PageContent>
  /** Who answers has to prove who they are, through these services. */
  proof?: ProofServices
}

/** Adds the routes of a page that asks. */
export function addQuestionPage<Params, Shown>(app: FastifyInstance, page: QuestionPage<Params, Shown>) {
  const { config = {}, ask, run, issue, proof } = page
  const answer = async (request: PageRequest<Params>, fields: FormFields, reply: FastifyReply) => {
    const shown = await page.load(request)
    const { typed } = ask(shown, request) as Partial<Question>
    if (typed !== undefined) requireTyped(fields, typed)
    if (proof) await requireProof(proof, reply)
    const seen = readSeenVersion(fields)
    return issue ? { page: await issue(request, shown, seen) } : { goTo: await run!(request, shown, seen) }
  }
  addFormPage(app, {
    ...page,
    async render(shown, forms, request) {
      const asked = ask(shown, request)
      if ('elsewhere' in asked) return asked
      const { text, button, back, kind = 'danger', version, typed, ...content } = asked
      const proving = { next: forms.actionOf('answer'), problem: forms.problemOf('answer') }
      const fields = [
        ...(typed === undefined ? [] : [askToType(typed)]),
        ...(proof ? [await renderProof(proof, request, proving)] : []),
      ]
      const form = { version, ...(fields.length > 0 && { fields }), buttons: renderButtons(button, back, kind) }
      return { ...content, body: html`${text} ${renderForm(forms, 'answer', form)}` }
    },
    forms: { answer: issue ? { config, issue: answer } : { config, run: answer } },
  })
}
