import { sql, type RawBuilder } from 'kysely'
import type { AnyDb } from '#projections/projection'
import { toUuid, fromUuid } from '#domain/ids'
import { isSingle, type Operation } from '#domain/operations'
import { ENTRIES, REJECTED_NAMES } from './live-tables.ts'
import type { LeftOut } from '#domain/events'
import { placeRecords, type PlacedRecord, type RecordStatus } from './outcomes.ts'
import { findPeople, listNames, matchPeople, type PersonSearch } from './people-queries.ts'
import { readUnchanged } from './people-search.ts'
import { selectHashes } from './rejected-names.ts'
import type { BulkUserLogTables } from './tables.ts'

/*
 * What refused records have in common. Their errors are in the events of the call, which stand next to each other, so
 * these queries read as many events as the call has records.
 */

/** Selects refused records by an error. */
export interface CauseFilter {
  code: string
  /** JSON Pointer within the record, empty for the record itself; when undefined, the error may be anywhere. */
  pointer?: string | undefined
}

/** An error that refused records of a call have in common. */
export interface Cause {
  code: string
  /** JSON Pointer within the record. */
  pointer: string
  message: string
  /** The number of records. */
  records: number
}

/** Why the records of a call were refused. */
export interface Refusals {
  /** The number of records that are kept as sent: neither erased nor truncated. */
  kept: number
  /** The most frequent errors, most frequent first. */
  causes: Cause[]
  /** Whether there are other errors. */
  hasMore: boolean
  /** Whether the call has so many errors that only the first were counted. */
  isPartial: boolean
}

/** Unknown fields are named by the client, so a call can have many. */
const MAX_CAUSES = 50
/** Grouping more errors would take seconds. A usual failed call has about one for each record. */
const MAX_ERRORS = 20_000

interface CallPlace {
  position: number
  entry: { operation: Operation }
}

/** Groups the refused records of a call by their errors. */
export async function readRefusals(
  db: AnyDb,
  companyId: string,
  call: CallPlace,
  mostErrors = MAX_ERRORS,
): Promise<Refusals> {
  const { rows: counts } = await sql<{ kept: number }>`select count(*)::integer as kept from events
    where ${isRefusedIn(companyId, call)} and data is not null and data::json -> 'truncated' is null`.execute(db)
  const { rows } = await sql<Cause & { counted: number }>`
    select code, pointer, min(message) as message, count(distinct position)::integer as records,
      sum(count(*)) over ()::integer as counted
    from (${selectErrors(companyId, call)} order by position limit ${mostErrors}) errors
    group by code, pointer order by records desc, code, pointer limit ${MAX_CAUSES + 1}`.execute(db)
  return {
    kept: counts[0]!.kept,
    causes: rows
      .slice(0, MAX_CAUSES)
      .map(({ code, pointer, message, records }) => ({ code, pointer, message, records })),
    hasMore: rows.length > MAX_CAUSES,
    isPartial: rows[0]?.counted === mostErrors,
  }
}

/** The positions of the events of the refused records that have an error. */
async function findWithCause(
  db: AnyDb,
  companyId: string,
  call: CallPlace,
  { code, pointer }: CauseFilter,
): Promise<Set<number | null>> {
  const { rows } = await sql<{ position: number }>`select position from (${selectErrors(companyId, call)}) errors
    where code = ${code} ${pointer === undefined ? sql`` : sql`and pointer = ${pointer}`}`.execute(db)
  return new Set(rows.map(({ position }) => position))
}

/**
 * Selects the errors of the refused records. A pointer leads into the body; without the place of the record in the body,
 * it is the same in all records. A message is the same as well, without the employee that it may name.
 */
function selectErrors(companyId: string, call: CallPlace) {
  const within = (place: RawBuilder<unknown>) =>
    sql`when starts_with(pointer || '/', ${place} || '/') then substr(pointer, length(${place}) + 1)`
  // A single update has one record, which is the body.
  const places = isSingle(call.entry.operation)
    ? []
    : [sql`('/employees/' || record_index)`, sql`('/' || record_index)`]
  const shortened =
    places.length === 0 ? sql`pointer` : sql`case ${sql.join(places.map(within), sql` `)} else pointer end`
  return sql`select position, code, (${shortened}) collate "C" as pointer,
      regexp_replace(message, ',? emp_[0-9a-z]{26}', '') as message
    from events
      cross join lateral json_to_recordset(data::json -> 'errors') as error(code text, pointer text, message text)
    where ${isRefusedIn(companyId, call)} and data is not null`
}

