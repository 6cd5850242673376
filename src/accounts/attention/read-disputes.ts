import type { AttentionFacts } from '../../domain/attention.ts'
import { toUuid } from '../../domain/ids.ts'
import type { LedgerDb } from '../../ledger/tables.ts'

/** Reads which witnesses dispute the ledger of a company. */
export async function readDisputes(db: LedgerDb, companyId: string): Promise<AttentionFacts['disputes']> {
  const rows = await db
    .selectFrom('witness_progress')
    .select(['witness', 'failing_since', 'fault', 'error'])
    .where('company_id', '=', toUuid(companyId))
    .where('fault', '<>', 'unavailable')
    .orderBy('witness')
    .execute()
  return rows.flatMap(({ witness: id, failing_since: since, fault, error }) =>
    fault === null || fault === 'unavailable' ? [] : [{ id, since: since!, fault, error: error ?? '' }],
  )
}
