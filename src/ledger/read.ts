import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Employee } from '../domain/employee.ts'
import type { RecordedEvent } from '../domain/events.ts'
import { fromUuid, toUuid } from '../domain/ids.ts'
import { bigintArray, uuidArray } from './binary-arrays.ts'
import { readEvent } from './codec.ts'
import type { LedgerTables } from './tables.ts'

/** Positions after one, in order, at most `limit`, none after `upTo`. */
export interface PositionRange {
  after: number
  upTo?: number
  limit: number
}

/** Reads a company's events in a range. */
export async function readEvents(db: Kysely<LedgerTables>, companyId: string, range: PositionRange): Promise<RecordedEvent[]> {
  let query = db
    .selectFrom('events')
    .select(['envelope', 'data'])
    .where('company_id', '=', toUuid(companyId))
    .where('position', '>', range.after)
  if (range.upTo !== undefined) query = query.where('position', '<=', range.upTo)
  return (await query.orderBy('position').limit(range.limit).execute()).map(readEvent)
}

/** Reads what stands behind a position in each of several companies, in order, at most `limit` of each, as it is stored. */
export async function readStoredBehind(
  db: Kysely<LedgerTables>,
  behind: { companyId: string; after: number }[],
  limit: number,
): Promise<Map<string, { envelope: string; data: string | null }[]>> {
  const { rows } = await sql<{ company_id: string; envelope: string; data: string | null }>`
    select w.company_id, e.envelope, e.data
    from unnest(
      ${uuidArray(behind.map(({ companyId }) => companyId))}::uuid[],
      ${bigintArray(behind.map(({ after }) => after))}::bigint[]) as w(company_id, after)
    cross join lateral (
      select position, envelope, data from events
      where company_id = w.company_id and position > w.after order by position limit ${limit}) e
    order by w.company_id, e.position`.execute(db)
  return Map.groupBy(rows, (row) => fromUuid('com', row.company_id))
}

/** Reads the events of a company at these positions, in order. */
export async function readEventsAt(
  db: Kysely<LedgerTables>,
  companyId: string,
  positions: number[],
): Promise<RecordedEvent[]> {
  const rows = await db
    .selectFrom('events')
    .select(['envelope', 'data'])
    .where('company_id', '=', toUuid(companyId))
    .where('position', '=', sql<number>`any(${positions}::bigint[])`)
    .orderBy('position')
    .execute()
  return rows.map(readEvent)
}

/** An employee as the last commit left it; null when the company has none such. */
export async function readEmployee(db: Kysely<LedgerTables>, companyId: string, id: string): Promise<Employee | null> {
  const row = await db
    .selectFrom('employee_snapshots')
    .select('state')
    .where('company_id', '=', toUuid(companyId))
    .where('employee_id', '=', toUuid(id))
    .executeTakeFirst()
  return row?.state ?? null
}
