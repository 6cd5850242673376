const SECOND = 1_000
const FIRST_MS = 5 * SECOND
const FACTOR = 3
const LONGEST_MS = 8 * 3_600 * SECOND
const LONGEST_RETRY_AFTER_MS = 24 * 3_600 * SECOND
/** A delay is varied by up to a fifth, so that receivers that failed together are not asked together. */
const JITTER = 0.2

/** How long a receiver may refuse the same message before its webhook is disabled. */
export const PATIENCE_MS = 3 * 24 * 3_600 * SECOND

/**
 * Milliseconds until the next attempt after this many consecutive failures: 5 seconds, then three times as long each
 * time, up to 8 hours; or longer, if the receiver asks for that (`Retry-After`, RFC 9110, section 10.2.3), up to a day.
 * `chance` is from 0 to 1.
 */
export function chooseDelay(failures: number, retryAfter: string | null, chance: number, nowMs: number): number {
  const delay = Math.min(FIRST_MS * FACTOR ** (failures - 1), LONGEST_MS) * (1 + JITTER * (2 * chance - 1))
  return Math.round(Math.max(delay, parseRetryAfter(retryAfter, nowMs)))
}

function parseRetryAfter(value: string | null, nowMs: number): number {
  if (value === null) return 0
  const requestedMs = /^\d+$/.test(value) ? Number(value) * SECOND : Date.parse(value) - nowMs
  return Number.isFinite(requestedMs) ? Math.min(Math.max(requestedMs, 0), LONGEST_RETRY_AFTER_MS) : 0
}
