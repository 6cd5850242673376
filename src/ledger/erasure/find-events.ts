import { sql, type RawBuilder } from 'kysely'
import { doInTurns } from '#admission/turns'
import type { EventType, RecordedEvent } from '#domain/events'
import { toUuid } from '#domain/ids'
import { mapInPieces } from '#domain/pieces'
import { canonicalJson } from '../integrity/canonical-json.ts'
import { EVENT_COLUMNS, readEvent, type ReadableEvent } from '../integrity/codec.ts'
import { measuredPage } from '../read/read-events.ts'
import { loadHeadPosition } from './erase-events.ts'
import { onClient } from '#postgres/kysely'
import type { Queryable } from '#postgres/pool'
import type { LedgerTables } from '../tables.ts'

/*
 * Finds the events that an erasure or a report of a person concerns, in order, page by page. A page may be empty.
 */

type Pages = AsyncGenerator<RecordedEvent[]>

const PAGE = { limit: 1_000, bytes: 1024 * 1024 }
/** Small, because processing a page of refused records blocks the event loop. */
const PAGE_OF_REJECTED = { ...PAGE, limit: 200 }

/** The events of a stream after a position. */
export function readStreamPages(db: Queryable, companyId: string, stream: string, after = 0): Pages {
  return readPages(db, companyId, 'stream_version', sql`stream_id = ${toUuid(stream)} and position > ${after}`)
}

/**
 * The refused records after a position that still have their data. The condition must repeat that of the partial index
 * in migrations/first-release/ledger.ts verbatim for PostgreSQL to use it.
 */
export function readRejectedPages(db: Queryable, companyId: string, after: number): Pages {
  const isRejected = sql`data is not null and type = 'EmployeeRecordRejected'`
  return readPages(db, companyId, 'position', isRejected, after, PAGE_OF_REJECTED)
}

/** The events of these types after a position that no call made. */
export function readPagesOutsideCalls(db: Queryable, companyId: string, types: readonly EventType[], after = 0): Pages {
  return readPages(db, companyId, 'position', sql`call_id is null and type = any(${types}::text[])`, after)
}

/** The events of these types after a position whose data contain a text as a whole JSON string. */
export function findEventsWith(
  db: Queryable,
  companyId: string,
  text: string,
  { types, after = 0 }: { types: readonly EventType[]; after?: number },
): Pages {
  const contain = sql`data is not null and strpos(data, ${canonicalJson(text)}) > 0`
  return searchAll(db, companyId, sql`type = any(${types}::text[]) and ${contain}`, after)
}

/** What an actor did: the events that no call made, and those that close a call. */
export function findActs(db: Queryable, companyId: string, actor: string): Pages {
  const isAct = sql`(call_id is null or type in ('ApiCallCompleted', 'ApiCallFailed'))`
  return searchAll(db, companyId, sql`actor = ${actor} and ${isAct}`, 0)
}

/** The events that close these calls. */
export async function readCallEnds(
  db: Queryable,
  companyId: string,
  callIds: readonly string[],
): Promise<RecordedEvent[]> {
  const { rows } = await db.query<ReadableEvent>(
    `select ${EVENT_COLUMNS.join(', ')} from events
     where company_id = $1 and stream_id = any($2::uuid[]) and type in ('ApiCallCompleted', 'ApiCallFailed')
     order by position`,
    [toUuid(companyId), callIds.map(toUuid)],
  )
  return rows.map(readEvent)
}

/** The number of positions that one statement searches if no index finds the events. */
const SEARCHED_AT_ONCE = 50_000

async function* searchAll(db: Queryable, companyId: string, condition: RawBuilder<unknown>, after: number): Pages {
  const head = (await loadHeadPosition(db, companyId)) ?? 0
  for (let from = after; from < head; from += SEARCHED_AT_ONCE) {
    const isInRange = sql`position <= ${Math.min(from + SEARCHED_AT_ONCE, head)} and ${condition}`
    yield* readPages(db, companyId, 'position', isInRange, from)
  }
}

/** The events that satisfy a condition, after a position or a version. */
async function* readPages(
  db: Queryable,
  companyId: string,
  order: 'position' | 'stream_version',
  condition: RawBuilder<unknown>,
  after = 0,
  limits = PAGE,
): Pages {
  const page = measuredPage(order, limits)
  const held = onClient<LedgerTables>(db)
  for (let [last, isLast] = [after, false]; !isLast;) {
    const { rows } = await sql<ReadableEvent & { is_last: boolean }>`
      ${sql.raw(page.before)} select ${sql.raw(EVENT_COLUMNS.join(', '))} from events
      where company_id = ${toUuid(companyId)} and ${sql.ref(order)} > ${last} and ${condition}
      ${sql.raw(page.after)}`.execute(held)
    if (rows.length === 0) return
    const newest = rows.at(-1)!
    yield await doInTurns(mapInPieces(rows, readEvent, 1))
    last = newest[order]
    isLast = newest.is_last
  }
}
