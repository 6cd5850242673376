import { findLogEntry } from '../../../../projections/bulk-user-logs/queries.ts'
import { MAX_CORRECTIONS } from '../../../../projections/bulk-user-logs/uploads.ts'
import { isId } from '../../../domain/ids.ts'
import type { LedgerDb } from '../../../ledger/tables.ts'

/** Filters ids of calls to failed entries of the company, which a file can correct; only the first ones are looked at. */
export async function findCorrected(db: LedgerDb, companyId: string, logIds: readonly string[]): Promise<string[]> {
  const corrected: string[] = []
  for (const id of logIds.filter((text) => isId('log', text)).slice(0, MAX_CORRECTIONS)) {
    const logEntry = await findLogEntry(db, companyId, id)
    if (logEntry?.entry.status === 'Failed') corrected.push(id)
  }
  return corrected
}
