import type { ApiKey } from '../accounts/api-key.ts'
import type { KeyUsage } from '../accounts/quota.ts'
import { requestsInWindow, windowEnd, windowStart } from '../accounts/quota.ts'

/** The headers that tell how much of a key's quota remains. */
export const RATE_LIMIT_HEADERS = ['ratelimit-policy', 'ratelimit'] as const

/**
 * The remaining quota of a key, as header fields (draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4).
 * `nowMs` is the database's time, milliseconds since the epoch.
 */
export function rateLimitHeaders(
  key: ApiKey,
  usage: KeyUsage,
  nowMs: number,
): Record<(typeof RATE_LIMIT_HEADERS)[number], string> {
  const { quotaLimit, refreshPeriod: period } = key
  const windowSeconds = (windowEnd(period, nowMs) - windowStart(period, nowMs)) / 1000
  const remaining = Math.max(0, quotaLimit - requestsInWindow(usage, period, nowMs))
  return {
    'ratelimit-policy': `"quota";q=${quotaLimit};w=${windowSeconds}`,
    ratelimit: `"quota";r=${remaining};t=${secondsToReset(key, nowMs)}`,
  }
}

/** Seconds until the quota resets, rounded up. */
export function secondsToReset({ refreshPeriod }: ApiKey, nowMs: number): number {
  return Math.ceil((windowEnd(refreshPeriod, nowMs) - nowMs) / 1000)
}
