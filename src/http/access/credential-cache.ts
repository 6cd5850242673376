import type { FoundKey } from '../../accounts/api-keys/key-access.ts'

const KEPT_MS = 10_000
const MOST = 10_000

/** Keys whose secret was shown to be good a moment ago, in this process. */
export interface RecentProofs {
  /** The key as it was when this secret was last shown to be good, brought to the present time; null: not lately. */
  find(apiId: string, secretHash: string): FoundKey | null
  note(found: FoundKey, secretHash: string): void
}

/**
 * Remembers for some seconds which secrets were good. That lets a request in whose call checks its key again when it is
 * carried out, as every writing call does in the transaction of its append: to ask twice is a round trip more. It never
 * is the last word on a key, so one that is disabled or revoked is so at once. `now` tells milliseconds.
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
      // Behind the others, so that the first one is the oldest.
      proofs.delete(name)
      proofs.set(name, { found, at: now() })
      if (proofs.size > MOST) proofs.delete(proofs.keys().next().value!)
    },
  }
}

/** Of the hash, not of the secret: how long a look-up takes tells nothing of what would have to be guessed. */
function nameOf(apiId: string, secretHash: string): string {
  return `${apiId} ${secretHash}`
}
