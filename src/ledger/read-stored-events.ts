import type { Kysely, RawBuilder } from 'kysely'
import { sql } from 'kysely'
import { toUuid } from '../domain/ids.ts'
import type { StoredBytes } from './proof-line.ts'
import type { LedgerTables } from './tables.ts'

/** An event as it is stored, with its place in the ledger and in its stream. */
export interface StoredEvent extends StoredBytes {
  position: number
  version: number
}

/** Which events are wanted: those behind one position, up to and with another, that satisfy all filters. */
export interface WantedEvents {
  after: number
  upTo: number
  /** Those of one stream. */
  stream?: string
  /** Those of any of these types. */
  types?: readonly string[]
}

/** A page never has more events than this, nor many more bytes than that: one event alone may have as many as a body. */
const PAGE_EVENTS = 1_000
const PAGE_BYTES = 2 * 1024 * 1024
/** How far one statement looks for events of a type. */
const LOOKED_AT_ONCE = 10_000

/**
 * Reads the events that are wanted in order, page by page, each in a statement of its own; never an empty page. No more
 * is read than is asked for.
 */
export async function* storedEventPages(
  db: Kysely<LedgerTables>,
  companyId: string,
  wanted: WantedEvents,
  limit = Number.MAX_SAFE_INTEGER,
): AsyncGenerator<StoredEvent[]> {
  const column = wanted.stream === undefined ? 'position' : 'stream_version'
  const place = await placeOf(db, companyId, wanted)
  let [at, left] = [place.after, limit]
  while (at < place.upTo && left > 0) {
    const end = Math.min(at + LOOKED_AT_ONCE, place.upTo)
    const isHere = sql`${sql.ref(column)} > ${at} and ${sql.ref(column)} <= ${end} and ${conditions(companyId, wanted)}`
    const { events, isCut } = await readPage(db, isHere, sql.ref(column), Math.min(PAGE_EVENTS, left))
    const last = events.at(-1)
    at = isCut && last ? (column === 'position' ? last.position : last.version) : end
    left -= events.length
    if (events.length > 0) yield events
  }
}

/** A stream's newest events below a version, newest first; fewer than `limit` when they are very large. */
export async function readStreamBackwards(
  db: Kysely<LedgerTables>,
  companyId: string,
  { stream, before, limit }: { stream: string; before: number | null; limit: number },
): Promise<StoredEvent[]> {
  const isBefore = before === null ? sql`true` : sql`stream_version < ${before}`
  const isHere = sql`${isBefore} and ${conditions(companyId, { after: 0, upTo: Number.MAX_SAFE_INTEGER, stream })}`
  return (await readPage(db, isHere, sql`stream_version desc`, limit)).events
}

function conditions(companyId: string, { after, upTo, stream, types }: WantedEvents): RawBuilder<unknown> {
  return sql.join(
    [
      sql`company_id = ${toUuid(companyId)} and position > ${after} and position <= ${upTo}`,
      ...(stream === undefined ? [] : [sql`stream_id = ${toUuid(stream)}`]),
      // The envelope is canonical: these members follow one another, and no quotation mark stands in a text unescaped.
      ...(types === undefined ? [] : [sql`envelope like any(${types.map((type) => `%,"type":"${type}","version":%`)}::text[])`]),
    ],
    sql` and `,
  )
}

/** Where to look, by position or, for one stream, by its versions, which are in the order of positions. */
async function placeOf(
  db: Kysely<LedgerTables>,
  companyId: string,
  { after, upTo, stream }: WantedEvents,
): Promise<{ after: number; upTo: number }> {
  if (stream === undefined) return { after, upTo }
  const isHere = conditions(companyId, { after, upTo, stream })
  const { rows } = await sql<{ first: number | null; last: number | null }>`select
    (select stream_version from events where ${isHere} order by stream_version limit 1) as first,
    (select stream_version from events where ${isHere} order by stream_version desc limit 1) as last`.execute(db)
  const { first, last } = rows[0]!
  return first === null || last === null ? { after: 0, upTo: 0 } : { after: first - 1, upTo: last }
}

/** At least one event if there is any; `isCut` tells that there may be more than were read. */
async function readPage(
  db: Kysely<LedgerTables>,
  isHere: RawBuilder<unknown>,
  order: RawBuilder<unknown>,
  limit: number,
): Promise<{ events: StoredEvent[]; isCut: boolean }> {
  // The lengths of texts are known without reading them, so what is too much is not read.
  const { rows } = await sql<StoredEvent & { found: number }>`
    select position, stream_version as version, envelope, data, salt, found::integer from (
      select *, count(*) over () as found, sum(octet_length(envelope) + coalesce(octet_length(data), 0))
        over (order by ${order} rows between unbounded preceding and 1 preceding) as bytes_before
      from (select position, stream_version, envelope, data, salt from events where ${isHere} order by ${order} limit ${limit}) as found_here
    ) as counted where coalesce(bytes_before, 0) < ${PAGE_BYTES} order by ${order}`.execute(db)
  const events = rows.map(({ position, version, envelope, data, salt }) => ({ position, version, envelope, data, salt }))
  return { events, isCut: (rows[0]?.found ?? 0) === limit || events.length < (rows[0]?.found ?? 0) }
}
