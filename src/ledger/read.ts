import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Employee } from '../domain/employee.ts'
import type { RecordedEvent } from '../domain/events.ts'
import { toUuid } from '../domain/ids.ts'
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
