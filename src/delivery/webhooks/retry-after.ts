const SECOND = 1_000
const MAX_MS = 24 * 3_600 * SECOND

/**
 * How long a receiver asks to wait (`Retry-After`, RFC 9110, section 10.2.3), in milliseconds: at most a day, and 0 if it
 * asks for nothing that can be read.
 */
export function parseRetryAfter(value: string | null, nowMs: number): number {
  if (value === null) return 0
  const requestedMs = /^\d+$/.test(value) ? Number(value) * SECOND : Date.parse(value) - nowMs
  return Number.isFinite(requestedMs) ? Math.min(Math.max(requestedMs, 0), MAX_MS) : 0
}
