import { sql, type RawBuilder, type Selectable } from 'kysely'
import type { AnyDb } from '#projections/projection'
import type { CallCounts, FilePart } from '#domain/events'
import type { CallSource, CallNote } from '#domain/call-sources'
import { createsAll, type Operation } from '#domain/operations'
import { fromUuid, toUuid } from '#domain/ids'
import { SELECT_PREPARED } from '#postgres/kysely'
import type { PersonFilter } from './people-queries.ts'
import { NEWEST_FIRST, OLDEST_FIRST, type Found, type Search } from './search-bounds.ts'
import { searchEntries } from './people-search.ts'
import { BULK_USER_LOG_TABLES, NO_KEY, type BulkUserLogTables } from './tables.ts'
import { bulkUserLogs } from './fold.ts'
import { ENTRIES } from './live-tables.ts'
import { buildTimeConditions, joinConditions } from './time-conditions.ts'

/** The projection that these queries read. */
export const BULK_USER_LOGS = { name: bulkUserLogs.name, version: bulkUserLogs.version }

/** A Bulk User Log entry as in the admin endpoint, and its position in the log. */
export interface LogEntry {
  position: number
  entry: {
    id: string
    status: 'Completed' | 'Failed'
    /** Its source. */
    name: CallSource
    requested_at: string
    operation: Operation
    counts: CallCounts
    http_status: number
    duration_ms: number
    /** Null if a user made the call. */
    key: { id: string; name: string } | null
    /** Null if a key made the call. `name` is null once the user is erased. */
    user: { id: string; name: string | null } | null
    /** Null if the call was no file upload. `name` is null once it is erased, and `part` for a whole file. */
    file: { name: string | null; rows: number; part: FilePart | null } | null
    /** The ids of the failed calls whose records the file corrects. */
    corrects: string[]
    /** The id of the call that this one took back; null if it took back none. */
    undoes: string | null
    request_id: string
    error: { code: string; detail: string } | null
    /** What was ignored, or kept otherwise than it was sent. */
    notes: CallNote[]
  }
}

/** Selects the entries that match all given filters. */
export interface EntryFilter extends PersonFilter {
  status?: 'Completed' | 'Failed'
  operation?: Operation
  source?: CallSource
  /** Requested at this instant (RFC 3339) or later. */
  from?: string
  /** Requested before this instant (RFC 3339). */
  to?: string
  /** The API id of a key. */
  key?: string
  /** The error code of the call. */
  error?: string
  /** The status that the call was answered with. */
  http_status?: number
}

export interface LogPage {
  entries: LogEntry[]
  /** The position after which the next page starts; null if there is none. */
  next: number | null
  /** Whether a search by person ended before the page was full. The page may even be empty. */
  isUnfinished: boolean
  /** How many entries of all pages a search by person found; null for a later page, and without such a search. */
  count: EntryCount | null
}

export interface PageSize {
  limit: number
  /** Only entries with refused records, whether they completed or failed. */
  withRefused?: true
  /** The number of records that a search by person reads. */
  budget?: number
  /** Whether a search by person counts the entries of all pages, as far as that costs little. */
  isCounted?: boolean
}

/** A search over this many records takes a tenth of a second. */
const SEARCHED_RECORDS = 32_000

/** How many entries there are: the exact number, or fewer than there are if `isMore`. */
export interface EntryCount {
  count: number
  isMore: boolean
}

/** The most entries that are counted. */
const MAX_COUNT = 10_000
/** The most that a search by person counts, and those that are enough where each costs more. */
const MAX_FOUND = 1_000
const ENOUGH_FOUND = 50

/** Counts a company's entries up to 10,000, of a search by person to 1,000; `upTo`: the last position that counts. */
export async function countLogEntries(
  db: AnyDb,
  companyId: string,
  filter: EntryFilter,
  upTo: number | null,
): Promise<EntryCount> {
  const company = toUuid(companyId)
  const isBetween = (position: Condition) =>
    joinConditions([
      ...(upTo === null ? [] : [sql`${position} <= ${upTo}`]),
      ...buildTimeConditions(company, filter, position),
    ])
  if (isByPerson(filter)) {
    const size = { limit: ENOUGH_FOUND + 1, countTo: MAX_FOUND + 1, budget: SEARCHED_RECORDS }
    const search = { ...buildSearch(filter), isBetween, direction: NEWEST_FIRST, ...size }
    return countFound(await searchEntries(db, companyId, filter, search))
  }
  const { isWanted } = buildSearch(filter)
  // In the order of an index, so that a search for recent times doesn't read the whole table.
  const { rows } = await sql<{ count: number }>`select count(*)::integer as count from (
    select from ${ENTRIES} e where e.company_id = ${company} and ${isBetween(sql.ref('e.position'))} and ${isWanted}
    order by e.position desc limit ${MAX_COUNT + 1}) counted`.execute(db)
  const { count } = rows[0]!
  return { count: Math.min(count, MAX_COUNT), isMore: count > MAX_COUNT }
}

function countFound({ positions, searchedTo }: Found): EntryCount {
  const isMore = searchedTo !== null || positions.length > MAX_FOUND
  return { count: Math.min(positions.length, MAX_FOUND), isMore }
}

