import type { Kysely, RawBuilder, Selectable } from 'kysely'
import { sql } from 'kysely'
import { fromUuid, toUuid } from '../../src/domain/ids.ts'
import { recordIsOf } from './people-queries.ts'
import type { BulkUserLogTables, RecordStatus } from './tables.ts'
import { bulkUserLogs } from './fold.ts'
import { schemaOf } from '../projection.ts'

/** A record of an entry, with the positions of the events that hold its details. */
export interface LogRecord {
  ordinal: number
  index: number | null
  employeeId: string | null
  status: RecordStatus | null
  firstPosition: number | null
  lastPosition: number | null
}

/** What became of a record: its status, or a word for those that have none. */
export type RecordOutcome = RecordStatus | 'Created' | 'Failed'

export interface RecordFilter {
  status?: RecordOutcome
  q?: string
}

/** An entry, as far as its records depend on it. */
export interface EntryPlace {
  position: number
  entry: { status: 'Completed' | 'Failed' }
}

/** What became of a record of this entry. */
export function outcomeOf({ entry }: EntryPlace, record: Pick<LogRecord, 'status'>): RecordOutcome {
  return record.status ?? (entry.status === 'Failed' ? 'Failed' : 'Created')
}

/**
 * The records of an entry that satisfy a filter, in the order of the call, after the one with this ordinal: a cursor may
 * name one that the column could not hold.
 */
export async function listLogRecords(
  db: Kysely<unknown>,
  companyId: string,
  entry: EntryPlace,
  filter: RecordFilter,
  page: { after: number; limit: number },
): Promise<LogRecord[]> {
  return readRecords(
    db,
    companyId,
    entry,
    [sql`ordinal > ${page.after}::bigint`, ...conditionsOf(companyId, entry, filter)],
    sql`asc`,
    page.limit,
  )
}

/** The last records of an entry before the one with this ordinal that satisfy a filter, in the order of the call. */
export async function listLogRecordsBefore(
  db: Kysely<unknown>,
  companyId: string,
  entry: EntryPlace,
  filter: RecordFilter,
  page: { before: number; limit: number },
): Promise<LogRecord[]> {
  const conditions = [sql`ordinal < ${page.before}::bigint`, ...conditionsOf(companyId, entry, filter)]
  return (await readRecords(db, companyId, entry, conditions, sql`desc`, page.limit)).toReversed()
}

/** The record of an entry that stood at this place of the call; null when the entry has none. */
export async function findLogRecord(
  db: Kysely<unknown>,
  companyId: string,
  entry: EntryPlace,
  index: number,
): Promise<LogRecord | null> {
  const [record] = await readRecords(db, companyId, entry, [sql`record_index = ${index}`], sql`asc`, 1)
  return record ?? null
}

const RECORDS = sql.id(schemaOf(bulkUserLogs), 'records')

type Condition = RawBuilder<unknown>

function conditionsOf(companyId: string, entry: EntryPlace, { status, q }: RecordFilter): Condition[] {
  const conditions: Condition[] = []
  if (status === 'Created' || status === 'Failed') {
    // All records of an entry that have no status are of one kind.
    const isKind = outcomeOf(entry, { status: null }) === status
    conditions.push(isKind ? sql`status is null` : sql`false`)
  } else if (status !== undefined) {
    conditions.push(sql`status = ${status}`)
  }
  if (q !== undefined) {
    conditions.push(
      recordIsOf(companyId, { q }, sql.ref('r.employee_id'), sql.ref('r.entry_position'), sql.ref('r.ordinal')),
    )
  }
  return conditions
}

async function readRecords(
  db: Kysely<unknown>,
  companyId: string,
  entry: EntryPlace,
  conditions: Condition[],
  order: Condition,
  limit: number,
): Promise<LogRecord[]> {
  const { rows } = await sql<Selectable<BulkUserLogTables['records']>>`select r.* from ${RECORDS} r
    where company_id = ${toUuid(companyId)} and entry_position = ${entry.position} and ${sql.join(conditions, sql` and `)}
    order by ordinal ${order} limit ${limit}`.execute(db)
  return rows.map((row) => ({
    ordinal: row.ordinal,
    index: row.record_index,
    employeeId: row.employee_id === null ? null : fromUuid('emp', row.employee_id),
    status: row.status,
    firstPosition: row.first_position,
    lastPosition: row.last_position,
  }))
}
