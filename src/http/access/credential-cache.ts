import type { FoundKey } from '../../accounts/api-keys/key-access.ts'

const KEPT_MS = 10_000
const MOST = 10_000

/** A cache of credentials that were valid a moment ago, in this process. */
export interface RecentProofs {
  /** Returns the key from the last successful check of this secret, with the time advanced; null if not recent. */
  find(apiId: string, secretHash: string): FoundKey | null
  note(found: FoundKey, secretHash: string): void
}

/**
 * Opens the credential cache. It saves a round trip for calls that check their key again in their own transaction, as
 * writing calls do. It never decides alone, so disabling or revoking a key takes effect at once. `now` returns
 * milliseconds.
 */
export function openRecentProofs(now: () => number = () => performance.now()): RecentProofs {
  const proofs = new Map<string, { found: FoundKey; at: number }>()
  return {
    find(apiId, secretHash) {
      const name = nameOf(apiId, secretHash)
      const proof = proofs.get(name)
      if (!proof) return null
      const age = now() - proof.at
      if (age < KEPT_MS) return { ...proof.found, nowMs: proof.found.nowMs + Math.round(age) }
      proofs.delete(name)
      return null
    },
    note(found, secretHash) {
      const name = nameOf(found.key.id, secretHash)
      // Reinsert at the end, so that the first entry is the oldest.
      proofs.delete(name)
      proofs.set(name, { found, at: now() })
      if (proofs.size > MOST) proofs.delete(proofs.keys().next().value!)
    },
  }
}

/** Builds the cache key from the hash of the secret, so that lookup time reveals nothing about the secret. */
function nameOf(apiId: string, secretHash: string): string {
  return `${apiId} ${secretHash}`
}
