import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Employee } from '../../domain/employees/employee.ts'
import type { RecordedEvent } from '../../domain/events.ts'
import { fromUuid, toUuid } from '../../domain/ids.ts'
import { bigintArray, uuidArray } from '../../postgres/binary-arrays.ts'
import { readEvent } from '../integrity/codec.ts'
import type { PageLimits } from './measured-page.ts'
import { measuredPage } from './measured-page.ts'
import type { LedgerTables } from '../tables.ts'

/** Positions after one, in order, none after `upTo`. */
export interface PositionRange {
  after: number
  upTo?: number | undefined
}

/** Events that follow on one another. `isEnd` tells that no event of the range stands behind them. */
export interface EventPage {
  events: RecordedEvent[]
  isEnd: boolean
}

/** Reads a company's events in a range: as many as fit into a page, and at least one if there is any. */
export async function readEventPage(
  db: Kysely<LedgerTables>,
  companyId: string,
  { after, upTo }: PositionRange,
  limits: PageLimits,
): Promise<EventPage> {
  const page = measuredPage('position', limits)
  const { rows } = await sql<StoredText & { is_last: boolean }>`
    select envelope, data, is_last from (${sql.raw(page.before)}
      select position, envelope, data from events where company_id = ${toUuid(companyId)} and position > ${after}
        ${upTo === undefined ? sql`` : sql`and position <= ${upTo}`}
    ${sql.raw(page.after)}) as page order by position`.execute(db)
  return { events: rows.map(readEvent), isEnd: rows.at(-1)?.is_last ?? true }
}

/** The last event of a stream; null when there is none. */
export async function readLastOfStream(
  db: Kysely<LedgerTables>,
  companyId: string,
  stream: string,
): Promise<RecordedEvent | null> {
  const row = await db
    .selectFrom('events')
    .select(['envelope', 'data'])
    .where('company_id', '=', toUuid(companyId))
    .where('stream_id', '=', toUuid(stream))
    .orderBy('stream_version', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ? readEvent(row) : null
}

/** The texts of an event as they are stored. */
export interface StoredText {
  envelope: string
  data: string | null
}

/** Events of a company as they are stored. `isEnd` tells that no event stood behind them. */
export interface StoredPage {
  events: StoredText[]
  isEnd: boolean
}

/**
 * Reads what stands behind a position in each of several companies, in order: as many events of each as fit into a page.
 * A company whose next event alone is larger is left out, as is one that has none.
 */
export async function readStoredBehind(
  db: Kysely<LedgerTables>,
  behind: { companyId: string; after: number }[],
  limits: PageLimits,
): Promise<Map<string, StoredPage>> {
  const page = measuredPage('position', limits)
  const { rows } = await sql<StoredText & { company_id: string; is_last: boolean }>`
    select w.company_id, e.envelope, e.data, e.is_last
    from unnest(
      ${uuidArray(behind.map(({ companyId }) => companyId))}::uuid[],
      ${bigintArray(behind.map(({ after }) => after))}::bigint[]) as w(company_id, after)
    cross join lateral (${sql.raw(page.before)}
      select position, envelope, data from events where company_id = w.company_id and position > w.after
    ${sql.raw(page.after)}) e
    where e.bytes <= ${limits.bytes} order by w.company_id, e.position`.execute(db)
  const byCompany = Map.groupBy(rows, (row) => fromUuid('com', row.company_id))
  return new Map([...byCompany].map(([id, events]) => [id, { events, isEnd: events.at(-1)!.is_last }]))
}

/** Reads the events of a company at these positions, in order. */
export async function readEventsAt(
  db: Kysely<LedgerTables>,
  companyId: string,
  positions: number[],
): Promise<RecordedEvent[]> {
  const rows = await db
    .selectFrom('events')
    .select(['envelope', 'data'])
    .where('company_id', '=', toUuid(companyId))
    .where('position', '=', sql<number>`any(${positions}::bigint[])`)
    .orderBy('position')
    .execute()
  return rows.map(readEvent)
}

/** An employee as the last commit left it; null when the company has none such. */
export async function readEmployee(db: Kysely<LedgerTables>, companyId: string, id: string): Promise<Employee | null> {
  const row = await db
    .selectFrom('employee_snapshots')
    .select('state')
    .where('company_id', '=', toUuid(companyId))
    .where('employee_id', '=', toUuid(id))
    .executeTakeFirst()
  return row?.state ?? null
}
