import { hasExpired, isSameHash, type ApiKey } from './api-key.ts'

/**
 * Why a secret that is or was a key's did not let a call in: the key was revoked, it has expired, or it has another
 * secret now.
 */
export type TurnedAwayReason = 'former_secret' | 'expired' | 'revoked'

/** A key, and when each of its former secrets was replaced (RFC 3339 UTC), by their SHA-256 (hexadecimal). */
type KnownKey = Pick<ApiKey, 'secretHash' | 'previous' | 'isRevoked' | 'expiresAtMs'> & {
  formerSecrets: Readonly<Record<string, string>>
}

/** Says why a secret, which is not valid, did not let a call in; null if it never was the key's, as far as is known. */
export function whyTurnedAway(key: KnownKey, presentedHash: string, nowMs: number): TurnedAwayReason | null {
  const isCurrent = isSameHash(key.secretHash, presentedHash)
  const former = [...Object.keys(key.formerSecrets), ...(key.previous ? [key.previous.secretHash] : [])]
  if (!isCurrent && !former.some((hash) => isSameHash(hash, presentedHash))) return null
  if (key.isRevoked) return 'revoked'
  const { previous } = key
  const isPrevious = previous !== null && isSameHash(previous.secretHash, presentedHash)
  const worksUntilExpiry = isCurrent || (isPrevious && nowMs < previous.expiresAtMs)
  return worksUntilExpiry && hasExpired(key.expiresAtMs, nowMs) ? 'expired' : 'former_secret'
}
