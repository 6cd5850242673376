import { sql } from 'kysely'
import { fromUuid, toUuid } from '#domain/ids'
import { MAX_CORRECTIONS } from '#domain/uploads'
import type { LedgerDb } from '../tables.ts'
import type { FoundCall } from './find-calls.ts'

/** How far a call is corrected. */
export interface Correction {
  /** How many of the records that it did not apply are known to be applied since. Each counts once. */
  applied: number
  /** How many records it did not apply. */
  total: number
  /** The newest calls that applied records of it, newest first. */
  by: string[]
}

/** The corrections of a call that are looked at, the oldest ones, so that what was known once stays known. */
const MAX_READ = 1_000

/** Reads how far a call is corrected; null if no call has corrected it. */
export async function readCorrection(
  db: LedgerDb,
  companyId: string,
  { id, total, unapplied }: Pick<FoundCall, 'id' | 'total' | 'unapplied'>,
): Promise<Correction | null> {
  const isOfCall = sql`company_id = ${toUuid(companyId)} and corrected_id = ${toUuid(id)}`
  const { rows } = await sql<{ call_id: string }>`select call_id from corrections where ${isOfCall}
    order by position desc limit ${MAX_CORRECTIONS}`.execute(db)
  if (rows.length === 0) return null
  const { rows: counted } = await sql<{ applied: number }>`
    select count(distinct applied.index)::integer as applied
    from (select records from corrections where ${isOfCall} order by position limit ${MAX_READ}) as c,
      unnest(c.records) as applied(index)
    where applied.index < ${total} and (${unapplied === total} or exists (
      select from events e where e.company_id = ${toUuid(companyId)} and e.stream_id = ${toUuid(id)}
        and e.type = 'EmployeeRecordRejected' and e.record_index = applied.index))`.execute(db)
  return { applied: counted[0]!.applied, total: unapplied, by: rows.map(({ call_id: uuid }) => fromUuid('log', uuid)) }
}

/** Whether every record of a call is applied. Of a call whose records could not be counted, nobody knows. */
export function isCorrected({ applied, total }: Pick<Correction, 'applied' | 'total'>): boolean {
  return total > 0 && applied === total
}
