import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { toUuid } from '../../domain/ids.ts'
import { binarySearch } from './binary-search.ts'
import { measuredPage } from './measured-page.ts'
import type { ProvableEvent } from './proof-line.ts'
import type { LedgerTables } from '../tables.ts'

/** An event as it is stored, with its place in the ledger and in its stream. */
export interface StoredEvent extends ProvableEvent {
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
  /** How many one page has at most; never more than `PAGE_EVENTS`. */
  pageEvents?: number | undefined
}

/** A page never has more events than this, nor more bytes than that, unless it is one event that alone has more. */
const PAGE_EVENTS = 1_000
const PAGE_BYTES = 2 * 1024 * 1024
/** How far one statement looks for events of a type. */
const LOOKED_AT_ONCE = 10_000

/*
 * Each statement has both ends of a short stretch of positions, or of versions of one stream. Neither has gaps, so a
 * stretch bounds what is read, whatever plan the database makes of it.
 */

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
  const { stream, types, pageEvents = PAGE_EVENTS } = wanted
  const place = await findRange(db, companyId, wanted)
  let [at, left] = [place.after, limit]
  while (at < place.upTo && left > 0) {
    const most = Math.min(PAGE_EVENTS, pageEvents, left)
    const upTo = Math.min(at + (types ? LOOKED_AT_ONCE : most), place.upTo)
    const { events, isCut } = await readStoredPage(db, companyId, { ...wanted, after: at, upTo }, most)
    const last = events.at(-1)
    at = isCut && last ? (stream === undefined ? last.position : last.version) : upTo
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

/** Where to look: between positions or, for one stream, between its versions, which are in the order of positions. */
async function findRange(
  db: Kysely<LedgerTables>,
  companyId: string,
  { after, upTo, stream }: WantedEvents,
): Promise<{ after: number; upTo: number }> {
  if (stream === undefined) return { after, upTo }
  const last = await lastOfStream(db, companyId, stream)
  if (!last) return { after: 0, upTo: 0 }
  const isBehind = (position: number) => async (version: number) =>
    (await readPosition(db, companyId, stream, version)) > position
  const end = last.position <= upTo ? last.version : (await binarySearch(1, last.version, isBehind(upTo))) - 1
  return { after: after === 0 ? 0 : (await binarySearch(1, end, isBehind(after))) - 1, upTo: end }
}

async function lastOfStream(
  db: Kysely<LedgerTables>,
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

async function readPosition(
  db: Kysely<LedgerTables>,
  companyId: string,
  stream: string,
  version: number,
): Promise<number> {
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
 * Reads a stretch of positions or, for one stream, of versions: at least one event if there is any. `isCut` tells that
 * the stretch holds more than were read.
 */
async function readStoredPage(
  db: Kysely<LedgerTables>,
  companyId: string,
  { after, upTo, stream, types }: WantedEvents,
  limit: number,
  direction: 'asc' | 'desc' = 'asc',
): Promise<{ events: StoredEvent[]; isCut: boolean }> {
  const column = stream === undefined ? 'position' : 'stream_version'
  const [place, order] = [sql.ref(column), `${column} ${direction}`]
  const isWanted = sql.join(
    [
      sql`company_id = ${toUuid(companyId)} and ${place} > ${after} and ${place} <= ${upTo}`,
      ...(stream === undefined ? [] : [sql`stream_id = ${toUuid(stream)}`]),
      // The envelope is canonical: these members follow one another, and no quotation mark stands in a text unescaped.
      ...(types === undefined
        ? []
        : [sql`envelope like any(${types.map((type) => `%,"type":"${type}","version":%`)}::text[])`]),
    ],
    sql` and `,
  )
  const page = measuredPage(order, { limit, bytes: PAGE_BYTES })
  const { rows } = await sql<Omit<StoredEvent, 'version'> & { stream_version: number; is_last: boolean }>`
    ${sql.raw(page.before)} select position, stream_version, envelope, data, salt from events where ${isWanted} ${sql.raw(page.after)}`.execute(
    db,
  )
  const events = rows.map(({ position, stream_version: version, envelope, data, salt }) => ({
    position,
    version,
    envelope,
    data,
    salt,
  }))
  return { events, isCut: rows.at(-1)?.is_last === false }
}
