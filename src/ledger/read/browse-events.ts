import { sql } from 'kysely'
import { isId, toUuid } from '../../domain/ids.ts'
import type { EventHeader } from '../integrity/codec.ts'
import { deriveDataHash, deriveEnvelope, HEADER_COLUMNS, readHeader, UnreadableEventError } from '../integrity/codec.ts'
import { leafHash } from '../integrity/merkle.ts'
import type { EventRow, LedgerDb } from '../tables.ts'

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
  isErased: boolean
}

/** Filters for events. */
export interface EventFilter {
  type?: string
  /** The id of the employee, key, user or company whose events are wanted. */
  stream?: string
  /** The id of the call whose events are wanted. */
  call?: string
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
  seen: Range | null
}

interface Range {
  first: number
  last: number
}

/** The number of events that one list searches for a type or a call, which no index finds. No call is larger. */
const MAX_EVENTS_SEEN = 25_000
/** The longest data shown in a list, in bytes. PostgreSQL knows the length without reading the text. */
const MAX_LISTED_DATA = 10_000
const COLUMNS = sql.raw(HEADER_COLUMNS.join(', '))

/** Lists at most `limit` events from a place. Without an index, it searches at most `MAX_EVENTS_SEEN` events. */
export async function listStoredEvents(
  db: LedgerDb,
  companyId: string,
  filter: EventFilter,
  { place, limit }: { place: EventPlace; limit: number },
): Promise<ListedEvents> {
  const isBack = 'upTo' in place
  const end = await findLastPosition(db, companyId, filter)
  const range = chooseRange(place, end, isScanned(filter) ? MAX_EVENTS_SEEN : end)
  if (range === null) return { events: [], older: isBack ? null : end || null, newer: null, seen: null }
  // Read one more, to know whether there are more.
  const found = await selectEvents(db, companyId, filter, range, isBack, limit + 1)
  const events = found.slice(0, limit)
  const isMore = found.length > limit
  if (!isBack) events.reverse()
  const beyond = {
    older: range.first > 1 && filter.call === undefined ? range.first - 1 : null,
    newer: range.last < end ? range.last + 1 : null,
  }
  if (!isMore) return { events, ...beyond, seen: range }
  const [newest, oldest] = [events[0]!.position, events.at(-1)!.position]
  return isBack
    ? { events, ...beyond, older: oldest - 1, seen: range }
    : { events, ...beyond, newer: newest + 1, seen: range }
}

/** Whether no index helps with the filter. */
function isScanned({ type, stream, call }: EventFilter): boolean {
  return stream === undefined && (type !== undefined || call !== undefined)
}

/** The last possible position: the head, or the event that closes the call. */
async function findLastPosition(db: LedgerDb, companyId: string, { call }: EventFilter): Promise<number> {
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

function chooseRange(place: EventPlace, end: number, most: number): Range | null {
  if ('upTo' in place) {
    const last = Math.min(place.upTo, end)
    return last < 1 ? null : { first: Math.max(1, last - most + 1), last }
  }
  return place.from > end ? null : { first: place.from, last: Math.min(end, place.from + most - 1) }
}

async function selectEvents(
  db: LedgerDb,
  companyId: string,
  { type, stream, call }: EventFilter,
  { first, last }: Range,
  isBack: boolean,
  limit: number,
): Promise<ListedEvent[]> {
  // Versions of a stream are in the order of positions, and have their own index.
  const order = sql.ref(stream === undefined ? 'position' : 'stream_version')
  const { rows } = await sql<EventRow & { erased: boolean }>`
    select ${COLUMNS}, case when octet_length(data) <= ${MAX_LISTED_DATA}::integer then data end as data, data is null as erased
    from events where company_id = ${toUuid(companyId)} and position between ${first} and ${last}
      ${stream === undefined ? sql`` : sql`and stream_id = ${toUuid(stream)}`}
      ${type === undefined ? sql`` : sql`and type = ${type}`} ${call === undefined ? sql`` : sql`and call_id = ${toUuid(call)}`}
    order by ${order} ${isBack ? sql`desc` : sql`asc`} limit ${limit}`.execute(db)
  return rows.map((row) => ({
    position: row.position,
    header: whenKnown(() => readHeader(row)),
    data: row.data,
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
    ...{ position, type, data, envelope },
    header: whenKnown(() => readHeader(row)),
    salt: salt?.toString('hex') ?? null,
    dataHash: deriveDataHash(row),
    leafHash: leaf.toString('hex'),
    isRight: envelope !== null && leafHash(envelope).equals(leaf),
  }
}

/** What is read of an event; null if its type is unknown. */
function whenKnown<Value>(read: () => Value): Value | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof UnreadableEventError) return null
    throw error
  }
}

/** The current names of keys and users, by id. Unnamed ones are left out. */
export async function readNames(db: LedgerDb, companyId: string, ids: readonly string[]): Promise<Map<string, string>> {
  const known = ids.filter((id) => isId('key', id) || isId('usr', id))
  const uuids = new Map(known.map((id) => [toUuid(id), id]))
  if (uuids.size === 0) return new Map()
  const { rows } = await sql<{ id: string; name: string }>`
    select api_id as id, name from api_keys where company_id = ${toUuid(companyId)} and api_id = any(${[...uuids.keys()]}::uuid[])
    union all
    select user_id, name from users where company_id = ${toUuid(companyId)} and user_id = any(${[...uuids.keys()]}::uuid[])`.execute(
    db,
  )
  return new Map(rows.filter(({ name }) => name !== '').map(({ id, name }) => [uuids.get(id)!, name]))
}
