import { setTimeout as pause } from 'node:timers/promises'
import type { Pool } from 'pg'
import { readAllProgress } from '../ledger/read/read-progress.ts'
import type { Reads } from '../ledger/read/reads.ts'
import type { LedgerDb } from '../ledger/tables.ts'
import { isReplicaFailure, openFallbackDatabase } from './fallback-database.ts'
import type { ReplicaWatch } from './replica-watch.ts'

/** Where a request's reads go and why, for the metrics. */
export type ReadPlace = { place: 'replica' | 'primary'; reason: 'current' | 'unusable' | 'behind' | 'failed' }

interface ReplicaReadsOptions {
  primary: { db: LedgerDb; pool: Pool }
  replica: { db: LedgerDb; pool: Pool }
  watch: Pick<ReplicaWatch, 'isUsable' | 'failed' | 'fail'>
  projections: readonly { name: string; version: number }[]
  onRead(read: ReadPlace): void
}

/** Milliseconds that a request waits for the replica to replay the primary's state: many times the usual lag. */
const WAIT_MS = 200
const LOOKS_EVERY_MS = 10
/** Milliseconds that it waits for any answer, until the watch has noticed that there is none. */
const ANSWERS_WITHIN_MS = 1_000

/**
 * Reads from the replica once it has everything that the primary has of the company: the head of its ledger, and the
 * position of each projection. So callers always see what they have written or seen before, whichever process serves
 * them. A company that changes faster than the replica follows is read from the primary.
 */
export function openReplicaReads({ primary, replica, watch, projections, onRead }: ReplicaReadsOptions): Reads {
  const onPrimary = (reason: ReadPlace['reason']) => {
    onRead({ place: 'primary', reason })
    return primary.db
  }
  const onFallback = (error: unknown) => {
    if (isReplicaFailure(error)) watch.fail(error)
    onRead({ place: 'primary', reason: 'failed' })
  }

  /** Waits until the replica has reached these positions; false if it takes too long. */
  async function hasReached(companyId: string, wanted: Map<string, number>, until: number): Promise<boolean> {
    for (;;) {
      const reached = await readAllProgress(replica.db, companyId, projections)
      if ([...wanted].every(([what, position]) => (reached.get(what) ?? 0) >= position)) return true
      if (performance.now() >= until) return false
      await pause(LOOKS_EVERY_MS)
    }
  }

  return {
    async of(companyId) {
      if (!watch.isUsable()) return onPrimary('unusable')
      const wanted = await readAllProgress(primary.db, companyId, projections)
      const over = new AbortController()
      try {
        const tooLate = pause(ANSWERS_WITHIN_MS, false, { signal: over.signal }).catch(() => false)
        if (!(await Promise.race([hasReached(companyId, wanted, performance.now() + WAIT_MS), tooLate])))
          return onPrimary('behind')
      } catch (error) {
        if (isReplicaFailure(error)) watch.fail(error)
        return onPrimary('failed')
      } finally {
        over.abort()
      }
      onRead({ place: 'replica', reason: 'current' })
      return openFallbackDatabase({ replica: replica.pool, primary: primary.pool, failed: watch.failed(), onFallback })
    },
  }
}
