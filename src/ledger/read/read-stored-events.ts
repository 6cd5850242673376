import { sql } from 'kysely'
import { toUuid } from '#domain/ids'
import { STORED_COLUMNS, type StoredEvent } from '../integrity/codec.ts'
import { binarySearch } from './binary-search.ts'
import { buildConditions, type EventFilter } from './event-filter.ts'
import { measuredPage } from './measured-page.ts'
import type { LedgerDb } from '../tables.ts'

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
async function findRange(
  db: LedgerDb,
  companyId: string,
  { after, upTo, stream }: WantedEvents,
): Promise<{ after: number; upTo: number }> {
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

async function readVersionPosition(db: LedgerDb, companyId: string, stream: string, version: number): Promise<number> {
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
