import type { FastifyRequest, FastifyInstance, FastifyReply } from 'fastify'
import type { Problem } from '#domain/errors'
import type { UpperPage } from '#wording/navigation'
import type { Action } from '#http/openapi/schema-parts'
import {
  readFormFields,
  readSeenVersion,
  renderFields,
  renderFormAlert,
  renderSeenVersion,
  toFormProblem,
  type FormFields,
  type FormControl,
  type FormProblem,
  renderHidden,
} from './form.ts'
import { html, type Html, renderSection, isolate } from './elements.ts'
import { renderBreadcrumb, sendUserPage, type PageMoves } from './layout.ts'
import { createSharedOutcomes } from './shared-outcomes.ts'
import { getViewer } from './context.ts'

/** Renders what was just done, by the word in `?done=`; nothing for an unknown word. */
export function renderNotice(request: FastifyRequest, texts: Readonly<Record<string, string>>) {
  const { done } = readFormFields(request.query)
  return done !== undefined && Object.hasOwn(texts, done)
    ? html`<p class="notice" role="status">${texts[done]}</p>`
    : html``
}

/*
 * A page with named forms. Each form is sent to a path of its own. If its values are accepted, it redirects, mostly to
 * the page with a notice. If not, the page is shown again, with what was typed and what is wrong with it.
 */

/** A request for a page; `Params` are the parameters in the pattern of its path. */
export type PageRequest<Params = unknown> = FastifyRequest<{ Params: Params }>

/** What a form leads to: its page with a notice, another address, or a page without an address. */
type Outcome<Notice> = { done: Notice } | { goTo: string } | { page: PageContent }

/** A form of a page. */
export type Form<Params, Notice> = FormRoute & (RunningForm<Params, Notice> | IssuingForm<Params, Notice>)

interface FormRoute {
  /** Where it is sent to, below the path of the page; the page's own path if absent. */
  path?: string
  /**
   * The fields that come back if the session has ended meanwhile. Name no secrets: they would be written into a page.
   * Without it, the page is shown with its usual values.
   */
  keeps?: readonly string[]
  /** The configuration of its route. */
  config?: object
}

interface RunningForm<Params, Notice> {
  /**
   * Does what the form asks for, and perhaps sends an answer. Throws a problem, with an error for each bad field, to
   * show the form again.
   */
  run(request: PageRequest<Params>, fields: FormFields, reply: FastifyReply): Promise<Outcome<Notice> | FastifyReply>
}

interface IssuingForm<Params, Notice> {
  /** As `run`, with a page that shows a new secret once. If the user repeats the form, it leads to the same. */
  issue(request: PageRequest<Params>, fields: FormFields, reply: FastifyReply): Promise<Outcome<Notice>>
}

export interface FormPage<Params, Shown, Notice extends string, Name extends string> {
  /** The pattern of its path, such as `/settings/webhooks/:id`. */
  path: string
  /** The configuration of the route that shows it. */
  config?: object
  /** Loads what the page shows. Throws a problem if there is no such thing. */
  load(request: PageRequest<Params>): Promise<Shown>
  /** Renders the page, or says which other address has what somebody looks for. */
  render(shown: Shown, forms: PageForms<Name>, request: PageRequest<Params>): Rendered | Promise<Rendered>
  /** What the page says after a form was accepted. */
  notices?: Readonly<Record<Notice, string>>
  forms: Readonly<Record<Name, Form<Params, NoInfer<Notice>>>>
}

type Rendered = PageContent | { elsewhere: string }

/** What a page says. */
export interface PageContent extends PageMoves {
  title: string
  /** The heading, if it is more than the title. */
  heading?: Html
  /** The pages that this one is below. */
  trail?: readonly UpperPage[]
  /** What is wrong, if no form of the page was refused, such as with its address. */
  problem?: FormProblem
  body: Html
}

/** A form that was refused, and why. */
interface RefusedForm<Name> {
  name: Name
  problem: Problem
}

/** The forms of a page while it is rendered. What needs some of them takes a page with more, too. */
export interface PageForms<Name extends string> {
  /** Whether one of them was refused. */
  isRefused: boolean
  /** The path that a form is sent to. */
  actionOf: (name: Name) => string
  /** What is wrong with a form; null if it was not refused. */
  problemOf: (name: Name) => FormProblem
  /** What was typed into a form that was refused; null otherwise. */
  sentTo: (name: Name) => FormFields | null
}

