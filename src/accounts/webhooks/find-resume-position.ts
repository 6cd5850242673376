import { findLastPositionBefore, findHead } from '#ledger/read/read-head'
import type { LedgerDb } from '#ledger/tables'

/**
 * Finds the position after which deliveries go on, so that the first is of the first event recorded at or after a time
 * (RFC 3339 UTC with milliseconds).
 */
export async function findResumePosition(db: LedgerDb, companyId: string, since: string): Promise<number> {
  const head = await findHead(db, companyId)
  return head === null ? 0 : findLastPositionBefore(db, companyId, head.position, since, { inclusive: false })
}
