import type { FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import type { SeenWebhook, WebhookRecord } from '../../../accounts/webhooks/read-webhooks.ts'
import { DEFAULT_OVERLAP_SECONDS } from '../../../domain/accounts/key-lifecycle.ts'
import type { Problem } from '../../../domain/errors.ts'
import { WEBHOOK_TYPES } from '../../../domain/webhook-types.ts'
import { readFormFields, readSeenVersion, renderChoice, renderSeenVersion, type FormProblem } from '../parts/form.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import type { Html } from '../parts/page.ts'
import { renderSection } from '../parts/section.ts'
import { describeRotation } from '../parts/times.ts'
import { renderResumeFields } from './resume-form.ts'
import { formatFields, renderWebhookFields } from './webhook-form.ts'

const { path: PATH } = NAVIGATION.webhooks

/** A form with fields; null for a button. */
export type FormName = 'edit' | 'replay' | 'rotate' | null

/** The form that was refused, and why. */
export interface WrongForm {
  form: FormName
  problem: Problem
}

const OVERLAPS = [
  { value: '0', label: 'immediately' },
  { value: '3600', label: 'after 1 hour' },
  { value: String(DEFAULT_OVERLAP_SECONDS), label: 'after 24 hours' },
  { value: '604800', label: 'after 7 days' },
]

/** Renders the forms that change a webhook. A refused one keeps what was filled in. */
export function renderWebhookForms(
  request: FastifyRequest,
  { webhook, now }: SeenWebhook,
  wrong: WrongForm | null,
  timeZone: string,
): Html {
  const path = `${PATH}/${webhook.id}`
  const problemOf = (form: FormName): FormProblem => (wrong?.form === form ? wrong.problem : null)
  const sent = (form: FormName) => (problemOf(form) ? readFormFields(request.body) : null)
  // A form that comes back still shows the version that it was filled in for, unless the webhook has changed since.
  const isOutdated = wrong?.problem.code === 'precondition_failed'
  const seenBy = (form: FormName) =>
    renderSeenVersion(isOutdated ? webhook.version : readSeenVersion(sent(form) ?? { seen: String(webhook.version) }))
  return html`${renderSection(
    { heading: 'Replay', status: 'Send messages again, or skip some.', isOpen: wrong?.form === 'replay' },
    html`<p>
      Send messages again from an earlier point, or skip to a later one. A message that is sent again has the same
      <code>webhook-id</code>, so receivers can ignore it.
    </p>
    <form method="post" action="${path}/replay" class="stack">
      ${seenBy('replay')} ${renderResumeFields(sent('replay') ?? {}, problemOf('replay'), timeZone)}
      <button>Replay</button>
    </form>`,
  )}
  ${renderSection(
    { heading: 'Settings', status: describeSettings(webhook), isOpen: wrong?.form === 'edit' },
    html`<form method="post" action="${path}" class="stack">
      ${seenBy('edit')}
      ${renderWebhookFields(sent('edit') ?? formatFields(webhook.settings), problemOf('edit'))}
      <button class="primary">Save</button>
    </form>`,
  )}
  ${renderSection(
    {
      heading: 'Secret rotation',
      status: describeRotation(webhook.rotatedAt, now),
      isOpen: wrong?.form === 'rotate',
    },
    html`<p>
      The webhook gets a new secret, which is shown once. Until the current secret expires, messages are signed with
      both. Any older secret stops now.
    </p>
    <form method="post" action="${path}/rotate" class="stack">
      ${seenBy('rotate')}
      ${renderChoice({ name: 'overlap_seconds', label: 'Expire current secret', value: String(DEFAULT_OVERLAP_SECONDS), options: OVERLAPS }, problemOf('rotate'))}
      <button>Rotate secret</button>
    </form>`,
  )}`
}

function describeSettings({ settings: { types } }: WebhookRecord): string {
  if (types.length === WEBHOOK_TYPES.length) return 'Messages of all types'
  return `Messages of ${types.length === 1 ? '1 type' : `${types.length} types`}`
}
