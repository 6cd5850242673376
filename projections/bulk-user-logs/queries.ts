import type { RawBuilder, Selectable } from 'kysely'
import { sql } from 'kysely'
import type { AnyDb } from '../projection.ts'
import type { Operation } from '../../src/domain/events.ts'
import { fromUuid, toUuid } from '../../src/domain/ids.ts'
import type { Direction, PersonFilter } from './people-queries.ts'
import { hasRecordOfPerson, NEWEST_FIRST, OLDEST_FIRST, selectPositionsWithPerson } from './people-queries.ts'
import type { BulkUserLogTables } from './tables.ts'
import { bulkUserLogs } from './fold.ts'
import { schemaOf } from '../projection.ts'

/** The projection that these queries read. */
export const BULK_USER_LOGS = { name: bulkUserLogs.name, version: bulkUserLogs.version }

/** A Bulk User Log entry as in the admin endpoint, and its position in the log. */
export interface LogEntry {
  position: number
  entry: {
    id: string
    status: 'Completed' | 'Failed'
    /** Always `Public API`, because only API calls create entries. */
    name: 'Public API'
    requested_at: string
    operation: Operation
    counts: { total: number; updated: number; deactivated: number; failed: number; no_updates: number }
    http_status: number
    duration_ms: number
    key: { id: string; name: string }
    request_id: string
    error: { code: string; detail: string } | null
  }
}

/** Selects the entries that match all given filters. */
export interface EntryFilter extends PersonFilter {
  status?: 'Completed' | 'Failed'
  operation?: Operation
  /** Requested at this instant (RFC 3339) or later. */
  from?: string
  /** Requested before this instant (RFC 3339). */
  to?: string
  /** The API id of a key. */
  key?: string
}

/** Lists a company's entries, newest first; with `before`, only those before that position. */
export async function listLogEntries(
  db: AnyDb,
  companyId: string,
  filter: EntryFilter,
  page: { before: number | null; limit: number },
): Promise<LogEntry[]> {
  const bound = page.before === null ? null : { isBeyond: sql`<`, position: page.before }
  return listInDirection(db, companyId, filter, { bound, direction: NEWEST_FIRST, limit: page.limit })
}

/** Lists a company's entries after a position, oldest first. */
export async function listLogEntriesAfter(
  db: AnyDb,
  companyId: string,
  filter: EntryFilter,
  page: { after: number; limit: number },
): Promise<LogEntry[]> {
  const bound = { isBeyond: sql`>`, position: page.after }
  return listInDirection(db, companyId, filter, { bound, direction: OLDEST_FIRST, limit: page.limit })
}

/** The part of the log to read. */
interface Stretch {
  bound: Bound | null
  direction: Direction
  limit: number
}

interface Bound {
  isBeyond: Condition
  position: number
}

async function listInDirection(
  db: AnyDb,
  companyId: string,
  filter: EntryFilter,
  stretch: Stretch,
): Promise<LogEntry[]> {
  const company = toUuid(companyId)
  const isBetween = buildRangeConditions(company, filter, stretch.bound)
  const found =
    filter.employee === undefined && filter.q === undefined
      ? sql`${isBetween(sql.ref('e.position'))} and ${joinConditions(buildColumnConditions(filter))}`
      : sql`e.position in (${selectPersonPositions(companyId, filter, isBetween, stretch)})`
  const { rows } = await sql<EntryRow>`select e.* from ${ENTRIES} e where e.company_id = ${company} and ${found}
    order by e.position ${stretch.direction.order} limit ${stretch.limit}`.execute(db)
  return rows.map(toLogEntry)
}

/** The position of a company's newest entry; 0 if it has none. */
export async function readNewestLogPosition(db: AnyDb, companyId: string): Promise<number> {
  const { rows } = await sql<{ newest: number }>`select coalesce(max(position), 0) as newest from ${ENTRIES}
    where company_id = ${toUuid(companyId)}`.execute(db)
  return rows[0]?.newest ?? 0
}

