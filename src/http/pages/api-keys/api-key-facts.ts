import { html } from 'hono/html'
import type { SeenKey } from '../../../accounts/api-keys/read-api-keys.ts'
import { statusOf } from '../../admin/api-key-schemas.ts'
import { badge } from '../parts/badges.ts'
import type { Html } from '../parts/page.ts'
import { quotaBar, quotaUsed } from './quota-used.ts'
import { numberShown } from '../parts/shown-values.ts'
import { timeShown } from '../parts/times.ts'

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
export function quotaShown(seen: SeenKey, timeZone: string): Html {
  const used = quotaUsed(seen)
  return html`${quotaBar(used)}
    <div>
      ${numberShown(used.made)} of ${numberShown(used.limit)} calls ${PERIODS[seen.key.refreshPeriod]} (${used.percent}
      %)
    </div>
    <div class="hint">begins anew ${timeShown(used.beginsAnew, timeZone)}</div>`
}

/** When a key was last used. */
export function lastUsed({ usage }: SeenKey['key'], timeZone: string): Html {
  return usage.lastUsedMs === null ? html`never` : timeShown(new Date(usage.lastUsedMs).toISOString(), timeZone)
}
