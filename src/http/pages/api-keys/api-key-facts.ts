import { html } from 'hono/html'
import type { SeenKey } from '../../../accounts/api-keys/read-api-keys.ts'
import { getKeyStatus } from '../../admin/api-key-schemas.ts'
import { renderBadge } from '../parts/badges.ts'
import type { Html } from '../parts/page.ts'
import { renderQuotaBar, computeQuotaUsed } from './quota-used.ts'
import { formatNumber } from '../parts/shown-values.ts'
import { renderTime } from '../parts/times.ts'

/** Renders the status of a key as a badge. */
export function renderKeyStatus(key: SeenKey['key']): Html {
  switch (getKeyStatus(key)) {
    case 'active':
      return renderBadge('good', 'Enabled')
    case 'disabled':
      return renderBadge('warn', 'Disabled')
    case 'revoked':
      return renderBadge('bad', 'Revoked')
  }
}

const PERIODS = { hourly: 'an hour', daily: 'a day', weekly: 'a week', monthly: 'a month' } as const

/** Renders how much of its quota a key has used in the current period, and when the quota resets. */
export function renderQuota(seen: SeenKey, timeZone: string): Html {
  const used = computeQuotaUsed(seen)
  const calls = `${formatNumber(used.calls)} of ${formatNumber(used.limit)} calls ${PERIODS[seen.key.refreshPeriod]}`
  return html`${renderQuotaBar(used)}
    <div>${`${calls} (${used.percent} %)`}</div>
    <div class="hint">Resets ${renderTime(used.resetsAt, timeZone)}</div>`
}

/** Renders when a key was last used. */
export function renderLastUsed({ usage }: SeenKey['key'], timeZone: string): Html {
  return usage.lastUsedMs === null ? html`never` : renderTime(new Date(usage.lastUsedMs).toISOString(), timeZone)
}