function isByPerson({ employee, q }: EntryFilter) {
  return employee !== undefined || q !== undefined
}

/** What a search by person needs to know of the other filters. */
function buildSearch(filter: EntryFilter): Pick<Search, 'isWanted' | 'hasChanges' | 'hasUnchanged'> {
  return {
    isWanted: joinConditions(buildColumnConditions(filter)),
    hasChanges: filter.status !== 'Failed',
    hasUnchanged: filter.status !== 'Failed' && !(filter.operation && createsAll(filter.operation)),
  }
}

/** Lists a company's entries: newest first, also before a position, or oldest first after one. */
export async function listLogEntries(
  db: AnyDb,
  companyId: string,
  filter: EntryFilter,
  page: PageSize & ({ before: number | null } | { after: number }),
): Promise<LogPage> {
  const { limit, withRefused, budget = SEARCHED_RECORDS, isCounted = false } = page
  const isForward = 'after' in page
  const [beyond, direction] = isForward ? [page.after, OLDEST_FIRST] : [page.before, NEWEST_FIRST]
  const company = toUuid(companyId)
  const isBetween = (position: Condition) =>
    joinConditions([
      ...(beyond === null ? [] : [sql`${position} ${direction.isBeyond} ${beyond}`]),
      ...buildTimeConditions(company, filter, position),
    ])
  const { isWanted: isMatching, ...may } = buildSearch(filter)
  const isWanted = withRefused ? sql`e.failed > 0 and ${isMatching}` : isMatching
  // One more entry tells whether there is a next page.
  const most = limit + 1
  const read = async (condition: Condition) => {
    const { rows } =
      await sql<EntryRow>`${SELECT_PREPARED} ${SHOWN} from ${ENTRIES} e where e.company_id = ${company} and ${condition}
      order by e.position ${direction.order} limit ${most}`.execute(db)
    return toLogEntries(db, companyId, rows)
  }
  if (!isByPerson(filter))
    return cutPage(await read(sql`${isBetween(sql.ref('e.position'))} and ${isWanted}`), limit, null)
  const countTo = isCounted && beyond === null ? Math.max(most, MAX_FOUND + 1) : most
  const search = { ...may, isBetween, isWanted, direction, limit: most, countTo, budget }
  const found = await searchEntries(db, companyId, filter, search)
  const positions = found.positions.slice(0, most)
  const entriesFound = positions.length === 0 ? [] : await read(sql`e.position = any(${positions}::bigint[])`)
  const cut = cutPage(entriesFound, limit, found.searchedTo)
  return { ...cut, count: isCounted && beyond === null ? countFound(found) : null }
}

function cutPage(entriesFound: LogEntry[], limit: number, searchedTo: number | null): LogPage {
  const entries = entriesFound.slice(0, limit)
  if (entriesFound.length > limit) return { entries, next: entries.at(-1)!.position, isUnfinished: false, count: null }
  return { entries, next: searchedTo, isUnfinished: searchedTo !== null, count: null }
}

/** The position of a company's newest entry; 0 if it has none. */
export async function readNewestLogPosition(db: AnyDb, companyId: string): Promise<number> {
  const { rows } = await sql<{ newest: number }>`select coalesce(max(position), 0) as newest from ${ENTRIES}
    where company_id = ${toUuid(companyId)}`.execute(db)
  return rows[0]?.newest ?? 0
}

/** The time at which the call of the first entry at a position or later was requested. */
export async function readLogTime(db: AnyDb, companyId: string, position: number): Promise<string> {
  const { rows } = await sql<Pick<EntryRow, 'requested_at'>>`select requested_at from ${ENTRIES}
    where company_id = ${toUuid(companyId)} and position >= ${position} order by position limit 1`.execute(db)
  return rows[0]!.requested_at
}

/** Finds an entry by the id of its call; null if the company has no such entry, or not yet. */
export async function findLogEntry(db: AnyDb, companyId: string, callId: string): Promise<LogEntry | null> {
  const { rows } = await sql<EntryRow>`select ${SHOWN} from ${ENTRIES} e
    where company_id = ${toUuid(companyId)} and call_id = ${toUuid(callId)}`.execute(db)
  const [entry] = await toLogEntries(db, companyId, rows)
  return entry ?? null
}

/** An entry without the outcomes of its records, which may be large. */
const { company_id: _, first_position: __, outcomes: ___, ...SHOWN_COLUMNS } = BULK_USER_LOG_TABLES.entries.columns
type EntryRow = Pick<Selectable<BulkUserLogTables['entries']>, keyof typeof SHOWN_COLUMNS>
const SHOWN = sql.raw(
  Object.keys(SHOWN_COLUMNS)
    .map((name) => `e.${name}`)
    .join(', '),
)
type Condition = RawBuilder<unknown>

/** The filters that an entry's own columns answer. */
type ColumnFilter = Omit<EntryFilter, keyof PersonFilter>

/** The filters whose values are grouped and counted: neither a time nor a person. */
export type ValueFilter = Omit<ColumnFilter, 'from' | 'to'>

