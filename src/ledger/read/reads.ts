import type { LedgerDb } from '../tables.ts'

/** Where the admin and audit endpoints read from: a replica when there is one that is current enough, else the primary. */
export interface Reads {
  /**
   * A database for the reads of one request, which has all that the primary had of this company when it was asked for.
   * Nothing is written to it. It is asked for again for each look of something that goes on, such as a live stream.
   */
  of(companyId: string): Promise<LedgerDb>
}

/** Reads from the primary, always. */
export function primaryReads(db: LedgerDb): Reads {
  return { of: async () => db }
}
