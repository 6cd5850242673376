import { timingSafeEqual } from 'node:crypto'
import type { ApiKey, KeyStanding } from '../../domain/company.ts'
import { decideKeyStanding } from '../../domain/company.ts'

/** No known secret has an all-zero SHA-256. */
const NO_HASH = '0'.repeat(64)

/**
 * Decides whether a caller may use a key. `presentedHash` is the SHA-256 of the caller's secret in hexadecimal; `nowMs` is
 * the database's time. Always compares two hashes in constant time, even if the key or a secret does not exist, so that
 * timing reveals nothing.
 */
export function checkKeyStanding(key: ApiKey | undefined, presentedHash: string, nowMs: number): KeyStanding {
  const current = isSameHash(key?.secretHash ?? NO_HASH, presentedHash)
  const previous = isSameHash(key?.previous?.secretHash ?? NO_HASH, presentedHash)
  return key ? decideKeyStanding(key, { current, previous }, nowMs) : 'refused'
}

function isSameHash(stored: string, presented: string): boolean {
  return timingSafeEqual(Buffer.from(stored, 'hex'), Buffer.from(presented, 'hex'))
}
