import type { Pool } from 'pg'
import { openDatabase, openUntil } from '#postgres/kysely'
import type { LedgerDb, LedgerTables } from '../tables.ts'

/** Where the admin and audit endpoints and the pages read from. */
export interface Reads {
  /**
   * A database for the reads of one request. When `left` aborts, the statement that runs ends within a second, and later
   * ones are refused.
   */
  of(companyId: string, left?: AbortSignal): Promise<LedgerDb>
  /** Milliseconds that an answer waits for what it can do without. */
  optionalMs: number
}

/**
 * Runs reads that an answer can do without. Returns null if they take too long; the statement that runs then ends within
 * a second.
 */
export async function readInTime<Result>(
  reads: Reads,
  companyId: string,
  read: (db: LedgerDb) => Promise<Result>,
): Promise<Result | null> {
  const timeIsUp = AbortSignal.timeout(reads.optionalMs)
  const late = new Promise<null>((resolve) => timeIsUp.addEventListener('abort', () => resolve(null), { once: true }))
  const reading = reads
    .of(companyId, timeIsUp)
    .then(read)
    .catch((error: unknown) => {
      if (timeIsUp.aborted) return null
      throw error
    })
  return Promise.race([reading, late])
}

export function createReads(pool: Pool, optionalMs: number): Reads {
  const db = openDatabase<LedgerTables>(pool)
  return { of: async (_, left) => (left ? openUntil<LedgerTables>(pool, left) : db), optionalMs }
}