/** Finds an entry by the id of its call; null if the company has no such entry, or not yet. */
export async function findLogEntry(db: AnyDb, companyId: string, callId: string): Promise<LogEntry | null> {
  const { rows } = await sql<EntryRow>`select * from ${ENTRIES}
    where company_id = ${toUuid(companyId)} and call_id = ${toUuid(callId)}`.execute(db)
  return rows[0] ? toLogEntry(rows[0]) : null
}

type EntryRow = Selectable<BulkUserLogTables['entries']>
type Condition = RawBuilder<unknown>

const SCHEMA = schemaOf(bulkUserLogs)
const ENTRIES = sql.id(SCHEMA, 'entries')
const HOURS = sql.id(SCHEMA, 'hours')
const HOUR_CHARACTERS = '0000-00-00T00'.length

/**
 * Returns a function that makes the range conditions for a column of positions. Times are turned into positions through
 * the hours, because entries are in the order in which their calls were committed, not requested.
 */
function buildRangeConditions(
  company: string,
  { from, to }: EntryFilter,
  bound: Bound | null,
): (position: Condition) => Condition {
  return (position) => {
    const conditions: Condition[] = []
    if (bound) conditions.push(sql`${position} ${bound.isBeyond} ${bound.position}`)
    if (from !== undefined) {
      const hour = `${from.slice(0, HOUR_CHARACTERS)}:00:00.000Z`
      conditions.push(
        sql`${position} >= (select min(first_position) from ${HOURS} where company_id = ${company} and hour >= ${hour})`,
      )
    }
    if (to !== undefined) {
      conditions.push(
        sql`${position} <= (select max(last_position) from ${HOURS} where company_id = ${company} and hour < ${to})`,
      )
    }
    return joinConditions(conditions)
  }
}

/** The conditions on the columns of an entry `e`. */
function buildColumnConditions({ status, operation, from, to, key }: EntryFilter): Condition[] {
  const conditions: Condition[] = []
  if (status !== undefined) conditions.push(sql`e.status = ${status}`)
  if (operation !== undefined) conditions.push(sql`e.operation = ${operation}`)
  if (from !== undefined) conditions.push(sql`e.requested_at >= ${from}`)
  if (to !== undefined) conditions.push(sql`e.requested_at < ${to}`)
  if (key !== undefined) conditions.push(sql`e.key_id = ${toUuid(key)}`)
  return conditions
}

/** A query for the positions of the first entries that match the person filters and all others. */
function selectPersonPositions(
  companyId: string,
  filter: EntryFilter,
  isBetween: (position: Condition) => Condition,
  { direction, limit }: Stretch,
): Condition {
  const { employee, q } = filter
  const conditions = buildColumnConditions(filter)
  if (employee !== undefined && q !== undefined) conditions.push(hasRecordOfPerson(companyId, { q }))
  const person = employee === undefined ? { q: q! } : { employee }
  if (conditions.length === 0) return selectPositionsWithPerson(companyId, person, isBetween, direction, limit)
  const isWanted = (position: Condition) => sql`${isBetween(position)} and exists (
    select 1 from ${ENTRIES} e where e.company_id = ${toUuid(companyId)} and e.position = ${position} and ${joinConditions(conditions)})`
  return selectPositionsWithPerson(companyId, person, isWanted, direction, limit)
}

function joinConditions(conditions: Condition[]): Condition {
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)
}

function toLogEntry(row: EntryRow): LogEntry {
  const { total, updated, deactivated, failed, no_updates } = row
  return {
    position: row.position,
    entry: {
      id: fromUuid('log', row.call_id),
      status: row.status,
      name: 'Public API',
      requested_at: row.requested_at,
      operation: row.operation,
      counts: { total, updated, deactivated, failed, no_updates },
      http_status: row.http_status,
      duration_ms: row.duration_ms,
      key: { id: fromUuid('key', row.key_id), name: row.key_name },
      request_id: row.request_id,
      error: row.error_code === null ? null : { code: row.error_code, detail: row.error_detail ?? '' },
    },
  }
}
