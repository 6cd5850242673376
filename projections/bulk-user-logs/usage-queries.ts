import { sql } from 'kysely'
import type { AnyDb } from '../projection.ts'
import type { Operation } from '../../src/domain/events.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { bulkUserLogs } from './fold.ts'
import { schemaOf } from '../projection.ts'

/** The number of calls of a day (UTC) with an operation and a status, and the sums of their counts. */
export interface UsageOfDay {
  day: string
  operation: Operation
  status: 'Completed' | 'Failed'
  calls: number
  records: { total: number; updated: number; deactivated: number; failed: number; no_updates: number }
}

/** Reads a company's usage in a range of days, both inclusive, of one API key or of all. */
export async function readDailyUsage(
  db: AnyDb,
  companyId: string,
  range: { from: string; to: string; key?: string },
): Promise<UsageOfDay[]> {
  const ofKey = range.key === undefined ? sql`true` : sql`key_id = ${toUuid(range.key)}`
  // PostgreSQL sums bigint to numeric, which arrives as text.
  const sum = (name: string) => sql`sum(${sql.ref(name)})::bigint as ${sql.ref(name)}`
  const { rows } = await sql<Omit<UsageOfDay, 'records'> & UsageOfDay['records']>`
    select to_char(day, 'YYYY-MM-DD') as day, operation, status, ${sum('calls')},
      ${sum('total')}, ${sum('updated')}, ${sum('deactivated')}, ${sum('failed')}, ${sum('no_updates')}
    from ${sql.id(schemaOf(bulkUserLogs), 'days')} as d
    where company_id = ${toUuid(companyId)} and d.day between ${range.from}::date and ${range.to}::date and ${ofKey}
    group by d.day, operation, status
    order by d.day, operation, status`.execute(db)
  return rows.map(({ day, operation, status, calls, ...records }) => ({ day, operation, status, calls, records }))
}

/** The current day (UTC) by the database's clock. */
export async function readCurrentDay(db: AnyDb): Promise<string> {
  const { rows } = await sql<{
    day: string
  }>`select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD') as day`.execute(db)
  return rows[0]!.day
}
