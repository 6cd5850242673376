import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { isId, toUuid } from '../../domain/ids.ts'
import type { Envelope } from '../integrity/codec.ts'
import { leafHash } from '../integrity/merkle.ts'
import type { LedgerDb } from '../tables.ts'

/*
 * Events as they are stored, for people who look into the ledger. Nothing is brought to today's schema version, and what
 * this program cannot read is shown all the same: an unreadable event is what somebody may be looking for.
 */

/** A stored event, without more data than a list can show. */
export interface ListedEvent {
  position: number
  /** Null when its text is no JSON. */
  envelope: Envelope | null
  /** The stored text; null when it is erased, or too long for a list. */
  data: string | null
  isErased: boolean
}

/** Which events are looked for. */
export interface EventFilter {
  type?: string
  /** The id of an employee, key, user or company, whose own events are wanted. */
  stream?: string
  /** The id of a call, all of whose events are wanted. */
  call?: string
}

/** From where on events are listed: back from a position, or on from one. Both are included. */
export type EventPlace = { upTo: number } | { from: number }

export interface ListedEvents {
  /** Newest first. */
  events: ListedEvent[]
  /** The position from which the list goes on with what is older; null at its end. */
  older: number | null
  /** The position from which the list goes on with what is newer; null at its end. */
  newer: number | null
  /** The positions that were looked through; null when there were none. */
  seen: Range | null
}

interface Range {
  first: number
  last: number
}

/** How many events one list looks through for those of a type or a call, which no index finds: more than any call has. */
export const MAX_EVENTS_SEEN = 25_000
/** Bytes of data that an event of a list may have: their number is known without reading them. */
const MAX_LISTED_DATA = 10_000

/** Lists events next to a place, at most `limit`. Where no index helps it looks no further than `MAX_EVENTS_SEEN`. */
export async function listStoredEvents(
  db: LedgerDb,
  companyId: string,
  filter: EventFilter,
  { place, limit }: { place: EventPlace; limit: number },
): Promise<ListedEvents> {
  const isBack = 'upTo' in place
  const end = await findEnd(db, companyId, filter)
  const range = rangeAt(place, end, isScanned(filter) ? MAX_EVENTS_SEEN : end)
  if (range === null) return { events: [], older: isBack ? null : end || null, newer: null, seen: null }
  // One more than asked for tells whether there is more.
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

/** What the envelope alone tells has to be looked for. */
function isScanned({ type, stream, call }: EventFilter): boolean {
  return stream === undefined && (type !== undefined || call !== undefined)
}

/** The last position that can be meant: that of the ledger, or the one that closes the call. */
async function findEnd(db: LedgerDb, companyId: string, { call }: EventFilter): Promise<number> {
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

function rangeAt(place: EventPlace, end: number, most: number): Range | null {
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
  // A member of the envelope is found by its exact text: all of its values are ids, names of types, numbers and hashes.
  const has = (member: string, value: string | undefined) =>
    value === undefined ? sql`` : sql`and strpos(envelope, ${`"${member}":"${value}"`}) > 0`
  // Within a stream its versions have the order of the positions, and an index of their own.
  const order = sql.ref(stream === undefined ? 'position' : 'stream_version')
  const { rows } = await sql<{ position: number; envelope: string; data: string | null; erased: boolean }>`
    select position, envelope, case when octet_length(data) <= ${MAX_LISTED_DATA}::integer then data end as data, data is null as erased
    from events where company_id = ${toUuid(companyId)} and position between ${first} and ${last}
      ${stream === undefined ? sql`` : sql`and stream_id = ${toUuid(stream)}`} ${has('type', type)} ${has('call_id', call)}
    order by ${order} ${isBack ? sql`desc` : sql`asc`} limit ${limit}`.execute(db)
  return rows.map(({ position, envelope, data, erased }) => ({
    position,
    envelope: envelopeOf(envelope),
    data,
    isErased: erased,
  }))
}

/** One stored event with all that is stored of it, and whether its hashes are right. */
export interface StoredEvent {
  position: number
  envelope: Envelope | null
  /** The exact text that was hashed. */
  envelopeText: string
  data: string | null
  /** In hexadecimal; null when it is erased. */
  salt: string | null
  leafHash: string
  isLeafRight: boolean
  /** Null when the data are erased: then there is nothing to hash. */
  isDataRight: boolean | null
}

/** The event at a position; null when the ledger has none there. */
export async function readStoredEvent(db: LedgerDb, companyId: string, position: number): Promise<StoredEvent | null> {
  const row = await db
    .selectFrom('events')
    .select(['envelope', 'data', 'salt', 'leaf_hash'])
    .where('company_id', '=', toUuid(companyId))
    .where('position', '=', position)
    .executeTakeFirst()
  if (!row) return null
  const envelope = envelopeOf(row.envelope)
  const { data, salt, leaf_hash: leaf } = row
  return {
    ...{ position, envelope, envelopeText: row.envelope, data },
    salt: salt?.toString('hex') ?? null,
    leafHash: leaf.toString('hex'),
    isLeafRight: leafHash(row.envelope).equals(leaf),
    isDataRight: data === null || salt === null ? null : dataHash(salt, data) === envelope?.data_hash,
  }
}

function dataHash(salt: Buffer, data: string): string {
  return hash('sha256', Buffer.concat([salt, Buffer.from(data, 'utf8')]), 'hex')
}

function envelopeOf(text: string): Envelope | null {
  try {
    return JSON.parse(text) as Envelope
  } catch {
    // Shown as the text that it is.
    return null
  }
}

/** The names of keys and users by their ids, as they are called now; those who have none are left out. */
export async function namesOf(db: LedgerDb, companyId: string, ids: readonly string[]): Promise<Map<string, string>> {
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
