import type { LedgerDb } from '../tables.ts'

/** Where the admin and audit endpoints read from: a replica that is current enough, or else the primary. */
export interface Reads {
  /**
   * A read-only database for one request, with at least everything the primary had for this company at the time of the
   * call. Long-running requests such as live streams call it again for each read.
   */
  of(companyId: string): Promise<LedgerDb>
}

/** Always reads from the primary. */
export function primaryReads(db: LedgerDb): Reads {
  return { of: async () => db }
}
