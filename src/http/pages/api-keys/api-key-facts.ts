import { html } from 'hono/html'
import type { SeenKey } from '../../../accounts/api-keys/read-api-keys.ts'
import { findKeyStatus, hasPreviousSecret } from '../../../accounts/api-keys/read-api-keys.ts'
import { renderBadge } from '../parts/badges.ts'
import type { Html } from '../parts/page.ts'
import { renderQuotaBar, computeQuotaUsed } from './quota-used.ts'
import { formatNumber, renderLastFour } from '../parts/shown-values.ts'
import { formatScopes } from '../parts/key-words.ts'
import { formatAge, renderTime } from '../parts/times.ts'

/** How long before its end a key is marked as one that expires soon. */
const SOON_MS = 14 * 86_400_000

/** Renders the status of a key as a badge, with another one if it expires soon. */
export function renderKeyStatus(seen: SeenKey): Html {
  switch (findKeyStatus(seen)) {
    case 'active':
      return html`${renderEnabled(seen)}${renderExpiresSoon(seen)}`
    case 'disabled':
      return html`${renderBadge('warn', 'Disabled')}${renderExpiresSoon(seen)}`
    case 'expired':
      return renderBadge('bad', 'Expired')
    case 'revoked':
      return renderBadge('bad', 'Revoked')
  }
}

function renderEnabled(seen: SeenKey): Html {
  const { calls, limit } = computeQuotaUsed(seen)
  return calls >= limit ? renderBadge('bad', 'Quota used up') : renderBadge('good', 'Enabled')
}

function renderExpiresSoon({ key, now }: SeenKey): Html {
  if (key.expiresAt === null) return html``
  const [endMs, nowMs] = [Date.parse(key.expiresAt), Date.parse(now)]
  return endMs - nowMs > SOON_MS ? html`` : html` ${renderBadge('warn', `Expires ${formatAge(endMs, nowMs)}`)}`
}

/** Renders the ends of the secrets of a key: two while the previous one works. */
export function renderSecretEnds(seen: SeenKey): Html {
  const { lastFour, previousLastFour } = seen.key
  if (!hasPreviousSecret(seen)) return renderLastFour(lastFour)
  return html`${renderLastFour(lastFour)}
    <div class="hint">Previous: ${renderLastFour(previousLastFour)}</div>`
}

/** Renders what a key may do, and from where. */
export function renderAccess({ scopes, allowedNetworks }: SeenKey['key']): Html {
  const words = formatScopes(scopes)
  return html`${words.charAt(0).toUpperCase()}${words.slice(1)}${
    allowedNetworks === null
      ? ''
      : html`<div class="hint">From ${allowedNetworks.length === 1 ? '1 network' : `${allowedNetworks.length} networks`}</div>`
  }`
}

/** Renders when a key ends. */
export function renderExpiry({ expiresAt }: SeenKey['key'], timeZone: string): Html {
  return expiresAt === null ? html`never` : renderTime(expiresAt, timeZone)
}

/** Renders the networks from which a key may be used. */
export function renderNetworks({ allowedNetworks }: SeenKey['key']): Html {
  return allowedNetworks === null
    ? html`any address`
    : html`${allowedNetworks.map((network) => html`<code class="below">${network}</code><br />`)}`
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
