import type { KeyExcess, KeyLimits } from './people-use.ts'
import { timingSafeEqual } from 'node:crypto'
import type { RefreshPeriod } from './quota.ts'

/** What calls with an API key may do: read employees, or create and update them. */
export const KEY_SCOPES = ['employees:read', 'employees:write'] as const
export type KeyScope = (typeof KEY_SCOPES)[number]

/** An API key as stored beside the ledger. Hashes are SHA-256 of a secret, in hexadecimal. */
export interface ApiKey {
  id: string
  name: string
  secretHash: string
  /** The secret before the last rotation, and when it ends, milliseconds since the epoch. */
  previous: { secretHash: string; expiresAtMs: number } | null
  isEnabled: boolean
  isRevoked: boolean
  /** When the key ends, milliseconds since the epoch; null if it does not. */
  expiresAtMs: number | null
  scopes: readonly KeyScope[]
  /** The networks from which the key may be used, as `readNetwork` returns them; null for any address. */
  allowedNetworks: readonly string[] | null
  quotaLimit: number
  refreshPeriod: RefreshPeriod
  /** How many people it may deactivate and change in a day, and what it may do beyond that; null for nothing more. */
  limits: KeyLimits
  excess: KeyExcess | null
}

/** No known secret has an all-zero SHA-256. */
export const NO_HASH = '0'.repeat(64)

/**
 * Decides whether a caller's secret is one of a key that is neither revoked nor expired; the key may be disabled.
 * `presentedHash` is the SHA-256 of the secret in hexadecimal; `nowMs` is the database's time. Always compares two
 * hashes in constant time, even if the key or a secret does not exist, so that timing reveals nothing.
 */
export function isSecretValid(key: ApiKey | undefined, presentedHash: string, nowMs: number): key is ApiKey {
  const isCurrent = isSameHash(key?.secretHash ?? NO_HASH, presentedHash)
  const isPrevious = isSameHash(key?.previous?.secretHash ?? NO_HASH, presentedHash)
  const isKnown = isCurrent || (isPrevious && nowMs < (key?.previous?.expiresAtMs ?? 0))
  return key !== undefined && isKnown && !key.isRevoked && !hasExpired(key.expiresAtMs, nowMs)
}

/** Whether a key has expired. Milliseconds since the epoch; null is never. */
export function hasExpired(expiresAtMs: number | null, nowMs: number): boolean {
  return expiresAtMs !== null && nowMs >= expiresAtMs
}

export function isSameHash(stored: string, presented: string): boolean {
  return timingSafeEqual(Buffer.from(stored, 'hex'), Buffer.from(presented, 'hex'))
}
