import type { Kysely, Selectable } from 'kysely'
import { sql } from 'kysely'
import { fromUuid, toUuid } from '../src/domain/ids.ts'
import { recordIsOf } from './bulk-user-logs-people-queries.ts'
import type { BulkUserLogTables, RecordStatus } from './bulk-user-logs-tables.ts'
import { bulkUserLogs } from './bulk-user-logs.ts'
import { schemaOf } from './projection.ts'

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

/** The records of an entry that satisfy a filter, in the order of the call, after the one with this ordinal. */
export async function listLogRecords(
  db: Kysely<unknown>,
  companyId: string,
  entry: EntryPlace,
  filter: RecordFilter,
  page: { after: number; limit: number },
): Promise<LogRecord[]> {
  const { status, q } = filter
  const conditions = [sql`true`]
  if (status === 'Created' || status === 'Failed') {
    // All records of an entry that have no status are of one kind.
    if (outcomeOf(entry, { status: null }) !== status) return []
    conditions.push(sql`status is null`)
  } else if (status !== undefined) {
    conditions.push(sql`status = ${status}`)
  }
  if (q !== undefined) {
    conditions.push(recordIsOf(companyId, { q }, sql.ref('r.employee_id'), sql.ref('r.entry_position'), sql.ref('r.ordinal')))
  }
  const { rows } = await sql<Selectable<BulkUserLogTables['records']>>`
    select r.* from ${sql.id(schemaOf(bulkUserLogs), 'records')} r
    where company_id = ${toUuid(companyId)} and entry_position = ${entry.position} and ordinal > ${page.after}
      and ${sql.join(conditions, sql` and `)}
    order by ordinal limit ${page.limit}`.execute(db)
  return rows.map((row) => ({
    ordinal: row.ordinal,
    index: row.record_index,
    employeeId: row.employee_id === null ? null : fromUuid('emp', row.employee_id),
    status: row.status,
    firstPosition: row.first_position,
    lastPosition: row.last_position,
  }))
}
