import type { FoundKey } from '../../accounts/api-keys/key-access.ts'

const MAX_AGE_MS = 10_000
const MAX_ENTRIES = 10_000

/** Credentials that were valid moments ago, in this process. */
interface CredentialCache {
  /** The key as of the last check of this secret, with `nowMs` advanced to the present; null if not cached. */
  find(apiId: string, secretHash: string): FoundKey | null
  add(key: FoundKey, secretHash: string): void
}

/**
 * Caches valid credentials for a few seconds, to save a round trip for calls that check their key again when they run,
 * as every writing call does in its append transaction. The cache never has the last word, so disabling or revoking a
 * key takes effect at once. `now` returns milliseconds.
 */
export function createCredentialCache(now: () => number = () => performance.now()): CredentialCache {
  const entries = new Map<string, { key: FoundKey; at: number }>()
  return {
    find(apiId, secretHash) {
      const key = cacheKey(apiId, secretHash)
      const entry = entries.get(key)
      if (!entry) return null
      const age = now() - entry.at
      if (age < MAX_AGE_MS) return { ...entry.key, nowMs: entry.key.nowMs + Math.round(age) }
      entries.delete(key)
      return null
    },
    add(foundKey, secretHash) {
      const key = cacheKey(foundKey.key.id, secretHash)
      // Re-insert, so that the first entry is the oldest.
      entries.delete(key)
      entries.set(key, { key: foundKey, at: now() })
      if (entries.size > MAX_ENTRIES) entries.delete(entries.keys().next().value!)
    },
  }
}

/** Keyed by the hash of the secret, so that lookup times reveal nothing about secrets. */
function cacheKey(apiId: string, secretHash: string): string {
  return `${apiId} ${secretHash}`
}
