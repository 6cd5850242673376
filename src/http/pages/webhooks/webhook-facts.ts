import type { WaitingMessages } from '../../../accounts/webhooks/count-waiting.ts'
import type { SeenWebhook, WebhookRecord } from '../../../accounts/webhooks/read-webhooks.ts'
import { WEBHOOK_TYPES } from '../../../domain/webhook-types.ts'
import { WEBHOOK_ACTIONS } from '../../admin/webhooks/webhook-actions.ts'
import { renderAction } from '../parts/actions.ts'
import { renderFacts } from '../parts/facts.ts'
import { renderForm, type PageForms } from '../parts/form-page.ts'
import { html, type Html } from '../parts/html.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import { formatNumber, renderBreakable } from '../parts/shown-values.ts'
import { renderTime } from '../parts/times.ts'
import { describeProgress, describeTrouble, renderWebhookStatus } from './webhook-words.ts'

const { path: PATH } = NAVIGATION.webhooks

/** Renders the facts about a webhook. */
export function renderWebhookFacts(seen: SeenWebhook, waiting: WaitingMessages, timeZone: string): Html {
  const { webhook, now } = seen
  const { settings, rotatedAt, previousExpiresAt } = webhook
  const trouble = describeTrouble(seen)
  return renderFacts([
    ['Status', html`${renderWebhookStatus(webhook)} ${trouble ?? ''}`],
    ['Progress', html`${describeProgress(waiting)}${renderReached(webhook)}`],
    ['URL', html`<code>${renderBreakable(settings.url)}</code>`],
    ['Message types', renderTypes(settings.types)],
    ['Messages contain', settings.include_data ? 'IDs, attribute names, and values' : 'IDs and attribute names only'],
    ['Messages at once', String(settings.concurrency)],
    ['Created', renderTime(webhook.createdAt, timeZone)],
    rotatedAt === null ? null : ['Secret rotated', renderTime(rotatedAt, timeZone)],
    previousExpiresAt === null || previousExpiresAt <= now
      ? null
      : ['Previous secret', html`Also signs until ${renderTime(previousExpiresAt, timeZone)}`],
  ])
}

function renderReached({ progress: { position } }: WebhookRecord): Html {
  if (position === 0) return html`<div class="hint">Before the first event</div>`
  return html`<div class="hint">
    Up to <a href="${NAVIGATION.events.path}/${position}">event ${formatNumber(position)}</a>
  </div>`
}

function renderTypes(types: readonly string[]): Html {
  if (types.length === WEBHOOK_TYPES.length) return html`All`
  return html`${types.map((type, at) => html`${at > 0 ? ', ' : ''}<code>${type}</code>`)}`
}

/** Renders the buttons of a webhook. */
export function renderWebhookActions<Name extends string>(
  forms: PageForms<Name | 'ping' | 'pause' | 'resume'>,
  { id, status, progress }: WebhookRecord,
): Html {
  const { pause, resume } = WEBHOOK_ACTIONS
  const isEnabled = status === 'enabled'
  const ping = html`<button${isEnabled ? html` class="primary"` : ''}>Send test message</button>`
  const resuming = html`<button class="primary">${resume.button}</button>`
  return html`<div class="actions">
    ${isEnabled ? '' : renderForm(forms, 'resume', { buttons: resuming })}
    ${renderForm(forms, 'ping', { buttons: ping })}
    ${isEnabled && progress.attempts > 0 ? renderAction(forms, 'resume', { ...resume, button: 'Try now' }) : ''}
    ${status === 'paused' ? '' : renderAction(forms, 'pause', pause)}
    <a class="button" href="${PATH}/${id}/deliveries">Deliveries</a>
    <a class="button" href="${buildChangesUrl(id)}">Changes</a>
    <a class="button danger" href="${PATH}/${id}/remove">Remove…</a>
  </div>`
}

function buildChangesUrl(id: string): string {
  return `${NAVIGATION.events.path}?id=${id}`
}
