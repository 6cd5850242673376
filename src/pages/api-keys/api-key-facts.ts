import { buildItemUrl } from '#wording/attention-words'
import { findKeyStatus, hasPreviousSecret, type SeenKey } from '#accounts/api-keys/api-keys'
import { requestsInWindow, windowEnd } from '#domain/accounts/api-key'
import { EXPIRES_SOON_MS, NEARLY_USED, type AttentionItem } from '#domain/attention'
import { renderBadge, html, renderDay, renderTime } from '#pages/parts/elements'
import { formatCount, formatNumber, formatAge } from '#wording/numbers'
import { renderLastFour } from '#pages/parts/attribute-values'
import { formatExcess, formatLimits, formatScopes } from '#pages/parts/key-words'

/** Whether a key needs attention itself, apart from its calls. */
export function hasProblem({ key }: SeenKey, problems: readonly AttentionItem[]) {
  return problems.some((item) => item.subject.id === key.id && buildItemUrl(item).endsWith(key.id))
}

/**
 * Renders the status of a key as a badge; of one that works but soon will not, when it expires. One that needs attention
 * is never green.
 */
export function renderKeyStatus(seen: SeenKey, needsAttention = false) {
  switch (findKeyStatus(seen)) {
    case 'active':
      return renderWorking(seen, needsAttention ? 'warn' : 'good')
    case 'disabled':
      return renderBadge('warn', 'Disabled')
    case 'expired':
      return renderBadge('bad', 'Expired')
    case 'revoked':
      return renderBadge('bad', 'Revoked')
  }
}

function renderWorking(seen: SeenKey, tone: 'good' | 'warn') {
  const { key, now } = seen
  const { calls, limit } = computeQuotaUsed(seen)
  if (calls >= limit) return renderBadge('bad', 'Quota used up')
  if (key.expiresAt === null) return renderBadge(tone, 'Enabled')
  const [endMs, nowMs] = [Date.parse(key.expiresAt), Date.parse(now)]
  return endMs - nowMs > EXPIRES_SOON_MS
    ? renderBadge(tone, 'Enabled')
    : renderBadge('warn', `Expires ${formatAge(endMs, nowMs)}`)
}

/** Renders the ends of the secrets of a key: two while the previous one works. */
export function renderSecretEnds(seen: SeenKey) {
  const { lastFour, previousLastFour } = seen.key
  if (!hasPreviousSecret(seen)) return renderLastFour(lastFour)
  return html`${renderLastFour(lastFour)}
    <div class="hint">previous ${renderLastFour(previousLastFour)}</div>`
}

/** Renders what a key may do, and from where. */
export function renderAccess({ scopes, allowedNetworks, writableFields }: SeenKey['key']) {
  const words = formatScopes(scopes)
  return html`${words.charAt(0).toUpperCase()}${words.slice(1)}${
    allowedNetworks !== null && html`<span class="hint"> · ${formatCount(allowedNetworks.length, 'network')}</span>`
  }${writableFields !== null && html`<span class="hint"> · ${formatCount(writableFields.length, 'field')}</span>`}`
}

/** Renders the networks from which a key may be used. */
export function renderNetworks({ allowedNetworks }: SeenKey['key']) {
  return allowedNetworks === null
    ? html`any address`
    : html`${allowedNetworks.map((network) => html`<code class="below">${network}</code><br />`)}`
}

/** Renders how much of its quota a key has used in the current period, and when the quota resets. */
export function renderQuota(seen: SeenKey, timeZone: string) {
  const { calls, limit } = computeQuotaUsed(seen)
  const reset = html`<span class="hint"> · resets ${renderReset(seen, timeZone)}</span>`
  return html`${formatNumber(calls)} / ${formatNumber(limit)}${reset}`
}

/** Renders when the quota of a key resets: the day, unless that is too coarse. */
export function renderReset(seen: SeenKey, timeZone: string) {
  const { resetsAt } = computeQuotaUsed(seen)
  const isShort = seen.key.refreshPeriod === 'hourly' || seen.key.refreshPeriod === 'daily'
  return isShort ? renderTime(resetsAt, timeZone) : renderDay(resetsAt, timeZone)
}

/** Renders how many people a key may deactivate and change in a day, and what it did today. */
export function renderLimits({ key, now }: SeenKey, timeZone: string) {
  const { people } = key.usage
  const done = people?.day === now.slice(0, 10) ? people.done : null
  const allowed = key.excess !== null && key.excess.until > now ? key.excess : null
  const [deactivated, changed] = [done?.max_deactivations ?? 0, done?.max_changes ?? 0].map(formatNumber)
  const today = done && html`<span class="hint"> · today (UTC) ${deactivated} deactivated, ${changed} changed</span>`
  const more = allowed
    ? html`<div>Allowed until ${renderTime(allowed.until, timeZone)}: ${formatExcess(allowed)}</div>`
    : ''
  return html`${formatLimits(key.limits)}${today}${more}`
}

/** Renders when a key was last used. */
export function renderLastUsed({ usage }: SeenKey['key'], timeZone: string) {
  return usage.lastUsedMs === null ? html`never` : renderTime(new Date(usage.lastUsedMs).toISOString(), timeZone)
}

/**
 * Computes how much of its quota a key has used in the current period, by the database's time, and when the quota
 * resets (RFC 3339 UTC).
 */
export function computeQuotaUsed({ key, now }: SeenKey) {
  const nowMs = Date.parse(now)
  const { quotaLimit: limit, refreshPeriod } = key
  const calls = requestsInWindow(key.usage, refreshPeriod, nowMs)
  // Rounded down; a quota of 0 counts as used up.
  const percent = limit === 0 ? 100 : Math.floor((100 * calls) / limit)
  return { calls, limit, percent, resetsAt: new Date(windowEnd(refreshPeriod, nowMs)).toISOString() }
}

/** Renders a bar that is full when the quota is used up. Put the numbers next to it. */
export function renderQuotaBar({ percent }: { percent: number }) {
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
