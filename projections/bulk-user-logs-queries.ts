import type { Kysely, Selectable } from 'kysely'
import { fromUuid, toUuid } from '../src/domain/ids.ts'
import type { BulkUserLogTables, RecordStatus } from './bulk-user-logs.ts'
import { bulkUserLogs } from './bulk-user-logs.ts'
import { schemaOf } from './projection.ts'

/** A Bulk User Log entry as the admin endpoint shows it, and its place in the log. */
export interface LogEntry {
  position: number
  entry: {
    id: string
    status: 'Completed' | 'Failed'
    /** Always `Public API`: entries are made by API calls alone. */
    name: 'Public API'
    requested_at: string
    operation: string
    counts: { total: number; updated: number; deactivated: number; failed: number; no_updates: number }
    http_status: number
    duration_ms: number
    key: { id: string; name: string }
    request_id: string
    error: { code: string; detail: string } | null
  }
}

/** A record of an entry, with the positions of the events that hold its details. */
export interface LogRecord {
  ordinal: number
  index: number | null
  employeeId: string | null
  status: RecordStatus | null
  firstPosition: number | null
  lastPosition: number | null
}

export interface EntryFilter {
  status?: 'Completed' | 'Failed'
  /** Only entries older than the one at this position. */
  before?: number
  limit: number
}

/** A company's entries, newest first. */
export async function listLogEntries(db: Kysely<unknown>, companyId: string, filter: EntryFilter): Promise<LogEntry[]> {
  let query = tables(db).selectFrom('entries').selectAll().where('company_id', '=', toUuid(companyId))
  if (filter.status !== undefined) query = query.where('status', '=', filter.status)
  if (filter.before !== undefined) query = query.where('position', '<', filter.before)
  const rows = await query.orderBy('position', 'desc').limit(filter.limit).execute()
  return rows.map(shown)
}

/** One entry of a company, by the id of its call; null when the company has none such (yet). */
export async function findLogEntry(db: Kysely<unknown>, companyId: string, callId: string): Promise<LogEntry | null> {
  const row = await tables(db)
    .selectFrom('entries')
    .selectAll()
    .where('company_id', '=', toUuid(companyId))
    .where('call_id', '=', toUuid(callId))
    .executeTakeFirst()
  return row ? shown(row) : null
}

/** The records of the entry at a position, in the order of the call, after the one with this ordinal. */
export async function listLogRecords(
  db: Kysely<unknown>,
  companyId: string,
  entryPosition: number,
  page: { after: number; limit: number },
): Promise<LogRecord[]> {
  const rows = await tables(db)
    .selectFrom('records')
    .selectAll()
    .where('company_id', '=', toUuid(companyId))
    .where('entry_position', '=', entryPosition)
    .where('ordinal', '>', page.after)
    .orderBy('ordinal')
    .limit(page.limit)
    .execute()
  return rows.map((row) => ({
    ordinal: row.ordinal,
    index: row.record_index,
    employeeId: row.employee_id === null ? null : fromUuid('emp', row.employee_id),
    status: row.status,
    firstPosition: row.first_position,
    lastPosition: row.last_position,
  }))
}

function tables(db: Kysely<unknown>): Kysely<BulkUserLogTables> {
  return db.withSchema(schemaOf(bulkUserLogs)).$extendTables<BulkUserLogTables>()
}

function shown(row: Selectable<BulkUserLogTables['entries']>): LogEntry {
  const { total, updated, deactivated, failed, no_updates } = row
  return {
    position: row.position,
    entry: {
      id: fromUuid('log', row.call_id),
      status: row.status,
      name: 'Public API',
      requested_at: row.requested_at,
      operation: row.operation,
      counts: { total, updated, deactivated, failed, no_updates },
      http_status: row.http_status,
      duration_ms: row.duration_ms,
      key: { id: fromUuid('key', row.key_id), name: row.key_name },
      request_id: row.request_id,
      error: row.error_code === null ? null : { code: row.error_code, detail: row.error_detail ?? '' },
    },
  }
}

