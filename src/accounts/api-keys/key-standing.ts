import { timingSafeEqual } from 'node:crypto'
import type { ApiKey, KeyStanding } from '../../domain/company.ts'
import { keyStanding } from '../../domain/company.ts'

/** No secret is known whose SHA-256 is nought. */
const NO_HASH = '0'.repeat(64)

/**
 * How a key stands for a caller whose secret has this SHA-256, in hexadecimal, at an instant of the database's clock.
 * Both of its secrets are compared in constant time, whether it has them or not and whether there is a key or not, so
 * that the time tells nothing.
 */
export function standingOf(key: ApiKey | undefined, presentedHash: string, nowMs: number): KeyStanding {
  const current = isSame(key?.secretHash ?? NO_HASH, presentedHash)
  const previous = isSame(key?.previous?.secretHash ?? NO_HASH, presentedHash)
  return key ? keyStanding(key, { current, previous }, nowMs) : 'refused'
}

function isSame(stored: string, presented: string): boolean {
  return timingSafeEqual(Buffer.from(stored, 'hex'), Buffer.from(presented, 'hex'))
}
