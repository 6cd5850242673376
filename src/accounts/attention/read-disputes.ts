import type { AttentionFacts } from '../../domain/attention.ts'
import { toUuid } from '../../domain/ids.ts'
import type { LedgerDb } from '../../ledger/tables.ts'

/** Reads which witnesses dispute the ledger of a company. */
export async function readDisputes(db: LedgerDb, companyId: string): Promise<AttentionFacts['disputes']> {
  return (
    db
      .selectFrom('witness_progress')
      .select(['witness as id', 'failing_since as since', 'fault', 'error'])
      .where('company_id', '=', toUuid(companyId))
      .where('fault', '<>', 'unavailable')
      .orderBy('witness')
      // A fault is recorded with its time and its error.
      .$narrowType<AttentionFacts['disputes'][number]>()
      .execute()
  )
}
