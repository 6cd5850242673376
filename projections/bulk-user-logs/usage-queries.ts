import { omitUndefined } from '#domain/omit-undefined'
import { sql } from 'kysely'
import { type AnyDb, text, time, unnestedRows } from '#projections/projection'
import type { CallCounts } from '#domain/events'
import type { Operation } from '#domain/operations'
import { toUuid, fromUuid } from '#domain/ids'
import type { LocalDay } from '#domain/local-times'
import { CALLS_BY_HOUR, ENTRIES } from './live-tables.ts'
import { buildColumnConditions, type EntryFilter, type ValueFilter } from './queries.ts'
import { EVERY_KEY, type BulkUserLogTables } from './tables.ts'
import { buildTimeConditions, joinConditions } from './time-conditions.ts'
import type { CallSource } from '#domain/call-sources'

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
  const ranges = days.map(({ day, from, to }) => {
    return { day, since: new Date(from).toISOString(), until: new Date(to).toISOString() }
  })
  const { rows } = await sql<Omit<UsageOfDay, 'records'> & CallCounts>`
    select r.day, operation, status, ${sum('calls')},
      ${sum('total')}, ${sum('updated')}, ${sum('deactivated')}, ${sum('failed')}, ${sum('no_updates')}
    from ${unnestedRows({ day: text, since: time, until: time }, ranges)}
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

/** Whether the sums by hour know the values of each filter. */
const IN_SUMS: Record<keyof ValueFilter, boolean> = {
  status: true,
  operation: true,
  key: true,
  source: false,
  error: false,
  http_status: false,
}

/** The calls of a chart that have no sums by hour, the newest ones. */
const MAX_COUNTED = 50_000

/**
 * Counts the calls that match, in the hours that start in a range of instants (RFC 3339): from the first, before the
 * last. Reads a few rows for each hour, however many calls and keys there are; with a filter of which there are no
 * sums, the newest 50,000 calls that match.
 */
export async function countCallsByHour(
  db: AnyDb,
  companyId: string,
  { from, to }: { from: string; to: string },
  filter: ValueFilter = {},
): Promise<CallsOfHour[]> {
  const { status, operation, key = EVERY_KEY } = filter
  const names = Object.keys(IN_SUMS) as (keyof ValueFilter)[]
  if (names.some((name) => !IN_SUMS[name] && filter[name] !== undefined))
    return countEntriesByHour(db, companyId, { ...filter, from, to })
  const { rows } = await sql<CallsOfHour>`select hour, status, sum(calls)::bigint as calls from ${CALLS_BY_HOUR}
    where company_id = ${toUuid(companyId)} and key_id = ${toUuid(key)} and hour >= ${from} and hour < ${to}
      ${status === undefined ? sql`` : sql`and status = ${status}`}
      ${operation === undefined ? sql`` : sql`and operation = ${operation}`}
    group by hour, status`.execute(db)
  return rows
}

async function countEntriesByHour(db: AnyDb, companyId: string, filter: EntryFilter) {
  const company = toUuid(companyId)
  const isWanted = joinConditions([
    ...buildTimeConditions(company, filter, sql.ref('e.position')),
    ...buildColumnConditions(filter),
  ])
  const { rows } = await sql<CallsOfHour>`
    select date_trunc('hour', requested_at, 'UTC') as hour, status, count(*)::integer as calls
    from (select e.requested_at, e.status from ${ENTRIES} e where e.company_id = ${company} and ${isWanted}
      order by e.position desc limit ${MAX_COUNTED}) newest
    group by 1, 2`.execute(db)
  return rows
}

/** The entries with the same value of each filter by value. */
export interface EntryGroup extends Record<keyof ValueFilter, string | number | null> {
  status: 'Completed' | 'Failed'
  operation: Operation
  source: CallSource
  /** The API id of the key; `NO_KEY` for calls of users. */
  key: string
  /** The error code of the calls; null if they completed. */
  error: string | null
  http_status: number
  entries: number
  /** The sums of their counts. */
  counts: CallCounts
}

export interface EntryGroups {
  groups: EntryGroup[]
  /** Whether there are older entries, or further groups, that are not counted. */
  isMore: boolean
}

/** The most entries that are grouped, the newest ones. */
const MAX_GROUPED = 50_000
/** The most groups: a company may have any number of keys. */
const MAX_GROUPS = 1_000

/** Groups a company's entries of a time, whatever else a filter selects; with `upTo`, only those up to that position. */
export async function groupLogEntries(
  db: AnyDb,
  companyId: string,
  { from, to }: Pick<EntryFilter, 'from' | 'to'>,
  upTo: number | null,
): Promise<EntryGroups> {
  const company = toUuid(companyId)
  const time = omitUndefined({ from, to })
  const position = sql.ref('e.position')
  const isWanted = joinConditions([
    ...(upTo === null ? [] : [sql`${position} <= ${upTo}`]),
    ...buildTimeConditions(company, time, position),
    ...buildColumnConditions(time),
  ])
  const sum = (name: string) => sql`sum(${sql.ref(name)})::bigint as ${sql.ref(name)}`
  const { rows } = await sql<GroupRow>`
    select status, operation, source, key_id, error_code, http_status, count(*)::integer as entries,
      ${sum('total')}, ${sum('updated')}, ${sum('deactivated')}, ${sum('failed')}, ${sum('no_updates')}
    from (select status, operation, source, key_id, error_code, http_status,
      total, updated, deactivated, failed, no_updates
      from ${ENTRIES} e where e.company_id = ${company} and ${isWanted}
      order by e.position desc limit ${MAX_GROUPED + 1}) newest
    group by status, operation, source, key_id, error_code, http_status order by entries desc
      limit ${MAX_GROUPS + 1}`.execute(db)
  const grouped = rows.reduce((count, { entries }) => count + entries, 0)
  return { groups: rows.slice(0, MAX_GROUPS).map(toGroup), isMore: grouped > MAX_GROUPED || rows.length > MAX_GROUPS }
}

type GroupRow = Pick<EntryGroup, 'status' | 'operation' | 'source' | 'http_status' | 'entries'> &
  CallCounts &
  Pick<BulkUserLogTables['entries'], 'key_id' | 'error_code'>

function toGroup({
  key_id,
  error_code,
  status,
  operation,
  source,
  http_status,
  entries,
  ...counts
}: GroupRow): EntryGroup {
  const key = fromUuid('key', key_id)
  return { status, operation, source, key, error: error_code, http_status, entries, counts }
}
