import { sql } from 'kysely'
import { fromUuid, toUuid } from '../../domain/ids.ts'
import { MAX_CORRECTIONS } from '../../domain/uploads.ts'
import type { LedgerDb } from '../tables.ts'

/** How far a failed call is corrected. */
export interface Correction {
  /** How many of its records are known to be applied. Each counts once. */
  applied: number
  /** How many records it has. */
  total: number
  /** The newest calls that applied records of it, newest first. */
  by: string[]
}

/** The corrections of a call that are looked at, the oldest ones, so that what was known once stays known. */
const MAX_READ = 1_000

/** Reads how far a failed call is corrected; null if no call has corrected it. */
export async function readCorrection(
  db: LedgerDb,
  companyId: string,
  { id, total }: { id: string; total: number },
): Promise<Correction | null> {
  const isOfCall = sql`company_id = ${toUuid(companyId)} and corrected_id = ${toUuid(id)}`
  const { rows } = await sql<{ call_id: string }>`select call_id from corrections where ${isOfCall}
    order by position desc limit ${MAX_CORRECTIONS}`.execute(db)
  if (rows.length === 0) return null
  const { rows: counted } = await sql<{ applied: number }>`
    select count(distinct applied.index)::integer as applied
    from (select records from corrections where ${isOfCall} order by position limit ${MAX_READ}) as c,
      unnest(c.records) as applied(index)
    where applied.index < ${total}`.execute(db)
  return { applied: counted[0]!.applied, total, by: rows.map(({ call_id: uuid }) => fromUuid('log', uuid)) }
}

/** Whether every record of a call was applied. Of a call whose records could not be counted, nobody knows. */
export function isCorrected({ applied, total }: Pick<Correction, 'applied' | 'total'>): boolean {
  return total > 0 && applied === total
}
