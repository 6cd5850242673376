/** The calendar window after which a key's quota resets (UTC, weeks from Monday). */
export type RefreshPeriod = 'hourly' | 'daily' | 'weekly' | 'monthly'

export const REFRESH_PERIODS: readonly RefreshPeriod[] = ['hourly', 'daily', 'weekly', 'monthly']

export const DEFAULT_QUOTA_LIMIT = 10_000

export const DEFAULT_REFRESH_PERIOD: RefreshPeriod = 'monthly'

/** Returns the start of the quota window that contains a time. Milliseconds since the epoch, in and out. */
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

/** Returns the end of the quota window that contains a time, which is the start of the next. */
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

/** The use of a key, in the window of its last charge. Milliseconds since the epoch. */
export interface KeyUsage {
  windowStartMs: number
  requestsMade: number
  lastUsedMs: number | null
}

/** Adds an authenticated call that costs `cost` requests. */
export function useKey(usage: KeyUsage, period: RefreshPeriod, atMs: number, cost: number): KeyUsage {
  return {
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
