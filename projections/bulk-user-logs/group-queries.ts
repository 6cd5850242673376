import { sql } from 'kysely'
import type { AnyDb } from '../projection.ts'
import type { CallCounts } from '#domain/events'
import type { CallSource } from '#domain/call-sources'
import type { Operation } from '#domain/operations'
import { fromUuid, toUuid } from '#domain/ids'
import { ENTRIES } from './live-tables.ts'
import { buildColumnConditions, type EntryFilter, type ValueFilter } from './queries.ts'
import type { BulkUserLogTables } from './tables.ts'
import { buildTimeConditions, joinConditions } from './time-conditions.ts'

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
  const time = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
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
    from (select status, operation, source, key_id, error_code, http_status, total, updated, deactivated, failed, no_updates
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
