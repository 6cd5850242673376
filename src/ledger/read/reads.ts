import type { Pool } from 'pg'
import { openUntil } from '../../postgres/kysely.ts'
import type { LedgerDb, LedgerTables } from '../tables.ts'

/** Where the admin and audit endpoints and the pages read from. */
export interface Reads {
  /**
   * A database for the reads of one request. When `left` aborts, the statement that runs ends within a second, and later
   * ones are refused.
   */
  of(companyId: string, left?: AbortSignal): Promise<LedgerDb>
}

export function createReads({ db, pool }: { db: LedgerDb; pool: Pool }): Reads {
  return { of: async (_, left) => (left ? openUntil<LedgerTables>(pool, left) : db) }
}
