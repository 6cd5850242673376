import { sql } from 'kysely'
import { toUuid, fromUuid } from '#domain/ids'
import {
  STORED_COLUMNS,
  type StoredEvent,
  EVENT_COLUMNS,
  readEvent,
  type ReadableEvent,
  HEADER_BYTES,
} from '#ledger/integrity/codec'
import { binarySearch } from './binary-search.ts'
import { buildConditions, type EventFilter } from './event-filter.ts'
import type { LedgerDb } from '#ledger/tables'
import { doInTurns } from '#admission/turns'
import type { EventType, RecordedEvent } from '#domain/events'
import { mapInPieces } from '#domain/pieces'
import { bigintArray, textArray, uuidArray } from '#postgres/binary-arrays'

/** Selects events after one position, up to and including another, that match all filters. */
export interface WantedEvents extends Omit<EventFilter, 'call'> {
  after: number
  upTo: number
  /** The maximum number of events per page, up to `PAGE_EVENTS`. */
  pageEvents?: number | undefined
}

/** The limits of a page. A single event that is larger gets a page of its own. */
const PAGE_EVENTS = 1_000
const PAGE_BYTES = 2 * 1024 * 1024
/** The number of positions that one statement searches for events that no index finds, and for a text. */
const LOOKED_AT_ONCE = 10_000
const TEXTS_AT_ONCE = 1_000

const COLUMNS = sql.raw(STORED_COLUMNS.join(', '))

/*
 * Each statement is limited at both ends to a short range of positions or of stream versions. Neither has gaps, so the
 * range bounds what is read, whatever plan PostgreSQL chooses.
 */

/**
 * Reads the wanted events in order, one statement per page. Pages are never empty, and no page is read before it is
 * requested.
 */
export async function* storedEventPages(
  db: LedgerDb,
  companyId: string,
  selection: WantedEvents,
  limit = Number.MAX_SAFE_INTEGER,
): AsyncGenerator<StoredEvent[]> {
  const { stream, types, actor, text, pageEvents = PAGE_EVENTS } = selection
  const isSearch = types !== undefined || actor !== undefined
  const place = await findRange(db, companyId, selection)
  let [at, left] = [place.after, limit]
  while (at < place.upTo && left > 0) {
    const most = Math.min(PAGE_EVENTS, pageEvents, left)
    const upTo = Math.min(at + (text !== undefined ? TEXTS_AT_ONCE : isSearch ? LOOKED_AT_ONCE : most), place.upTo)
    const { events, isCut } = await readStoredPage(db, companyId, { ...selection, after: at, upTo }, most)
    const last = events.at(-1)
    at = isCut && last ? (stream === undefined ? last.position : last.stream_version) : upTo
    left -= events.length
    if (events.length > 0) yield events
  }
}

/** Reads a stream's newest events below a version, newest first. Returns fewer than `limit` if they are very large. */
export async function readStreamBackwards(
  db: LedgerDb,
  companyId: string,
  { stream, before, limit }: { stream: string; before: number | null; limit: number },
): Promise<StoredEvent[]> {
  const newest = (await lastOfStream(db, companyId, stream))?.version ?? 0
  const end = Math.min(before ?? Infinity, newest + 1)
  const { events } = await readStoredPage(
    db,
    companyId,
    { stream, after: Math.max(0, end - 1 - limit), upTo: end - 1 },
    limit,
    'desc',
  )
  return events
}

/** The range to search: positions or, for a stream, its versions, which are in the order of positions. */
async function findRange(db: LedgerDb, companyId: string, { after, upTo, stream }: WantedEvents) {
  if (stream === undefined) return { after, upTo }
  const last = await lastOfStream(db, companyId, stream)
  if (!last) return { after: 0, upTo: 0 }
  const isBehind = (position: number) => async (version: number) =>
    (await readVersionPosition(db, companyId, stream, version)) > position
  const end = last.position <= upTo ? last.version : (await binarySearch(1, last.version, isBehind(upTo))) - 1
  return { after: after === 0 ? 0 : (await binarySearch(1, end, isBehind(after))) - 1, upTo: end }
}

