import { html } from 'hono/html'
import { requestsInWindow, windowEnd } from '../../../domain/company.ts'
import type { SeenKey } from '../../../accounts/api-keys/read-api-keys.ts'
import type { Html } from '../parts/page.ts'

/** What a key has used of its quota in the window that runs. */
export interface QuotaUsed {
  made: number
  limit: number
  /** Whole, and never more than what is used; a quota of none is used up. */
  percent: number
  /** When the next window begins, RFC 3339 UTC. */
  resetsAt: string
}

export function computeQuotaUsed({ key, now }: SeenKey): QuotaUsed {
  const nowMs = Date.parse(now)
  const { quotaLimit: limit, refreshPeriod } = key
  const made = requestsInWindow(key.usage, refreshPeriod, nowMs)
  const percent = limit === 0 ? 100 : Math.floor((100 * made) / limit)
  return { made, limit, percent, resetsAt: new Date(windowEnd(refreshPeriod, nowMs)).toISOString() }
}

const NEARLY_USED_UP = 90

/** A bar that is full when the quota is used up. The numbers have to stand beside it. */
export function renderQuotaBar({ percent }: QuotaUsed): Html {
  return html`<svg class="quota" aria-hidden="true" height="12">
    <rect class="quota-ground" width="100%" height="12" rx="3" />
    <rect
      class="${percent >= NEARLY_USED_UP ? 'nearly-used-up' : 'completed'}"
      width="${Math.min(percent, 100)}%"
      height="12"
      rx="3"
    />
  </svg>`
}
