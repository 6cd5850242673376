import type { SeenWebhook, WebhookRecord } from '../../../accounts/webhooks/read-webhooks.ts'
import { WEBHOOK_TYPES } from '../../../domain/webhook-types.ts'
import { renderFormSection, type PageForms } from '../parts/form-page.ts'
import { html, type Html } from '../parts/html.ts'
import { renderRotation } from '../parts/rotation.ts'
import { renderResumeFields } from './resume-form.ts'
import { formatFields, renderWebhookFields } from './webhook-form.ts'

/** Renders the forms that change a webhook. */
export function renderWebhookForms<Name extends string>(
  forms: PageForms<Name | 'replay' | 'edit' | 'rotate'>,
  { webhook, now }: SeenWebhook,
  timeZone: string,
): Html {
  const { version } = webhook
  return html`${renderFormSection(forms, 'replay', {
    heading: 'Replay',
    status: 'Send messages again, or skip some.',
    text: html`<p>
      Send messages again from an earlier point, or skip to a later one. A message that is sent again has the same
      <code>webhook-id</code>, so receivers can ignore it.
    </p>`,
    version,
    fields: (values, problem) => renderResumeFields(values, problem, timeZone),
    buttons: html`<button>Replay</button>`,
  })}
  ${renderFormSection(forms, 'edit', {
    heading: 'Settings',
    status: describeSettings(webhook),
    version,
    values: formatFields(webhook.settings),
    fields: renderWebhookFields,
    buttons: html`<button class="primary">Save</button>`,
  })}
  ${renderRotation(
    forms,
    webhook,
    now,
    html`<p>
      The webhook gets a new secret, which is shown once. Until the current secret expires, messages are signed with
      both. Any older secret stops now.
    </p>`,
  )}`
}

function describeSettings({ settings: { types } }: WebhookRecord): string {
  if (types.length === WEBHOOK_TYPES.length) return 'Messages of all types'
  return `Messages of ${types.length === 1 ? '1 type' : `${types.length} types`}`
}
