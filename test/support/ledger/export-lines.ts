import { exportPages, formatProofLine } from '../../../src/ledger/read/export-pages.ts'
import { readHead } from '../../../src/ledger/read/read-head.ts'
import type { LedgerDb } from '../../../src/ledger/tables.ts'

/** The lines of the export of a whole ledger. */
export async function exportLines(db: LedgerDb, companyId: string): Promise<string[]> {
  const { position } = await readHead(db, companyId)
  const lines: string[] = []
  for await (const page of exportPages(db, companyId, { after: 0, upTo: position }))
    lines.push(...page.map(formatProofLine))
  return lines
}
