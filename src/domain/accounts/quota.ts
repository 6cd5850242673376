import type { PeopleUse } from './people-use.ts'

/** The calendar window after which a key's quota resets (UTC, weeks from Monday). */
export const REFRESH_PERIODS = ['hourly', 'daily', 'weekly', 'monthly'] as const
export type RefreshPeriod = (typeof REFRESH_PERIODS)[number]

export const DEFAULT_QUOTA_LIMIT = 10_000

export const DEFAULT_REFRESH_PERIOD: RefreshPeriod = 'monthly'

/** Returns the start of the quota window that contains a time. Milliseconds since the epoch, in and out. */
export function windowStart(period: RefreshPeriod, atMs: number): number {
  return startOfWindow(period, atMs, 0)
}

/** Returns the end of the quota window that contains a time, which is the start of the next. */
export function windowEnd(period: RefreshPeriod, atMs: number): number {
  return startOfWindow(period, atMs, 1)
}

/** The start of the window so many windows after the one that contains a time. */
function startOfWindow(period: RefreshPeriod, atMs: number, later: number): number {
  const at = new Date(atMs)
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()]
  switch (period) {
    case 'hourly':
      return Date.UTC(year, month, day, at.getUTCHours() + later)
    case 'daily':
      return Date.UTC(year, month, day + later)
    case 'weekly':
      // getUTCDay counts from Sunday; a week begins on Monday.
      return Date.UTC(year, month, day - ((at.getUTCDay() + 6) % 7) + 7 * later)
    case 'monthly':
      return Date.UTC(year, month + later)
  }
}

/** The use of a key, in the window of its last charge. Milliseconds since the epoch. */
export interface KeyUsage {
  windowStartMs: number
  requestsMade: number
  lastUsedMs: number | null
  /** What it did to people; null if nothing yet. */
  people: PeopleUse | null
}

/** Adds an authenticated call that costs `cost` requests. */
export function useKey(usage: KeyUsage, period: RefreshPeriod, atMs: number, cost: number): KeyUsage {
  return {
    ...usage,
    windowStartMs: Math.max(usage.windowStartMs, windowStart(period, atMs)),
    requestsMade: requestsInWindow(usage, period, atMs) + cost,
    lastUsedMs: Math.max(usage.lastUsedMs ?? atMs, atMs),
  }
}

/** Returns one request to the window in which it was charged, if that window is still current. */
export function giveBack(usage: KeyUsage, windowStartMs: number): KeyUsage {
  return usage.windowStartMs === windowStartMs ? { ...usage, requestsMade: Math.max(0, usage.requestsMade - 1) } : usage
}

/**
 * Returns the requests made in the window of a time: 0 if the last charge was in an earlier window. A charge in a later
 * window counts, so that a clock that goes back does not reset the quota.
 */
export function requestsInWindow(usage: KeyUsage, period: RefreshPeriod, atMs: number): number {
  return usage.windowStartMs >= windowStart(period, atMs) ? usage.requestsMade : 0
}

/** How many requests a key may make, and how often. */
interface Quota {
  quotaLimit: number
  refreshPeriod: RefreshPeriod
}

/** The headers that tell how much of a key's quota remains. */
export const RATE_LIMIT_HEADERS = ['ratelimit-policy', 'ratelimit'] as const

/**
 * The remaining quota of a key, as header fields (draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4).
 * `nowMs` is the database's time, milliseconds since the epoch.
 */
export function rateLimitHeaders(
  quota: Quota,
  usage: KeyUsage,
  nowMs: number,
): Record<(typeof RATE_LIMIT_HEADERS)[number], string> {
  const { quotaLimit, refreshPeriod: period } = quota
  const windowSeconds = (windowEnd(period, nowMs) - windowStart(period, nowMs)) / 1000
  const remaining = Math.max(0, quotaLimit - requestsInWindow(usage, period, nowMs))
  return {
    'ratelimit-policy': `"quota";q=${quotaLimit};w=${windowSeconds}`,
    ratelimit: `"quota";r=${remaining};t=${secondsToReset(quota, nowMs)}`,
  }
}

/** Seconds until the quota resets, rounded up. */
export function secondsToReset({ refreshPeriod }: Pick<Quota, 'refreshPeriod'>, nowMs: number): number {
  return Math.ceil((windowEnd(refreshPeriod, nowMs) - nowMs) / 1000)
}
