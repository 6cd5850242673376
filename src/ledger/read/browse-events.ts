import { sql } from 'kysely'
import { toUuid } from '#domain/ids'
import {
  type EventHeader,
  deriveDataHash,
  deriveEnvelope,
  HEADER_COLUMNS,
  readHeader,
  UnreadableEventError,
} from '../integrity/codec.ts'
import { leafHash } from '../integrity/merkle.ts'
import { buildConditions, isOutsideCalls, type EventFilter } from './event-filter.ts'
import type { PositionRange } from './read-events.ts'
import type { EventRow } from '../event-row.ts'
import type { LedgerDb } from '../tables.ts'

/*
 * Reads stored events for people who inspect the ledger. Data are not interpreted, and events of unknown types are shown
 * too: they may be what the reader is looking for.
 */

/** A stored event for a list, without large data. */
export interface ListedEvent {
  position: number
  /** Null if its type is unknown. */
  header: EventHeader | null
  /** The stored text; null if it is erased or too long for a list. */
  data: string | null
  /** The same; of a long list of unchanged employees, everything but the list. */
  summary: string | null
  isErased: boolean
}

/** Where a list starts: at a position and back, or at a position and forward. Both are inclusive. */
export type EventPlace = { upTo: number } | { from: number }

export interface ListedEvents {
  /** Newest first. */
  events: ListedEvent[]
  /** The position to continue from with older events; null at the end. */
  older: number | null
  /** The position to continue from with newer events; null at the end. */
  newer: number | null
  /** The positions searched; null if there were none. */
  seen: PositionRange | null
}

/** Where a list starts, how long it may be, and the positions that it is limited to. */
interface Wanted {
  place: EventPlace
  limit: number
  between?: PositionRange | undefined
}

/** The number of events that one list searches for events that no index finds. No call is larger. */
const MAX_EVENTS_SEEN = 25_000
/** The data that one list searches for a text, in bytes. A single event may have more. */
const MAX_BYTES_SEEN = 16 * 1024 * 1024
/** The longest data shown in a list, in bytes. PostgreSQL knows the length without reading the text. */
const MAX_LISTED_DATA = 10_000
/** The last member of a completed call's data, in canonical order. Within a string, its quotes would be escaped. */
const UNCHANGED = '"unchanged":'
const COLUMNS = sql.raw(HEADER_COLUMNS.join(', '))

/** Lists at most `limit` events from a place. Without an index, it searches at most `MAX_EVENTS_SEEN` events. */
export async function listStoredEvents(
  db: LedgerDb,
  companyId: string,
  filter: EventFilter,
  { place, limit, between }: Wanted,
): Promise<ListedEvents> {
  const isBack = 'upTo' in place
  const last = await findLastPosition(db, companyId, filter)
  const whole = { first: between?.first ?? 1, last: Math.min(between?.last ?? last, last) }
  const range = await chooseRange(db, companyId, filter, place, whole)
  if (range === null) return { events: [], older: isBack ? null : whole.last || null, newer: null, seen: null }
  // Read one more, to know whether there are more.
  const eventsFound = await selectEvents(db, companyId, filter, range, isBack, limit + 1)
  const events = eventsFound.slice(0, limit)
  const isMore = eventsFound.length > limit
  if (!isBack) events.reverse()
  const beyond = {
    older: range.first > whole.first && filter.call === undefined ? range.first - 1 : null,
    newer: range.last < whole.last ? range.last + 1 : null,
  }
  if (!isMore) return { events, ...beyond, seen: range }
  const [newest, oldest] = [events[0]!.position, events.at(-1)!.position]
  return isBack
    ? { events, ...beyond, older: oldest - 1, seen: range }
    : { events, ...beyond, newer: newest + 1, seen: range }
}

/** The last possible position: the head, or the event that closes the call. */
async function findLastPosition(db: LedgerDb, companyId: string, { call }: EventFilter) {
  const company = toUuid(companyId)
  const { rows } = await (
    call === undefined
      ? sql<{ last: number }>`select position as last from heads where company_id = ${company}`
      : sql<{
          last: number | null
        }>`select max(position) as last from events where company_id = ${company} and stream_id = ${toUuid(call)}`
  ).execute(db)
  return rows[0]?.last ?? 0
}

/** Chooses the positions to search, starting from a place; null if there are none. */
async function chooseRange(
  db: LedgerDb,
  companyId: string,
  filter: EventFilter,
  place: EventPlace,
  whole: PositionRange,
): Promise<PositionRange | null> {
  const isBack = 'upTo' in place
  const first = isBack ? whole.first : Math.max(place.from, whole.first)
  const last = isBack ? Math.min(place.upTo, whole.last) : whole.last
  if (first > last) return null
  const { types, stream, call, actor, text } = filter
  if ([types, call, actor, text].every((condition) => condition === undefined)) return { first, last }
  if (stream !== undefined || text !== undefined || isOutsideCalls(filter))
    return measureRange(db, companyId, filter, { first, last }, isBack)
  return isBack
    ? { first: Math.max(first, last - MAX_EVENTS_SEEN + 1), last }
    : { first, last: Math.min(last, first + MAX_EVENTS_SEEN - 1) }
}

