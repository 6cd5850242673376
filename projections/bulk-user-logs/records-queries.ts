import type { RawBuilder, Selectable } from 'kysely'
import { sql } from 'kysely'
import type { AnyDb } from '../projection.ts'
import { fromUuid, toUuid } from '../../src/domain/ids.ts'
import { isRecordOfPerson } from './people-queries.ts'
import type { BulkUserLogTables, RecordStatus } from './tables.ts'
import { bulkUserLogs } from './fold.ts'
import { schemaOf } from '../projection.ts'

/** A record of an entry, and the positions of the events with its details. */
export interface LogRecord {
  ordinal: number
  index: number | null
  employeeId: string | null
  status: RecordStatus | null
  firstPosition: number | null
  lastPosition: number | null
}

/** The outcome of a record: its status, or a word for records without one. */
export type RecordOutcome = RecordStatus | 'Created' | 'Failed'

export interface RecordFilter {
  status?: RecordOutcome
  q?: string
}

/** The parts of an entry that its records depend on. */
interface EntryPlace {
  position: number
  entry: { status: 'Completed' | 'Failed' }
}

/** Returns the outcome of a record of this entry. */
export function getRecordOutcome({ entry }: EntryPlace, record: Pick<LogRecord, 'status'>): RecordOutcome {
  return record.status ?? (entry.status === 'Failed' ? 'Failed' : 'Created')
}

/** Lists the records of an entry that match a filter, in the order of the call, after an ordinal. */
export async function listLogRecords(
  db: AnyDb,
  companyId: string,
  entry: EntryPlace,
  filter: RecordFilter,
  page: { after: number; limit: number },
): Promise<LogRecord[]> {
  // bigint, because a cursor may hold a number that is too large for the column.
  const conditions = [sql`ordinal > ${page.after}::bigint`, ...buildRecordConditions(companyId, entry, filter)]
  return selectRecords(db, companyId, entry, conditions, sql`asc`, page.limit)
}

/** Lists the last records of an entry before an ordinal that match a filter, in the order of the call. */
export async function listLogRecordsBefore(
  db: AnyDb,
  companyId: string,
  entry: EntryPlace,
  filter: RecordFilter,
  page: { before: number; limit: number },
): Promise<LogRecord[]> {
  const conditions = [sql`ordinal < ${page.before}::bigint`, ...buildRecordConditions(companyId, entry, filter)]
  return (await selectRecords(db, companyId, entry, conditions, sql`desc`, page.limit)).toReversed()
}

/** Finds the record with this index in the call; null if the entry has none. */
export async function findLogRecord(
  db: AnyDb,
  companyId: string,
  entry: EntryPlace,
  index: number,
): Promise<LogRecord | null> {
  const [record] = await selectRecords(db, companyId, entry, [sql`record_index = ${index}`], sql`asc`, 1)
  return record ?? null
}

const RECORDS = sql.id(schemaOf(bulkUserLogs), 'records')

type Condition = RawBuilder<unknown>

function buildRecordConditions(companyId: string, entry: EntryPlace, { status, q }: RecordFilter): Condition[] {
  const conditions: Condition[] = []
  if (status === 'Created' || status === 'Failed') {
    // Records without a status were all created or all refused, depending on the entry.
    const isKind = getRecordOutcome(entry, { status: null }) === status
    conditions.push(isKind ? sql`status is null` : sql`false`)
  } else if (status !== undefined) {
    conditions.push(sql`status = ${status}`)
  }
  if (q !== undefined) {
    conditions.push(
      isRecordOfPerson(companyId, { q }, sql.ref('r.employee_id'), sql.ref('r.entry_position'), sql.ref('r.ordinal')),
    )
  }
  return conditions
}

async function selectRecords(
  db: AnyDb,
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
