import { findHead, type SeenHead } from '../../ledger/read/read-head.ts'
import type { LedgerDb } from '../../ledger/tables.ts'
import { StartupError } from '../../postgres/startup-error.ts'

/** Reads the head of a company's ledger. Throws a StartupError if there is no such company. */
export async function requireHead(db: LedgerDb, companyId: string): Promise<SeenHead> {
  const head = await findHead(db, companyId)
  if (!head) throw new StartupError(`there is no company ${companyId}`)
  return head
}