function isRefusedIn(companyId: string, { position }: CallPlace) {
  const company = toUuid(companyId)
  return sql`company_id = ${company} and type = 'EmployeeRecordRejected' and position < ${position}
    and position >= (select first_position from ${ENTRIES}
      where company_id = ${company} and position = ${position})`
}

/** A record of an entry, and the positions of the events with its details. */
export interface LogRecord {
  /** Null for the one record that stands for a call that was refused as a whole. */
  index: number | null
  /** Null for a refused record: what is known of its employee is in its event. */
  employeeId: string | null
  status: RecordStatus | null
  isRefused: boolean
  firstPosition: number | null
  lastPosition: number | null
  /** The fields that were left out of it, and why. */
  leftOut: Pick<LeftOut, 'field' | 'fault'>[]
}

/** The outcome of a record: its status, or a word for records without one. */
export type RecordOutcome = RecordStatus | 'Created' | 'Failed'

/** Selects records by outcome; `Changed` is every outcome that changed an employee. */
export type OutcomeFilter = RecordOutcome | 'Changed'

export interface RecordFilter {
  status?: OutcomeFilter
  q?: string
  error?: CauseFilter
}

/** The parts of an entry that its records depend on. */
interface EntryPlace {
  position: number
  entry: { status: 'Completed' | 'Failed'; operation: Operation }
}

/** Returns the outcome of a record. */
export function getRecordOutcome({ status, isRefused }: Pick<LogRecord, 'status' | 'isRefused'>): RecordOutcome {
  return isRefused ? 'Failed' : (status ?? 'Created')
}

/**
 * Lists records of an entry that match a filter, in the order of the call: the first after an index, or the last
 * before.
 */
export async function listLogRecords(
  db: AnyDb,
  companyId: string,
  entry: EntryPlace,
  filter: RecordFilter,
  page: { limit: number } & ({ after: number } | { before: number }),
): Promise<LogRecord[]> {
  const isOnPage = (index: number) => ('after' in page ? index > page.after : index < page.before)
  const records = await findRecords(db, companyId, entry, filter, isOnPage)
  return addEmployees(db, companyId, entry, 'after' in page ? records.slice(0, page.limit) : records.slice(-page.limit))
}

/** Finds the record with this index in the call; null if the entry has none. */
export async function findLogRecord(
  db: AnyDb,
  companyId: string,
  entry: EntryPlace,
  recordIndex: number,
): Promise<LogRecord | null> {
  const records = await findRecords(db, companyId, entry, {}, (index) => index === recordIndex)
  const [record] = await addEmployees(
    db,
    companyId,
    entry,
    records.filter(({ index }) => index !== null),
  )
  return record ?? null
}

/** Counts the records of an entry by outcome. A call that was refused as a whole has none. */
export async function countOutcomes(
  db: AnyDb,
  companyId: string,
  entry: EntryPlace,
): Promise<Map<RecordOutcome, number>> {
  const counts = new Map<RecordOutcome, number>()
  for (const place of await placeAll(db, companyId, entry)) {
    if (place.index === null) continue
    const outcome = getRecordOutcome(place)
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  }
  return counts
}

/** The record that stands for a call that was refused as a whole; its details are in the event that closes the call. */
interface WholeCall extends Omit<PlacedRecord, 'index'> {
  index: null
}

type Place = PlacedRecord | WholeCall

/** Finds the places of the records of an entry, without reading events unless a person is searched. */
async function findRecords(
  db: AnyDb,
  companyId: string,
  entry: EntryPlace,
  { status, q, error }: RecordFilter,
  isInRange: (index: number) => boolean,
): Promise<Place[]> {
  const all = await placeAll(db, companyId, entry)
  const withError = error && (await findWithCause(db, companyId, entry, error))
  const places = all.filter(
    (place) =>
      isInRange(place.index ?? 0) &&
      (status === undefined || matchesOutcome(getRecordOutcome(place), status)) &&
      (withError === undefined || withError.has(place.first)),
  )
  if (q === undefined) return places
  const [person] = await findPeople(db, companyId, { q })
  const hasRefused = places.some(({ isRefused }) => isRefused)
  const refused = hasRefused ? await findRefused(db, companyId, entry, person!) : new Set<number | null>()
  const records = await addEmployees(db, companyId, entry, places)
  const ids = new Set(records.map(({ employeeId }) => employeeId).filter((id) => id !== null))
  const matched = await matchPeople(db, companyId, person!, ids)
  return places.filter(({ isRefused, first }, at) =>
    isRefused ? refused.has(first) : matched.has(records[at]!.employeeId!),
  )
}

function matchesOutcome(outcome: RecordOutcome, filter: OutcomeFilter) {
  return filter === 'Changed' ? outcome !== 'No Updates' && outcome !== 'Failed' : outcome === filter
}

