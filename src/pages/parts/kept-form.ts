import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Problem, problem } from '#domain/errors'
import { readOwnPath } from '#wording/navigation'
import { type FormFields, readFormFields, renderHidden } from './form.ts'
import { html } from './elements.ts'
import { sendCardPage } from './layout.ts'

/*
 * A form that was sent after the session had ended is not lost. The sign-in page carries its fields in hidden inputs,
 * so the server stores nothing. After signing in, the browser sends them to the form's own path with the mark below,
 * and the path answers with the filled form. Nothing is carried out until the user sends that form.
 */

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How to show the form of a route again. Without it, the form's page is shown with its usual values. */
    keptForm?: {
      /** The fields to keep. Name no secrets: they would be written into a page. */
      fields: readonly string[]
      /** Shows the form with the fields of the request's body. */
      show(request: FastifyRequest, reply: FastifyReply, problem: Problem): Promise<FastifyReply>
    }
  }
}

/** A form that was sent without a session. */
export interface KeptForm {
  /** The path that the form is sent to. */
  action: string
  /** The company of the session that ended. */
  companyId: string
  /** The fields as a query string. */
  fields: string
}

const MARK = 'refill'
const MAX_CHARACTERS = 8_192
const NOT_SENT: Problem = {
  ...problem('validation_failed', 'This form has not been sent yet. Check it, then send it'),
  status: 200,
}

/** Keeps the form of a request, whose session was of this company. Null if there is nothing to keep. */
export function keepForm(request: FastifyRequest, companyId: string | null) {
  const { keptForm } = request.routeOptions.config
  // What someone wrote for one company must not end up in another.
  if (!keptForm || !companyId) return null
  const sent = readFormFields(request.body)
  const kept = keptForm.fields
    .filter((name) => Object.hasOwn(sent, name))
    .map((name): [string, string] => [name, sent[name]!])
  const fields = new URLSearchParams(kept).toString()
  if (fields === '' || fields.length > MAX_CHARACTERS) return null
  return { action: request.url.split('?', 1)[0]!, companyId, fields }
}

/** Renders a kept form as hidden inputs of the sign-in form. */
export function renderKeptForm(kept: KeptForm | null) {
  return kept === null
    ? html``
    : html`${renderHidden('kept_action', kept.action)}
        ${renderHidden('kept_company', kept.companyId)}
        ${renderHidden('kept_fields', kept.fields)}`
}

/** Reads the hidden inputs of `renderKeptForm`. Null if there are none, or if they do not belong to our own pages. */
export function readKeptForm(sent: FormFields) {
  const { kept_action: action, kept_company: companyId = '', kept_fields: fields = '' } = sent
  if (readOwnPath(action) === '' || fields === '' || fields.length > MAX_CHARACTERS) return null
  return { action: action!, companyId, fields }
}

/** Sends the page after signing in, which leads back to the filled form: by itself where scripts run. */
export function sendWayBack(reply: FastifyReply, { action, fields }: KeptForm) {
  const inputs = [...new URLSearchParams(fields)].map(([name, value]) => renderHidden(name, value))
  return sendCardPage(reply, {
    title: 'Signed in',
    heading: "You're signed in",
    body: html`<p>Your session had ended, so the form was not sent. Go back to it, check it, and send it again.</p>
      <form method="post" action="${action}" data-continue>
        ${inputs}${renderHidden(MARK, 'yes')}
        <button class="primary">Back to the form</button>
      </form>`,
  })
}

/** Answers a request that comes from `sendWayBack` with its form, so that the route's handler never runs. */
export async function showKeptForm(request: FastifyRequest, reply: FastifyReply) {
  if (readFormFields(request.body)[MARK] === undefined) return undefined
  const { keptForm } = request.routeOptions.config
  return keptForm ? keptForm.show(request, reply, NOT_SENT) : reply.redirect('/', 303)
}
