import type { EventType, RecordedEvent } from '../../domain/events.ts'
import { toUuid } from '../../domain/ids.ts'
import { canonicalJson } from '../integrity/canonical-json.ts'
import { EVENT_COLUMNS, readEvent, type ReadableEvent } from '../integrity/codec.ts'
import { measuredPage } from '../read/measured-page.ts'
import { loadHeadPosition } from './erase-events.ts'
import type { Queryable } from '../../postgres/query-client.ts'

/*
 * Finds the events that an erasure or a report of a person concerns, in order, page by page. A page may be empty.
 */

type Pages = AsyncGenerator<RecordedEvent[]>

const PAGE = { limit: 1_000, bytes: 1024 * 1024 }
/** Small, because processing a page of refused records blocks the event loop. */
const PAGE_OF_REJECTED = { ...PAGE, limit: 200 }

/** The events of a stream after a position. */
export async function* readStreamPages(db: Queryable, companyId: string, stream: string, after = 0): Pages {
  const condition = 'stream_id = $3 and position > $4'
  yield* readPages(db, { companyId, order: 'stream_version', condition, values: [toUuid(stream), after] })
}

/**
 * The refused records after a position that still have their data. The condition must repeat that of the partial index
 * in migrations/first-release/ledger.ts verbatim for PostgreSQL to use it.
 */
export async function* readRejectedPages(db: Queryable, companyId: string, after: number): Pages {
  const condition = `data is not null and type = 'EmployeeRecordRejected'`
  yield* readPages(db, { companyId, order: 'position', after, condition, limits: PAGE_OF_REJECTED })
}

/** The events of these types after a position that no call made. */
export async function* readPagesOutsideCalls(
  db: Queryable,
  companyId: string,
  types: readonly EventType[],
  after = 0,
): Pages {
  yield* readPages(db, {
    companyId,
    order: 'position',
    after,
    condition: 'call_id is null and type = any($3)',
    values: [types],
  })
}

/** The events of these types after a position whose data contain a text as a whole JSON string. */
export async function* findEventsWith(
  db: Queryable,
  companyId: string,
  text: string,
  { types, after = 0 }: { types: readonly EventType[]; after?: number },
): Pages {
  const condition = 'type = any($3) and data is not null and strpos(data, $4) > 0'
  yield* searchAll(db, companyId, { condition, values: [types, canonicalJson(text)], after })
}

/** What an actor did: the events that no call made, and those that close a call. */
export async function* findActs(db: Queryable, companyId: string, actor: string): Pages {
  const condition = `actor = $3 and (call_id is null or type in ('ApiCallCompleted', 'ApiCallFailed'))`
  yield* searchAll(db, companyId, { condition, values: [actor], after: 0 })
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

interface Search {
  condition: string
  /** The parameters of the condition, from $3. */
  values: unknown[]
  after: number
}

async function* searchAll(db: Queryable, companyId: string, { condition, values, after }: Search): Pages {
  const head = (await loadHeadPosition(db, companyId)) ?? 0
  for (let from = after; from < head; from += SEARCHED_AT_ONCE) {
    const upTo = Math.min(from + SEARCHED_AT_ONCE, head)
    const isInRange = `position <= $${3 + values.length} and ${condition}`
    yield* readPages(db, { companyId, order: 'position', after: from, condition: isInRange, values: [...values, upTo] })
  }
}

interface Selection {
  companyId: string
  order: 'position' | 'stream_version'
  /** The position or version after which the events begin. */
  after?: number
  condition: string
  /** The parameters of the condition, from $3. */
  values?: unknown[]
  limits?: typeof PAGE
}

async function* readPages(
  db: Queryable,
  { companyId, order, after = 0, condition, values = [], limits = PAGE }: Selection,
): Pages {
  const page = measuredPage(order, limits)
  for (let [last, isLast] = [after, false]; !isLast;) {
    const { rows } = await db.query<ReadableEvent & { is_last: boolean }>(
      `${page.before} select ${EVENT_COLUMNS.join(', ')} from events
       where company_id = $1 and ${order} > $2 and ${condition} ${page.after}`,
      [toUuid(companyId), last, ...values],
    )
    if (rows.length === 0) return
    const events = rows.map(readEvent)
    yield events
    const newest = events.at(-1)!
    last = order === 'position' ? newest.position : newest.version
    isLast = rows.at(-1)!.is_last
  }
}