/** Shortens a range to as many of the events that an index finds as one list may search. */
async function measureRange(
  db: LedgerDb,
  companyId: string,
  filter: EventFilter,
  { first, last }: PositionRange,
  isBack: boolean,
): Promise<PositionRange> {
  const { stream, text } = filter
  const indexed = [
    sql`company_id = ${toUuid(companyId)} and position between ${first} and ${last}`,
    ...(stream === undefined ? [] : [sql`stream_id = ${toUuid(stream)}`]),
    ...(stream === undefined && isOutsideCalls(filter) ? [sql`call_id is null`] : []),
  ]
  const direction = isBack ? sql`desc` : sql`asc`
  const bytes = text === undefined ? sql`0` : sql`coalesce(octet_length(data), 0)`
  const { rows } = await sql<{ first: number | null; last: number | null; is_cut: boolean | null }>`
    select min(position) filter (where is_seen) as first, max(position) filter (where is_seen) as last,
      bool_or(nth = ${MAX_EVENTS_SEEN} or not is_seen) as is_cut
    from (
      select position, nth, nth = 1 or bytes <= ${MAX_BYTES_SEEN} as is_seen from (
        select position, row_number() over w as nth, sum(bytes) over w as bytes from (
          select position, ${bytes} as bytes from events where ${sql.join(indexed, sql` and `)}
          order by ${sql.ref(stream === undefined ? 'position' : 'stream_version')} ${direction}
            limit ${MAX_EVENTS_SEEN}
        ) nearest window w as (order by position ${direction} rows unbounded preceding)
      ) measured
    ) seen`.execute(db)
  const [seen] = rows
  if (!seen?.is_cut) return { first, last }
  return isBack ? { first: seen.first!, last } : { first, last: seen.last! }
}

async function selectEvents(
  db: LedgerDb,
  companyId: string,
  filter: EventFilter,
  { first, last }: PositionRange,
  isBack: boolean,
  limit: number,
): Promise<ListedEvent[]> {
  // Versions of a stream are in the order of positions, and have their own index.
  const order = sql.ref(filter.stream === undefined ? 'position' : 'stream_version')
  const conditions = [
    sql`company_id = ${toUuid(companyId)} and position between ${first} and ${last}`,
    ...buildConditions(filter),
  ]
  const { rows } = await sql<EventRow & { erased: boolean; beginning: string | null }>`
    select ${COLUMNS}, data is null as erased,
      case when octet_length(data) <= ${MAX_LISTED_DATA}::integer then data end as data,
      case when octet_length(data) > ${MAX_LISTED_DATA}::integer and type = 'ApiCallCompleted' then
        left(data, nullif(strpos(data, ${UNCHANGED}), 0) - 1) end as beginning
    from events where ${sql.join(conditions, sql` and `)}
    order by ${order} ${isBack ? sql`desc` : sql`asc`} limit ${limit}`.execute(db)
  return rows.map((row) => ({
    position: row.position,
    header: whenKnown(() => readHeader(row)),
    data: row.data,
    summary: row.data ?? (row.beginning === null ? null : `${row.beginning}${UNCHANGED}[]}`),
    isErased: row.erased,
  }))
}

/** A stored event in full, and whether its leaf hash matches. Header and envelope are null if its type is unknown. */
export interface ShownEvent {
  position: number
  type: string
  header: EventHeader | null
  /** The text that is hashed. */
  envelope: string | null
  data: string | null
  /** In hexadecimal, as the hashes; null if it is erased. */
  salt: string | null
  dataHash: string
  leafHash: string
  /** Whether the leaf hash is that of the envelope. */
  isRight: boolean
}

/** Reads the event at a position; null if there is none. */
export async function readStoredEvent(db: LedgerDb, companyId: string, position: number): Promise<ShownEvent | null> {
  const row = await db
    .selectFrom('events')
    .selectAll()
    .where('company_id', '=', toUuid(companyId))
    .where('position', '=', position)
    .executeTakeFirst()
  if (!row) return null
  const { type, data, salt, leaf_hash: leaf } = row
  const envelope = whenKnown(() => deriveEnvelope(row))
  return {
    position,
    type,
    data,
    envelope,
    header: whenKnown(() => readHeader(row)),
    salt: salt?.toString('hex') ?? null,
    dataHash: deriveDataHash(row),
    leafHash: leaf.toString('hex'),
    isRight: envelope !== null && leafHash(envelope).equals(leaf),
  }
}

/** What is read of an event; null if its type is unknown. */
function whenKnown<Value>(read: () => Value) {
  try {
    return read()
  } catch (error) {
    if (error instanceof UnreadableEventError) return null
    throw error
  }
}
