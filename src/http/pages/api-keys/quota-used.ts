import { requestsInWindow, windowEnd } from '../../../domain/accounts/quota.ts'
import { NEARLY_USED } from '../../../domain/attention.ts'
import type { SeenKey } from '../../../accounts/api-keys/read-api-keys.ts'
import { html, type Html } from '../parts/html.ts'

/** How much of its quota a key has used in the current period. */
interface QuotaUsed {
  calls: number
  limit: number
  /** Rounded down; a quota of 0 counts as used up. */
  percent: number
  /** When the quota resets, RFC 3339 UTC. */
  resetsAt: string
}

/** Computes how much of its quota a key has used, by the database's time. */
export function computeQuotaUsed({ key, now }: SeenKey): QuotaUsed {
  const nowMs = Date.parse(now)
  const { quotaLimit: limit, refreshPeriod } = key
  const calls = requestsInWindow(key.usage, refreshPeriod, nowMs)
  const percent = limit === 0 ? 100 : Math.floor((100 * calls) / limit)
  return { calls, limit, percent, resetsAt: new Date(windowEnd(refreshPeriod, nowMs)).toISOString() }
}

/** Renders a bar that is full when the quota is used up. Put the numbers next to it. */
export function renderQuotaBar({ percent }: QuotaUsed): Html {
  return html`<svg class="quota" aria-hidden="true" height="12">
    <rect class="quota-ground" width="100%" height="12" rx="3" />
    <rect
      class="${percent >= 100 * NEARLY_USED ? 'nearly-used-up' : 'completed'}"
      width="${Math.min(percent, 100)}%"
      height="12"
      rx="3"
    />
  </svg>`
}
