import { html } from 'hono/html'
import type { WaitingMessages } from '../../../accounts/webhooks/count-waiting.ts'
import type { SeenWebhook, WebhookRecord } from '../../../accounts/webhooks/read-webhooks.ts'
import { WEBHOOK_TYPES } from '../../../domain/webhook-types.ts'
import { renderConfirmedAction } from '../parts/confirm.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import type { Html } from '../parts/page.ts'
import { formatNumber } from '../parts/shown-values.ts'
import { renderTime } from '../parts/times.ts'
import { describeProgress, describeTrouble, renderWebhookStatus } from './webhook-words.ts'

const { path: PATH } = NAVIGATION.webhooks

/** Renders the facts about a webhook. */
export function renderWebhookFacts(seen: SeenWebhook, waiting: WaitingMessages, timeZone: string): Html {
  const { webhook, now } = seen
  const { settings, rotatedAt, previousExpiresAt } = webhook
  const trouble = describeTrouble(seen)
  return html`<dl class="facts">
    <dt>Status</dt>
    <dd>${renderWebhookStatus(webhook)} ${trouble ?? ''}</dd>
    <dt>Progress</dt>
    <dd>${describeProgress(waiting)}${renderReached(webhook)}</dd>
    <dt>URL</dt>
    <dd><code>${settings.url}</code></dd>
    <dt>Message types</dt>
    <dd>${renderTypes(settings.types)}</dd>
    <dt>Messages contain</dt>
    <dd>${settings.include_data ? 'IDs, attribute names, and values' : 'IDs and attribute names only'}</dd>
    <dt>Messages at once</dt>
    <dd>${settings.concurrency}</dd>
    <dt>Created</dt>
    <dd>${renderTime(webhook.createdAt, timeZone)}</dd>
    ${
      rotatedAt === null
        ? ''
        : html`<dt>Secret rotated</dt>
            <dd>${renderTime(rotatedAt, timeZone)}</dd>`
    }
    ${
      previousExpiresAt === null || previousExpiresAt <= now
        ? ''
        : html`<dt>Previous secret</dt>
            <dd>Also signs until ${renderTime(previousExpiresAt, timeZone)}</dd>`
    }
  </dl>`
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
export function renderWebhookActions({ id, status, progress }: WebhookRecord): Html {
  const path = `${PATH}/${id}`
  const tryNow = progress.attempts > 0 ? 'Try now' : null
  const resume = status === 'enabled' ? tryNow : 'Resume'
  const pause = { label: 'Pause', text: 'Messages wait until you resume the webhook.', action: `${path}/pause` }
  return html`<div class="actions">
    <form method="post" action="${path}/ping"><button class="primary">Send test message</button></form>
    ${resume === null ? '' : html`<form method="post" action="${path}/resume"><button>${resume}</button></form>`}
    ${status === 'paused' ? '' : renderConfirmedAction(pause)}
    <a class="button" href="${path}/deliveries">Deliveries</a>
    <a class="button" href="${buildChangesUrl(id)}">Changes</a>
    <a class="button danger" href="${path}/remove">Remove…</a>
  </div>`
}

function buildChangesUrl(id: string): string {
  return `${NAVIGATION.events.path}?id=${id}`
}