/** Adds the routes of a page and of its forms. */
export function addFormPage<Params, Shown, Notice extends string, Name extends string>(
  app: FastifyInstance,
  page: FormPage<Params, Shown, Notice, Name>,
) {
  const show = async (request: FastifyRequest, reply: FastifyReply, refused: RefusedForm<Name> | null) => {
    const asked = request as PageRequest<Params>
    const shown = await page.load(asked)
    const content = await page.render(shown, createPageForms(page, asked, refused), asked)
    if ('elsewhere' in content) return reply.redirect(content.elsewhere, 303)
    const problem = refused?.problem ?? content.problem ?? null
    return sendContent(reply, { ...content, problem }, renderNotice(request, page.notices ?? {}))
  }

  app.get(page.path, page.config === undefined ? {} : { config: page.config }, (request, reply) =>
    show(request, reply, null),
  )
  for (const name of Object.keys(page.forms) as Name[]) {
    const form = page.forms[name]
    const { path = '', keeps, config } = form
    const run = 'run' in form ? form.run : answerRepeats(form)
    const keptForm = keeps && {
      fields: keeps,
      show: (request: FastifyRequest, reply: FastifyReply, problem: Problem) => show(request, reply, { name, problem }),
    }
    const options = { config: { ...config, ...(keptForm ? { keptForm } : {}) } }
    app.post(`${page.path}${path}`, options, async (request, reply) => {
      try {
        const outcome = await run(request as PageRequest<Params>, readFormFields(request.body), reply)
        // Such as a file. Awaiting a reply waits until it is sent, and gives nothing.
        if (reply.sent) return reply
        if ('goTo' in outcome) return reply.redirect(outcome.goTo, 303)
        if ('done' in outcome) return reply.redirect(`${fillPath(page.path, request)}?done=${outcome.done}`, 303)
        if ('page' in outcome) return await sendContent(reply, outcome.page)
        return outcome
      } catch (error) {
        return show(request, reply, { name, problem: toFormProblem(error) })
      }
    })
  }
}

/** Adds the route of a page that has no forms. */
export function addPage<Params, Shown, Notice extends string>(
  app: FastifyInstance,
  page: Omit<FormPage<Params, Shown, Notice, never>, 'forms'>,
) {
  addFormPage(app, { ...page, forms: {} })
}

function createPageForms<Params, Shown, Notice extends string, Name extends string>(
  { path, forms }: FormPage<Params, Shown, Notice, Name>,
  request: PageRequest<Params>,
  refused: RefusedForm<Name> | null,
): PageForms<Name> {
  return {
    isRefused: refused !== null,
    actionOf: (name) => `${fillPath(path, request)}${forms[name].path ?? ''}`,
    problemOf: (name) => (refused?.name === name ? refused.problem : null),
    sentTo: (name) => (refused?.name === name ? readFormFields(request.body) : null),
  }
}

/** Fills the parameters of a request into the pattern of a path. */
function fillPath(pattern: string, { params }: FastifyRequest) {
  return pattern.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent((params as Readonly<Record<string, string>>)[name] ?? ''),
  )
}

/** Runs a form that issues a secret. Who repeats it gets the outcome of the first time. */
function answerRepeats<Params, Notice>({ issue }: IssuingForm<Params, Notice>): RunningForm<Params, Notice>['run'] {
  const outcomes = createSharedOutcomes<Outcome<Notice>>()
  return (request, fields, reply) =>
    outcomes.share([getViewer(request).userId, request.url, fields], () => issue(request, fields, reply))
}

function sendContent(
  reply: FastifyReply,
  { title, heading, trail, problem, body, ...moves }: PageContent,
  notice = html``,
) {
  const [item, ...between] = trail ?? []
  if (problem) void reply.code(problem.status)
  return sendUserPage(reply, getViewer(reply.request), {
    ...moves,
    title: problem ? `Error: ${title}` : title,
    body: html`${item && renderBreadcrumb(item, between)}
      <h1>${heading ?? isolate(title)}</h1>
      ${problem ? renderFormAlert(problem, true) : notice} ${body}`,
  })
}

interface RenderedForm {
  /** The fields, or what renders them, given what was typed or what is stored. */
  fields?: readonly (FormControl | Html)[] | ((values: FormFields, problem: FormProblem) => Html)
  /** The values of the fields until somebody has typed others. */
  values?: FormFields
  /** The version of what the form changes, so that outdated and repeated forms are refused. */
  version?: number | undefined
  /** The buttons, and links beside them. */
  buttons: Html
}

