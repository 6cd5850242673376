/** What a company's user may do. Bulk User Logs and keys: admin alone. Event stream: admin and auditor. */
export type Role = 'admin' | 'auditor' | 'member'
export const ROLES: readonly Role[] = ['admin', 'auditor', 'member']

/** What a user's token may be narrowed to: the audit endpoint, and nothing else. */
export type TokenScope = 'audit'
export const TOKEN_SCOPES: readonly TokenScope[] = ['audit']

/** The calendar window (UTC, weeks from Monday) after which a key's quota begins anew. */
export type RefreshPeriod = 'hourly' | 'daily' | 'weekly' | 'monthly'
export const REFRESH_PERIODS: readonly RefreshPeriod[] = ['hourly', 'daily', 'weekly', 'monthly']

export const DEFAULT_QUOTA_LIMIT = 10_000
export const DEFAULT_REFRESH_PERIOD: RefreshPeriod = 'monthly'

/** What stands of an API key beside the ledger. Hashes are SHA-256 of a secret, in hexadecimal. */
export interface ApiKey {
  id: string
  name: string
  secretHash: string
  /** The secret before the last rotation, and when it ends, milliseconds since the epoch. */
  previous: { secretHash: string; expiresAtMs: number } | null
  isEnabled: boolean
  isRevoked: boolean
  quotaLimit: number
  refreshPeriod: RefreshPeriod
}

export type KeyStanding = 'good' | 'disabled' | 'refused'

/** Which of a key's secrets a caller has presented. The caller of `keyStanding` compares hashes in constant time. */
export interface SecretMatch {
  current: boolean
  previous: boolean
}

/** How a key stands for a caller at an instant, milliseconds since the epoch by the database's clock. */
export function keyStanding(key: ApiKey, presented: SecretMatch, nowMs: number): KeyStanding {
  const isPreviousAlive = key.previous !== null && nowMs < key.previous.expiresAtMs
  const isKnown = presented.current || (presented.previous && isPreviousAlive)
  if (!isKnown || key.isRevoked) return 'refused'
  return key.isEnabled ? 'good' : 'disabled'
}

/** The start of the quota window that an instant lies in. Milliseconds since the epoch, in and out. */
export function windowStart(period: RefreshPeriod, atMs: number): number {
  const at = new Date(atMs)
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()]
  switch (period) {
    case 'hourly':
      return Date.UTC(year, month, day, at.getUTCHours())
    case 'daily':
      return Date.UTC(year, month, day)
    case 'weekly':
      // getUTCDay counts from Sunday; a week begins on Monday.
      return Date.UTC(year, month, day - ((at.getUTCDay() + 6) % 7))
    case 'monthly':
      return Date.UTC(year, month)
  }
}

/** The end of the quota window that an instant lies in, which is the start of the next. */
export function windowEnd(period: RefreshPeriod, atMs: number): number {
  const start = new Date(windowStart(period, atMs))
  switch (period) {
    case 'hourly':
      return start.getTime() + HOUR_MS
    case 'daily':
      return start.getTime() + DAY_MS
    case 'weekly':
      return start.getTime() + 7 * DAY_MS
    case 'monthly':
      return Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1)
  }
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** How often a key was used, in the window that its last charge fell into. Milliseconds since the epoch. */
export interface KeyUsage {
  windowStartMs: number
  requestsMade: number
  lastUsedMs: number | null
}

/** The usage after `cost` more requests and one more authenticated call at this instant. */
export function useKey(usage: KeyUsage, period: RefreshPeriod, atMs: number, cost: number): KeyUsage {
  return {
    windowStartMs: Math.max(usage.windowStartMs, windowStart(period, atMs)),
    requestsMade: requestsInWindow(usage, period, atMs) + cost,
    lastUsedMs: Math.max(usage.lastUsedMs ?? atMs, atMs),
  }
}

/** The usage without a request that was charged in the window that began at an instant, if that window still runs. */
export function giveBack(usage: KeyUsage, windowStartMs: number): KeyUsage {
  return usage.windowStartMs === windowStartMs ? { ...usage, requestsMade: Math.max(0, usage.requestsMade - 1) } : usage
}

/**
 * Requests counted in the window of this instant: none when the last charge fell into an earlier one. One that fell into
 * a later one counts: a clock that goes back must not give the quota anew.
 */
export function requestsInWindow(usage: KeyUsage, period: RefreshPeriod, atMs: number): number {
  return usage.windowStartMs >= windowStart(period, atMs) ? usage.requestsMade : 0
}