const COLUMN_CONDITIONS: Required<{
  [Name in keyof ColumnFilter]: (value: NonNullable<ColumnFilter[Name]>) => Condition
}> = {
  status: (status) => sql`e.status = ${status}`,
  operation: (operation) => sql`e.operation = ${operation}`,
  source: (source) => sql`e.source = ${source}`,
  from: (from) => sql`e.requested_at >= ${from}`,
  to: (to) => sql`e.requested_at < ${to}`,
  key: (key) => sql`e.key_id = ${toUuid(key)}`,
  error: (error) => sql`e.error_code = ${error}`,
  // The index of failed calls by their HTTP status is used only if the statement names them so.
  http_status: (code) => sql`e.status = ${code < 400 ? sql`'Completed'` : sql`'Failed'`} and e.http_status = ${code}`,
}

/** The conditions on the columns of an entry `e`. */
export function buildColumnConditions(filter: ColumnFilter) {
  return (Object.keys(COLUMN_CONDITIONS) as (keyof ColumnFilter)[]).flatMap((name) => {
    const value = filter[name]
    return value === undefined ? [] : [(COLUMN_CONDITIONS[name] as (value: unknown) => Condition)(value)]
  })
}

async function toLogEntries(db: AnyDb, companyId: string, rows: EntryRow[]): Promise<LogEntry[]> {
  const ofUsers = await readUserCalls(db, companyId, rows.filter(isOfUser))
  return rows.map((row) => toLogEntry(row, ofUsers.get(row.call_id)))
}

const NO_KEY_UUID = toUuid(NO_KEY)

function isOfUser({ key_id: key }: EntryRow) {
  return key === NO_KEY_UUID
}

function toLogEntry(row: EntryRow, ofUser: UserCall | undefined): LogEntry {
  const { total, updated, deactivated, failed, no_updates } = row
  return {
    position: row.position,
    entry: {
      id: fromUuid('log', row.call_id),
      status: row.status,
      name: row.source,
      requested_at: row.requested_at,
      operation: row.operation,
      counts: { total, updated, deactivated, failed, no_updates },
      http_status: row.http_status,
      duration_ms: row.duration_ms,
      key: ofUser ? null : { id: fromUuid('key', row.key_id), name: row.key_name },
      user: ofUser?.user ?? null,
      file: ofUser && row.source === 'File upload' ? { name: ofUser.fileName, rows: total, part: ofUser.part } : null,
      corrects: ofUser?.corrects ?? [],
      undoes: ofUser?.undoes ?? null,
      request_id: row.request_id,
      error: row.error_code === null ? null : { code: row.error_code, detail: row.error_detail ?? '' },
      notes: row.notes ?? [],
    },
  }
}

/** What is known of a call that a user made. */
interface UserCall {
  /** `name` is null once the user is erased. */
  user: { id: string; name: string | null }
  /** The name of the file; null once it is erased, or if there is none. */
  fileName: string | null
  /** The ids of the failed calls whose records the file corrects. */
  corrects: string[]
  /** The part of the file; null for a whole one, or if there is none. */
  part: FilePart | null
  /** The id of the call that it took back; null if it took back none. */
  undoes: string | null
}

/**
 * Reads the calls of users behind these entries, by the UUIDs of the calls. The read model has none of this: names can
 * be erased, and the events tell the rest.
 */
async function readUserCalls(db: AnyDb, companyId: string, ofUsers: EntryRow[]): Promise<Map<string, UserCall>> {
  if (ofUsers.length === 0) return new Map()
  const company = toUuid(companyId)
  const { rows } = await sql<{
    call_id: string
    actor: string
    corrects: string[] | null
    part: FilePart | null
    file_name: string | null
    undoes: string | null
  }>`select c.stream_id as call_id, c.actor, c.data::json -> 'corrects' as corrects, c.data::json -> 'part' as part,
      c.data::json ->> 'undoes' as undoes, f.data::json ->> 'name' as file_name
    from events c left join events f
      on f.company_id = c.company_id and f.stream_id = c.stream_id and f.stream_version = c.stream_version + 1
    where c.company_id = ${company} and c.stream_id = any(${ofUsers.map(({ call_id: uuid }) => uuid)}::uuid[])
      and c.type in ('ApiCallCompleted', 'ApiCallFailed')`.execute(db)
  const names = await readUserNames(db, company, [...new Set(rows.map(({ actor }) => actor))])
  return new Map(
    rows.map(({ call_id: uuid, actor, corrects, part, undoes, file_name: fileName }) => [
      uuid,
      { user: { id: actor, name: names.get(actor) ?? null }, fileName, corrects: corrects ?? [], part, undoes },
    ]),
  )
}

async function readUserNames(db: AnyDb, company: string, userIds: string[]) {
  const { rows } = await sql<{ user_id: string; name: string }>`select user_id, name from users
    where company_id = ${company} and user_id = any(${userIds.map(toUuid)}::uuid[]) and name <> ''`.execute(db)
  return new Map(rows.map(({ user_id: uuid, name }) => [fromUuid('usr', uuid), name]))
}