async function lastOfStream(
  db: LedgerDb,
  companyId: string,
  stream: string,
): Promise<{ version: number; position: number } | undefined> {
  return db
    .selectFrom('events')
    .select(['stream_version as version', 'position'])
    .where('company_id', '=', toUuid(companyId))
    .where('stream_id', '=', toUuid(stream))
    .orderBy('stream_version', 'desc')
    .limit(1)
    .executeTakeFirst()
}

async function readVersionPosition(db: LedgerDb, companyId: string, stream: string, version: number) {
  const { position } = await db
    .selectFrom('events')
    .select('position')
    .where('company_id', '=', toUuid(companyId))
    .where('stream_id', '=', toUuid(stream))
    .where('stream_version', '=', version)
    .executeTakeFirstOrThrow()
  return position
}

/**
 * Reads a range of positions or, for a stream, of versions: at least one event if there is any. `isCut` is true if the
 * range holds more events.
 */
async function readStoredPage(
  db: LedgerDb,
  companyId: string,
  { after, upTo, ...filter }: WantedEvents,
  limit: number,
  direction: 'asc' | 'desc' = 'asc',
): Promise<{ events: StoredEvent[]; isCut: boolean }> {
  const column = filter.stream === undefined ? 'position' : 'stream_version'
  const [place, order] = [sql.ref(column), `${column} ${direction}`]
  const isWanted = sql.join(
    [
      sql`company_id = ${toUuid(companyId)} and ${place} > ${after} and ${place} <= ${upTo}`,
      ...buildConditions(filter),
    ],
    sql` and `,
  )
  const page = measuredPage(order, { limit, bytes: PAGE_BYTES })
  const { rows } = await sql<StoredEvent & { is_last: boolean }>`
    ${sql.raw(page.before)} select ${COLUMNS} from events where ${isWanted} ${sql.raw(page.after)}`.execute(db)
  return { events: rows, isCut: rows.at(-1)?.is_last === false }
}

/** Positions of a ledger, including both ends. */
export interface PositionRange {
  first: number
  last: number
}

/** Positions after `after`, up to and including `upTo`. */
export interface PositionsAfter {
  after: number
  upTo?: number | undefined
}

/** Consecutive events. `isEnd` is true if the range has no further events. */
export interface EventPage {
  events: RecordedEvent[]
  isEnd: boolean
}

const STORED_COLUMN_NAMES = sql.raw(EVENT_COLUMNS.join(', '))

/**
 * Reads a company's events in a range, all or those of some types: as many as fit into a page, and at least one if
 * there is any.
 */
export async function readEventPage(
  db: LedgerDb,
  companyId: string,
  { after, upTo, types }: PositionsAfter & { types?: readonly EventType[] },
  limits: PageLimits,
): Promise<EventPage> {
  const page = measuredPage('position', limits)
  const { rows } = await sql<ReadableEvent & { is_last: boolean }>`
    select ${STORED_COLUMN_NAMES}, is_last from (${sql.raw(page.before)}
      select ${STORED_COLUMN_NAMES} from events where company_id = ${toUuid(companyId)} and position > ${after}
        ${upTo === undefined ? sql`` : sql`and position <= ${upTo}`}
        ${types === undefined ? sql`` : sql`and type = any(${textArray(types)}::text[])`}
    ${sql.raw(page.after)}) as page order by position`.execute(db)
  return { events: await doInTurns(mapInPieces(rows, readEvent, 1)), isEnd: rows.at(-1)?.is_last ?? true }
}

