import { sql } from 'kysely'
import { doInTurns } from '#admission/turns'
import type { EventType, RecordedEvent } from '#domain/events'
import { fromUuid, toUuid } from '#domain/ids'
import { mapInPieces } from '#domain/pieces'
import { bigintArray, textArray, uuidArray } from '#postgres/binary-arrays'
import { EVENT_COLUMNS, readEvent, type ReadableEvent } from '../integrity/codec.ts'
import { measuredPage, type PageLimits } from './measured-page.ts'
import type { LedgerDb } from '../tables.ts'

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

const COLUMNS = sql.raw(EVENT_COLUMNS.join(', '))

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
    select ${COLUMNS}, is_last from (${sql.raw(page.before)}
      select ${COLUMNS} from events where company_id = ${toUuid(companyId)} and position > ${after}
        ${upTo === undefined ? sql`` : sql`and position <= ${upTo}`}
        ${types === undefined ? sql`` : sql`and type = any(${textArray(types)}::text[])`}
    ${sql.raw(page.after)}) as page order by position`.execute(db)
  return { events: await doInTurns(mapInPieces(rows, readEvent)), isEnd: rows.at(-1)?.is_last ?? true }
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
    select w.company_id, ${COLUMNS}, e.is_last
    from unnest(
      ${uuidArray(behind.map(({ companyId }) => companyId))}::uuid[],
      ${bigintArray(behind.map(({ after }) => after))}::bigint[]) as w(company_id, after)
    cross join lateral (${sql.raw(page.before)}
      select ${COLUMNS} from events where company_id = w.company_id and position > w.after
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
  return rows.map(readEvent)
}
