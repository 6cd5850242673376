import { sql } from 'kysely'
import type { AnyDb } from '../projection.ts'
import type { Operation } from '../../src/domain/events.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { bulkUserLogs } from './fold.ts'
import { schemaOf } from '../projection.ts'
import { EVERY_KEY } from './tables.ts'

const CALLS_BY_HOUR = sql.id(schemaOf(bulkUserLogs), 'calls_by_hour')

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
  // PostgreSQL sums bigint to numeric, which arrives as text.
  const sum = (name: string) => sql`sum(${sql.ref(name)})::bigint as ${sql.ref(name)}`
  const { rows } = await sql<Omit<UsageOfDay, 'records'> & UsageOfDay['records']>`
    select to_char(hour at time zone 'UTC', 'YYYY-MM-DD') as day, operation, status, ${sum('calls')},
      ${sum('total')}, ${sum('updated')}, ${sum('deactivated')}, ${sum('failed')}, ${sum('no_updates')}
    from ${CALLS_BY_HOUR}
    where company_id = ${toUuid(companyId)} and key_id = ${toUuid(range.key ?? EVERY_KEY)}
      and hour >= ${range.from}::date::timestamp at time zone 'UTC'
      and hour < (${range.to}::date + 1)::timestamp at time zone 'UTC'
    group by 1, 2, 3 order by 1, 2, 3`.execute(db)
  return rows.map(({ day, operation, status, calls, ...records }) => ({ day, operation, status, calls, records }))
}

/** The calls that were requested in an hour, by the status of their entry. */
export interface CallsOfHour {
  /** The start of the hour (RFC 3339 UTC). */
  hour: string
  status: 'Completed' | 'Failed'
  calls: number
}

/**
 * Counts the calls of the hours that start in a range of instants (RFC 3339): from the first, before the last. Reads a
 * few rows for each hour, however many calls and keys there are.
 */
export async function countCallsByHour(
  db: AnyDb,
  companyId: string,
  range: { from: string; to: string; status?: CallsOfHour['status']; operation?: Operation; key?: string },
): Promise<CallsOfHour[]> {
  const { from, to, status, operation, key = EVERY_KEY } = range
  const { rows } = await sql<CallsOfHour>`select hour, status, sum(calls)::bigint as calls from ${CALLS_BY_HOUR}
    where company_id = ${toUuid(companyId)} and key_id = ${toUuid(key)} and hour >= ${from} and hour < ${to}
      ${status === undefined ? sql`` : sql`and status = ${status}`}
      ${operation === undefined ? sql`` : sql`and operation = ${operation}`}
    group by hour, status`.execute(db)
  return rows
}

/** The current day (UTC) by the database's clock. */
export async function readCurrentDay(db: AnyDb): Promise<string> {
  const { rows } = await sql<{
    day: string
  }>`select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD') as day`.execute(db)
  return rows[0]!.day
}
