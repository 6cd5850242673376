import { sql } from 'kysely'
import type { AnyDb } from '../projection.ts'
import type { CallCounts, Operation } from '../../src/domain/events.ts'
import { toUuid } from '../../src/domain/ids.ts'
import type { LocalDay } from '../../src/domain/local-times.ts'
import { CALLS_BY_HOUR } from './live-tables.ts'
import { EVERY_KEY } from './tables.ts'
import { texts, timestamps, unnestedRows } from '../unnested-rows.ts'

/** The number of calls of a day with an operation and a status, and the sums of their counts. */
export interface UsageOfDay {
  /** YYYY-MM-DD. */
  day: string
  operation: Operation
  status: 'Completed' | 'Failed'
  calls: number
  records: CallCounts
}

/**
 * Reads a company's usage on some days, of one API key or of all. Counts whole hours (UTC): in a time zone that differs
 * from UTC by a part of an hour, a day begins at its first full hour.
 */
export async function readDailyUsage(
  db: AnyDb,
  companyId: string,
  { days, key }: { days: readonly LocalDay[]; key?: string },
): Promise<UsageOfDay[]> {
  // PostgreSQL sums bigint to numeric, which arrives as text.
  const sum = (name: string) => sql`sum(${sql.ref(name)})::bigint as ${sql.ref(name)}`
  const instants = (end: 'from' | 'to') => timestamps(days.map((day) => new Date(day[end]).toISOString()))
  const { rows } = await sql<Omit<UsageOfDay, 'records'> & CallCounts>`
    select r.day, operation, status, ${sum('calls')},
      ${sum('total')}, ${sum('updated')}, ${sum('deactivated')}, ${sum('failed')}, ${sum('no_updates')}
    from ${unnestedRows({ day: texts(days.map(({ day }) => day)), since: instants('from'), until: instants('to') })}
      join ${CALLS_BY_HOUR} h on h.company_id = ${toUuid(companyId)} and h.key_id = ${toUuid(key ?? EVERY_KEY)}
        and h.hour >= r.since and h.hour < r.until
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
