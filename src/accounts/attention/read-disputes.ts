import { sql, type RawBuilder } from 'kysely'
import type { AttentionFacts } from '#domain/attention'
import { toUuid } from '#domain/ids'
import type { LedgerDb } from '#ledger/tables'

type Dispute = AttentionFacts['disputes'][number]

/** Selects which witnesses dispute the ledger of a company. A fault is recorded with its time and its error. */
export function selectDisputes(companyId: string): RawBuilder<Dispute> {
  return sql`select witness as id, failing_since as since, fault, error from witness_progress
    where company_id = ${toUuid(companyId)} and fault <> 'unavailable' order by witness`
}

/** Reads which witnesses dispute the ledger of a company. */
export async function readDisputes(db: LedgerDb, companyId: string): Promise<Dispute[]> {
  return (await selectDisputes(companyId).execute(db)).rows
}
