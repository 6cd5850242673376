import type { FoundKey } from '../../accounts/api-keys/key-access.ts'

const MAX_AGE_MS = 10_000
const MAX_ENTRIES = 10_000

/** Keys whose secret was shown to be good a moment ago, in this process. */
export interface CredentialCache {
  /** The key as it was when this secret was last shown to be good, brought to the present time; null: not lately. */
  find(apiId: string, secretHash: string): FoundKey | null
  add(found: FoundKey, secretHash: string): void
}

/**
 * Remembers for some seconds which secrets were good. That lets a request in whose call checks its key again when it is
 * carried out, as every writing call does in the transaction of its append: to ask twice is a round trip more. It never
 * is the last word on a key, so one that is disabled or revoked is so at once. `now` tells milliseconds.
 */
export function openCredentialCache(now: () => number = () => performance.now()): CredentialCache {
  const entries = new Map<string, { found: FoundKey; at: number }>()
  return {
    find(apiId, secretHash) {
      const key = cacheKey(apiId, secretHash)
      const entry = entries.get(key)
      if (!entry) return null
      const age = now() - entry.at
      if (age < MAX_AGE_MS) return { ...entry.found, nowMs: entry.found.nowMs + Math.round(age) }
      entries.delete(key)
      return null
    },
    add(found, secretHash) {
      const key = cacheKey(found.key.id, secretHash)
      // Behind the others, so that the first one is the oldest.
      entries.delete(key)
      entries.set(key, { found, at: now() })
      if (entries.size > MAX_ENTRIES) entries.delete(entries.keys().next().value!)
    },
  }
}

/** Of the hash, not of the secret: how long a look-up takes tells nothing of what would have to be guessed. */
function cacheKey(apiId: string, secretHash: string): string {
  return `${apiId} ${secretHash}`
}
