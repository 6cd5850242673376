/** How a delivery that fails is tried again, in milliseconds. */
interface Backoff {
  firstMs: number
  maxMs: number
}

const SECOND = 1_000

export const WEBHOOK_BACKOFF: Backoff = { firstMs: 5 * SECOND, maxMs: 8 * 3_600 * SECOND }
export const MAIL_BACKOFF: Backoff = { firstMs: 10 * SECOND, maxMs: 3_600 * SECOND }

const FACTOR = 3
/** A delay varies by up to a fifth, so that deliveries that failed together are not tried together. */
const JITTER = 0.2

/**
 * Milliseconds until the next attempt after this many consecutive failures: the first delay, then three times as long each
 * time, up to the longest. `chance` is from 0 to 1.
 */
export function chooseDelay({ firstMs, maxMs }: Backoff, failures: number, chance: number) {
  return Math.round(Math.min(firstMs * FACTOR ** (failures - 1), maxMs) * (1 + JITTER * (2 * chance - 1)))
}