/** The last event of a stream; null if it has none. */
export async function readLastOfStream(db: LedgerDb, companyId: string, stream: string): Promise<RecordedEvent | null> {
  const row = await db
    .selectFrom('events')
    .select(EVENT_COLUMNS)
    .where('company_id', '=', toUuid(companyId))
    .where('stream_id', '=', toUuid(stream))
    .orderBy('stream_version', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ? readEvent(row) : null
}

/** Stored events of a company. `isEnd` is true if no event followed. */
export interface StoredPage {
  events: ReadableEvent[]
  isEnd: boolean
}

/**
 * Reads the events after a position in each of several companies, one page each. Leaves out companies without further
 * events, and those whose next event alone exceeds a page.
 */
export async function readStoredBehind(
  db: LedgerDb,
  behind: { companyId: string; after: number }[],
  limits: PageLimits,
): Promise<Map<string, StoredPage>> {
  const page = measuredPage('position', limits)
  const { rows } = await sql<ReadableEvent & { company_id: string; is_last: boolean }>`
    select w.company_id, ${STORED_COLUMN_NAMES}, e.is_last
    from unnest(
      ${uuidArray(behind.map(({ companyId }) => companyId))}::uuid[],
      ${bigintArray(behind.map(({ after }) => after))}::bigint[]) as w(company_id, after)
    cross join lateral (${sql.raw(page.before)}
      select ${STORED_COLUMN_NAMES} from events where company_id = w.company_id and position > w.after
    ${sql.raw(page.after)}) e
    where e.bytes <= ${limits.bytes} order by w.company_id, e.position`.execute(db)
  const byCompany = Map.groupBy(rows, (row) => fromUuid('com', row.company_id))
  return new Map([...byCompany].map(([id, events]) => [id, { events, isEnd: events.at(-1)!.is_last }]))
}

/** Reads the events of a company at these positions, in order. */
export async function readEventsAt(db: LedgerDb, companyId: string, positions: number[]): Promise<RecordedEvent[]> {
  const rows = await db
    .selectFrom('events')
    .select(EVENT_COLUMNS)
    .where('company_id', '=', toUuid(companyId))
    .where('position', '=', sql<number>`any(${positions}::bigint[])`)
    .orderBy('position')
    .execute()
  return doInTurns(mapInPieces(rows, readEvent, 1))
}

/** The bytes of events that are shown together. */
const SHOWN_BYTES = 2_000_000

/**
 * Reads the events of a company at these positions in the order in which they are given: as many as are shown together,
 * and at least one.
 */
export async function readShownEvents(
  db: LedgerDb,
  companyId: string,
  positions: readonly number[],
): Promise<RecordedEvent[]> {
  const { rows } = await sql<ReadableEvent>`select ${STORED_COLUMN_NAMES} from (
      select e.*, nth, sum(coalesce(octet_length(data), 0)) over (order by nth) as bytes
      from unnest(${bigintArray([...positions])}::bigint[]) with ordinality as wanted(place, nth)
        join events e on e.company_id = ${toUuid(companyId)} and e.position = wanted.place
    ) as shown where nth = 1 or bytes <= ${SHOWN_BYTES} order by nth`.execute(db)
  return doInTurns(mapInPieces(rows, readEvent, 1))
}

/*
 * Pages of events are bounded by bytes as well as rows: most events have a few hundred bytes, but one can be as large
 * as the body of a call. PostgreSQL knows the length of a stored text without reading it, so rows that do not fit cost
 * nothing.
 */

/** The limits of a page. Its first event may exceed `bytes`; then the page holds only that event. */
interface PageLimits {
  limit: number
  /** Of the events as an export holds them. */
  bytes: number
}

/**
 * SQL to wrap around a select of events with the column `data` and those of the order. It returns as many of the
 * first rows as fit, with three more columns: `nth` counts from 1, `bytes` is the running total, and `is_last` is true
 * if the select has no further event.
 */
export function measuredPage(order: string, { limit, bytes }: PageLimits): { before: string; after: string } {
  const [rows, most] = [limit, bytes].map(checkWholeNumber) as [number, number]
  return {
    before: `select * from (
      select *, row_number() over w as nth, lead(1) over w is null as is_last,
        sum(${HEADER_BYTES} + coalesce(octet_length(data), 0)) over w as bytes
      from (`,
    // Read one more row, to know whether there are more.
    after: ` order by ${order} limit ${rows + 1}) as stretch
      window w as (order by ${order} rows unbounded preceding)
    ) as measured where nth <= ${rows} and (nth = 1 or bytes <= ${most}) order by ${order}`,
  }
}

function checkWholeNumber(number: number) {
  if (!Number.isSafeInteger(number)) throw new RangeError(`${number} cannot bound a page`)
  return number
}
