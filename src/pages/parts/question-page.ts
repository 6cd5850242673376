import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type ProofServices, checkProof } from '#http/access/authorize-user'
import { html, type Html, renderWarning } from './elements.ts'
import {
  askToType,
  readSeenVersion,
  renderButtons,
  requireTyped,
  type FormFields,
  type FormProblem,
  readFormFields,
  renderField,
} from './form.ts'
import { addFormPage, renderForm, type FormPage, type PageContent, type PageRequest } from './form-page.ts'
import { findNeededProof, RECENT_MINUTES } from '#accounts/passkeys/prove-again'
import { sessionCookie } from '#http/access/session'
import { refuseField } from '#http/server/problem'
import { getViewer } from './context.ts'

/** The field of the password that somebody has. */
export const CURRENT_PASSWORD = {
  name: 'current',
  label: 'Current password',
  type: 'password',
  autocomplete: 'current-password',
} as const

/**
 * Renders what proves again that it is the user: a field for the current password or, for those who have none that they
 * may use and did not sign in recently, a button that signs out and, after signing in, leads to the page `next`. `id` is
 * that of the field.
 */
export async function renderProof(
  { company, sessions }: ProofServices,
  request: FastifyRequest,
  { next, problem, id = 'current' }: { next: string; problem: FormProblem; id?: string },
) {
  const viewer = getViewer(request)
  const needed = await findNeededProof(company.pool, viewer, sessionCookie(request, sessions))
  switch (needed) {
    case 'nothing':
      return html``
    case 'password':
      return html`<input type="email" name="username" value="${viewer.email}" autocomplete="username" readonly hidden />
        ${renderField({ ...CURRENT_PASSWORD, id }, problem)}`
    case 'new session':
      return html`${renderWarning(`You signed in more than ${RECENT_MINUTES} minutes ago. Sign in again to do this.`)}
        <div class="actions">
          <button formaction="/sign-out" formnovalidate name="next" value="${next}">Sign in again</button>
        </div>`
  }
}

/** Checks that proof, within the limits of signing in. Throws a problem if it is missing. */
export async function requireProof(services: ProofServices, reply: FastifyReply) {
  const { request } = reply
  const password = readFormFields(request.body)['current'] ?? ''
  const proof = await checkProof(services, reply, getViewer(request), password)
  if (proof === 'wrong password') throw wrongPassword()
  if (proof === 'old session') throw refuseField('', 'Nothing was changed. Sign in again first')
}

/** The problem of a field `current` that does not hold the user's password. */
export function wrongPassword() {
  return refuseField('/current', 'This is not your current password')
}

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
