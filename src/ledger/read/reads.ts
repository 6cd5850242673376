import type { Pool } from 'pg'
import { openUntil } from '../../postgres/kysely.ts'
import type { LedgerDb, LedgerTables } from '../tables.ts'

/** Where the admin and audit endpoints read from: a replica that is current enough, or else the primary. */
export interface Reads {
  /**
   * A read-only database for one request, with at least everything the primary had for this company at the time of the
   * call. Long-running requests such as live streams call it again for each read. When `left` aborts, the statement that
   * runs ends within a second, and later ones are refused.
   */
  of(companyId: string, left?: AbortSignal): Promise<LedgerDb>
}

/** Always reads from the primary. */
export function primaryReads({ db, pool }: { db: LedgerDb; pool: Pool }): Reads {
  return { of: async (_, left) => (left ? openUntil<LedgerTables>(pool, left) : db) }
}