/** Renders a form. One that was refused keeps what was typed. */
export function renderForm<Name extends string>(
  forms: PageForms<Name>,
  name: Name,
  { fields, values = {}, version, buttons }: RenderedForm,
) {
  const sent = forms.sentTo(name)
  const shown = sent ?? values
  const problem = forms.problemOf(name)
  return html`<form method="post" action="${forms.actionOf(name)}" ${fields && html`class="stack"`}>
    ${version !== undefined && renderSeenVersion(chooseSeenVersion(version, sent, problem))}
    ${typeof fields === 'function' ? fields(shown, problem) : renderFields(fields ?? [], shown, problem)}
    ${buttons}
  </form>`
}

/** A form that comes back keeps the version that it was filled in for, unless that is why it came back. */
function chooseSeenVersion(version: number, sent: FormFields | null, problem: FormProblem) {
  if (sent?.['seen'] === undefined || problem?.code === 'precondition_failed') return version
  return readSeenVersion(sent)
}

interface FormSection extends RenderedForm {
  heading: string
  /** What is so now, in a line. */
  status: Html | string
  /** What the form does, in paragraphs above it. */
  text?: Html
  /** Open even if the form was not refused. */
  isOpen?: boolean
}

/** Renders a section of a page that holds a form. It is open if the form was refused. */
export function renderFormSection<Name extends string>(
  forms: PageForms<Name>,
  name: Name,
  { heading, status, text, isOpen = false, ...form }: FormSection,
) {
  return renderSection(
    { heading, status, isOpen: isOpen || forms.problemOf(name) !== null },
    html`${text ?? ''} ${renderForm(forms, name, form)}`,
  )
}

interface ConfirmedAction {
  /** The verb of the action, such as “Disable”. */
  label: string
  /** What it acts on, for screen readers, where a page has several of the same kind. */
  of?: Html
  /** What will happen, in a sentence. */
  text: string
  /** The path that the form is sent to. */
  action: string
  /** A field that the form sends. */
  field?: { name: string; value: string }
  /** Fields that somebody fills in to answer the question. */
  fields?: Html
  /** Whether the question is open, as after an answer that was refused. */
  isOpen?: boolean
}

/** Renders an action that takes effect at once. Its button opens the question, and a second one answers it. */
export function renderConfirmedAction(asked: ConfirmedAction) {
  const { label, of, text, action, field, fields, isOpen = false } = asked
  const subject = of === undefined ? '' : html`<span class="visually-hidden"> ${of}</span>`
  return html`<details class="confirm" ${isOpen && html`open`}>
    <summary class="button">${label}${subject}…</summary>
    <form method="post" action="${action}" class="question">
      <p>${text}</p>
      ${field !== undefined && renderHidden(field.name, field.value)}
      ${fields ?? ''}
      <button class="danger">${label}${subject}</button>
    </form>
  </details>`
}

type Actions<Name extends string, Done extends string> = Readonly<Record<Name, Action<Done>>>

/** The notices of actions, by the word in the address. */
export function listNotices<Done extends string>(actions: Actions<string, Done>) {
  const notices = Object.values<Action<Done>>(actions).map(({ done, notice }) => [done, notice])
  return Object.fromEntries(notices) as Record<Done, string>
}

/** The forms of actions, each sent to a path with its name. */
export function listActionForms<Name extends string, Done extends string, Params>(
  actions: Actions<Name, Done>,
  run: (request: PageRequest<Params>, name: Name) => Promise<unknown>,
): Record<Name, Form<Params, Done>> {
  const forms = (Object.keys(actions) as Name[]).map((name): [Name, Form<Params, Done>] => [
    name,
    {
      path: `/${name}`,
      run: async (request) => {
        await run(request, name)
        return { done: actions[name].done }
      },
    },
  ])
  return Object.fromEntries(forms) as Record<Name, Form<Params, Done>>
}

/** Renders the button of an action, which asks first if the action has a question. */
export function renderAction<Name extends string>(forms: PageForms<Name>, name: Name, { button, question }: Action) {
  if (question === undefined) return renderForm(forms, name, { buttons: html`<button>${button}</button>` })
  return renderConfirmedAction({ label: button, text: question, action: forms.actionOf(name) })
}