async function placeAll(db: AnyDb, companyId: string, { position, entry }: EntryPlace): Promise<Place[]> {
  const { rows } = await sql<Pick<BulkUserLogTables['entries'], 'first_position' | 'outcomes'>>`
    select first_position, outcomes from ${ENTRIES}
    where company_id = ${toUuid(companyId)} and position = ${position}`.execute(db)
  const row = rows[0]
  if (!row) return []
  if (row.outcomes) return placeRecords(row.outcomes, row.first_position, entry.status === 'Failed')
  return [{ index: null, status: null, isRefused: true, first: position, last: position, unchangedAt: null }]
}

/** The positions of the events of a call that refused records of a person. */
async function findRefused(db: AnyDb, companyId: string, entry: EntryPlace, person: PersonSearch) {
  const { rows } = await sql<
    Pick<BulkUserLogTables['rejected_names'], 'position' | 'employee_id'> & { is_named: boolean }
  >`
    select n.position, n.employee_id,
      bool_or(n.name_hash in (${selectHashes(companyId, listNames(person))})) as is_named
    from ${REJECTED_NAMES} n
    where n.company_id = ${toUuid(companyId)} and n.position < ${entry.position}
      and n.position >= (select e.first_position from ${ENTRIES} e
        where e.company_id = ${toUuid(companyId)} and e.position = ${entry.position})
    group by n.position, n.employee_id`.execute(db)
  const idOf = (uuid: string | null) => (uuid === null ? null : fromUuid('emp', uuid))
  const ids = new Set(rows.map(({ employee_id: uuid }) => idOf(uuid)).filter((id) => id !== null))
  const matched = await matchPeople(db, companyId, person, ids)
  const isOfPerson = (row: (typeof rows)[number]) => row.is_named || matched.has(idOf(row.employee_id) ?? '')
  return new Set(rows.filter(isOfPerson).map(({ position }) => position))
}

/** Adds the employees: from the streams of the events, and from the list of the closing event for unchanged ones. */
async function addEmployees(db: AnyDb, companyId: string, entry: EntryPlace, places: Place[]): Promise<LogRecord[]> {
  const positions = places.flatMap(({ isRefused, first }) => (isRefused ? [] : (first ?? [])))
  const { streams, leftOut } = await readStreams(db, companyId, entry, positions)
  const hasUnchanged = places.some(({ unchangedAt }) => unchangedAt !== null)
  const unchanged = hasUnchanged ? await readUnchangedOf(db, companyId, entry.position) : []
  return places.map(({ index, status, isRefused, first, last, unchangedAt }) => {
    const employeeId = unchangedAt === null ? (streams.get(first!) ?? null) : (unchanged[unchangedAt] ?? null)
    const left = leftOut.get(index ?? -1) ?? []
    return { index, employeeId, status, isRefused, firstPosition: first, lastPosition: last, leftOut: left }
  })
}

/** Reads the employees of a call's events, and what it left out of its records, in one statement. */
async function readStreams(
  db: AnyDb,
  companyId: string,
  { position: closing, entry }: EntryPlace,
  positions: number[],
) {
  // A call that has failed changed nobody, and left nothing out.
  if (entry.status === 'Failed') return { streams: new Map<number, string>(), leftOut: groupLeftOut(null) }
  const { rows } = await sql<{ position: number; stream_id: string; left_out: LeftOut[] | null }>`
    select position, stream_id, case when position = ${closing} then data::json -> 'left_out' end as left_out
      from events
    where company_id = ${toUuid(companyId)} and position = any(${[...positions, closing]}::bigint[])`.execute(db)
  const ofEmployees = rows.filter(({ position }) => position !== closing)
  return {
    streams: new Map(ofEmployees.map(({ position, stream_id: id }) => [position, fromUuid('emp', id)])),
    leftOut: groupLeftOut(rows.find(({ position }) => position === closing)?.left_out ?? null),
  }
}

async function readUnchangedOf(db: AnyDb, companyId: string, position: number) {
  const { rows } = await sql<{ data: string | null }>`select data from events
    where company_id = ${toUuid(companyId)} and position = ${position}`.execute(db)
  return readUnchanged(rows[0]?.data ?? null)
}

/** What a call left out of its records, by their indexes. */
function groupLeftOut(leftOut: LeftOut[] | null) {
  const byRecord = new Map<number, LogRecord['leftOut']>()
  for (const { field, fault, records } of leftOut ?? [])
    for (const index of records) {
      const left = byRecord.get(index)
      if (left) left.push({ field, fault })
      else byRecord.set(index, [{ field, fault }])
    }
  return byRecord
}
