import { html } from 'hono/html'
import { requestsInWindow, windowEnd } from '../../domain/company.ts'
import type { SeenKey } from '../../ledger/read-api-keys.ts'
import { statusOf } from '../admin/api-key-schemas.ts'
import { badge } from './badge.ts'
import type { Html } from './page.ts'
import { timeShown } from './times.ts'

/** The state of a key, as a badge. */
export function keyBadge(key: SeenKey['key']): Html {
  switch (statusOf(key)) {
    case 'active':
      return badge('good', 'Enabled')
    case 'disabled':
      return badge('warn', 'Disabled')
    case 'revoked':
      return badge('bad', 'Revoked')
  }
}

const PERIODS = { hourly: 'an hour', daily: 'a day', weekly: 'a week', monthly: 'a month' } as const

/** How much of its quota a key has used in the window that runs, as a bar and in words, and when it begins anew. */
export function quotaUsed({ key, now }: SeenKey, timeZone: string): Html {
  const nowMs = Date.parse(now)
  const made = requestsInWindow(key.usage, key.refreshPeriod, nowMs)
  const { quotaLimit: limit } = key
  const percent = limit === 0 ? 100 : Math.floor((100 * made) / limit)
  // A bar must have some length; a key without any quota has used it up.
  const bar = limit === 0 ? { max: 1, value: 1 } : { max: limit, value: Math.min(made, limit) }
  return html`<meter min="0" max="${bar.max}" high="${bar.max * 0.9}" optimum="0" value="${bar.value}" aria-label="Quota used"></meter>
    <div>${made.toLocaleString('en')} of ${limit.toLocaleString('en')} calls ${PERIODS[key.refreshPeriod]} (${percent} %)</div>
    <div class="hint">begins anew ${timeShown(new Date(windowEnd(key.refreshPeriod, nowMs)).toISOString(), timeZone)}</div>`
}

/** When a key was last used. */
export function lastUsed({ usage }: SeenKey['key'], timeZone: string): Html {
  return usage.lastUsedMs === null ? html`never` : timeShown(new Date(usage.lastUsedMs).toISOString(), timeZone)
}
