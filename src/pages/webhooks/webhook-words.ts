import type { WaitingMessages, SeenWebhook, WebhookRecord } from '#accounts/webhooks/read-webhooks'
import type { WebhookDisabledReason } from '#domain/webhook-types'
import { renderBadge } from '#pages/parts/elements'
import { decapitalize, formatCount, formatAge, formatLength } from '#wording/numbers'

/** Why the service stopped delivering. */
export const STOPPED = {
  gone: 'the receiver answered 410 Gone',
  failing: 'the receiver refused the same message for three days',
} satisfies Record<WebhookDisabledReason, string>

/** Returns what a webhook is called. */
export function formatWebhookName({ settings }: Pick<WebhookRecord, 'settings'>) {
  return settings.description || settings.url
}

/** Renders the status of a webhook as a badge. */
export function renderWebhookStatus({ status, progress }: WebhookRecord) {
  if (status === 'paused') return renderBadge('warn', 'Paused')
  if (status === 'disabled') return renderBadge('bad', 'Disabled')
  return progress.failingSince === null ? renderBadge('good', 'Enabled') : renderBadge('bad', 'Failing')
}

/** Says why a webhook gets no messages; null if it is paused or works. */
export function describeTrouble({ webhook, now }: SeenWebhook) {
  const { status, disabledReason, disabledAt, progress } = webhook
  const nowMs = Date.parse(now)
  if (status === 'disabled' && disabledReason !== null) {
    const since = disabledAt === null ? '' : ` ${formatAge(Date.parse(disabledAt), nowMs)}`
    return `Disabled${since}: ${STOPPED[disabledReason]}.`
  }
  const { failingSince, dueAt, error } = progress
  if (status !== 'enabled' || failingSince === null) return null
  const length = formatLength(Math.max(nowMs - Date.parse(failingSince), 0))
  const next = dueAt === null ? '' : `; next attempt ${formatAge(Math.max(Date.parse(dueAt), nowMs), nowMs)}`
  return `Failing for ${length}${error === null ? '' : `: ${decapitalize(error)}`}${next}.`
}

/** Says how far a webhook has got. */
export function describeProgress({ count, unread }: WaitingMessages) {
  const waiting = `${formatCount(count, 'message')} waiting`
  if (unread > 0) return count === 0 ? 'Reading older events' : `At least ${waiting}`
  return count === 0 ? 'Up to date' : waiting
}
