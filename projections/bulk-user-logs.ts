import type { Kysely, Transaction } from 'kysely'
import { sql } from 'kysely'
import type { EventData, RecordedEvent } from '../src/domain/events.ts'
import { closesCall } from '../src/domain/events.ts'
import { toUuid } from '../src/domain/ids.ts'
import type { Projection } from './projection.ts'

/**
 * Bulk User Logs: one entry for each call, and a light row for each of its records. What was set, changed or refused
 * stays in the ledger: a row names the positions of its events, so the log is cheap to write, and what is erased there
 * is erased here. Its queries are in bulk-user-logs-queries.ts.
 */
export const bulkUserLogs: Projection = { name: 'bulk-user-logs', version: 1, createTables, fold }

export type RecordStatus = 'Synced' | 'No Updates' | 'Reactivated' | 'Deactivated'

export type BulkUserLogTables = {
  entries: {
    company_id: string
    /** The position of the event that closes the call: the order of the log. */
    position: number
    call_id: string
    status: 'Completed' | 'Failed'
    operation: EventData['ApiCallCompleted']['operation']
    requested_at: string
    duration_ms: number
    http_status: number
    error_code: string | null
    error_detail: string | null
    key_id: string
    key_name: string
    request_id: string
    total: number
    updated: number
    deactivated: number
    failed: number
    no_updates: number
  }
  records: {
    company_id: string
    /** The position of its entry. */
    entry_position: number
    /** Its place among the entry's rows, from 0. */
    ordinal: number
    /** Its place in the call; null for a row that speaks of the call as a whole. */
    record_index: number | null
    employee_id: string | null
    status: RecordStatus | null
    /** Its events, which stand next to each other; null when there are none. */
    first_position: number | null
    last_position: number | null
  }
}

async function createTables(db: Kysely<unknown>, schema: string): Promise<void> {
  await sql`create table ${sql.id(schema, 'entries')} (
    company_id uuid not null,
    position bigint not null,
    call_id uuid not null,
    status text not null,
    operation text not null,
    requested_at timestamptz(3) not null,
    duration_ms integer not null,
    http_status smallint not null,
    error_code text,
    error_detail text,
    key_id uuid not null,
    key_name text not null,
    request_id text not null,
    total integer not null,
    updated integer not null,
    deactivated integer not null,
    failed integer not null,
    no_updates integer not null,
    primary key (company_id, position)
  )`.execute(db)
  await sql`create unique index entries_by_call on ${sql.id(schema, 'entries')} (company_id, call_id)`.execute(db)
  await sql`create index entries_by_status on ${sql.id(schema, 'entries')} (company_id, status, position)`.execute(db)
  await sql`create table ${sql.id(schema, 'records')} (
    company_id uuid not null,
    entry_position bigint not null,
    ordinal integer not null,
    record_index integer,
    employee_id uuid,
    status text,
    first_position bigint,
    last_position bigint,
    primary key (company_id, entry_position, ordinal)
  )`.execute(db)
}

async function fold(
  transaction: Transaction<unknown>,
  schema: string,
  companyId: string,
  events: RecordedEvent[],
): Promise<void> {
  const entries: unknown[] = []
  const records: unknown[] = []
  for (const call of callsOf(events)) {
    const closing = call.at(-1)!
    if (closing.type !== 'ApiCallCompleted' && closing.type !== 'ApiCallFailed') continue
    entries.push(entryOf(closing))
    recordsOf(call, closing).forEach((record, ordinal) => records.push({ p: closing.position, o: ordinal, ...record }))
  }
  if (entries.length === 0) return
  await sql`insert into ${sql.id(schema, 'entries')}
    select ${toUuid(companyId)}, r.* from json_to_recordset(${JSON.stringify(entries)}) as r(
      position bigint, call_id uuid, status text, operation text, requested_at timestamptz, duration_ms integer,
      http_status smallint, error_code text, error_detail text, key_id uuid, key_name text, request_id text,
      total integer, updated integer, deactivated integer, failed integer, no_updates integer)`.execute(transaction)
  await sql`insert into ${sql.id(schema, 'records')}
    select ${toUuid(companyId)}, r.* from json_to_recordset(${JSON.stringify(records)}) as r(
      p bigint, o integer, i integer, e uuid, s text, f bigint, l bigint)`.execute(transaction)
}

/** The events of each call stand next to each other; an event outside of any call stands alone. */
function callsOf(events: RecordedEvent[]): RecordedEvent[][] {
  const calls: RecordedEvent[][] = []
  let open: RecordedEvent[] = []
  for (const event of events) {
    open.push(event)
    if (!closesCall(event)) continue
    calls.push(open)
    open = []
  }
  if (open.length > 0) throw new Error(`the call of position ${open[0]!.position} is not closed`)
  return calls
}

type Closing = Extract<RecordedEvent, { type: 'ApiCallCompleted' | 'ApiCallFailed' }>

function entryOf(closing: Closing) {
  const { data } = closing
  if (!data) throw new Error(`the data of ${closing.type} at position ${closing.position} are missing`)
  const failure = closing.type === 'ApiCallFailed' ? closing.data : null
  return {
    position: closing.position,
    call_id: toUuid(closing.stream),
    status: failure ? 'Failed' : 'Completed',
    operation: data.operation,
    requested_at: data.requested_at,
    duration_ms: data.duration_ms,
    http_status: failure?.http_status ?? (data.operation === 'create' ? 201 : 200),
    error_code: failure?.code ?? null,
    error_detail: failure?.detail ?? null,
    key_id: toUuid(data.key.id),
    key_name: data.key.name,
    request_id: data.request_id,
    ...data.counts,
  }
}

/** A record as its row is written: index, employee, status, first and last position. */
interface RecordRow {
  i: number | null
  e: string | null
  s: RecordStatus | null
  f: number | null
  l: number | null
}

function recordsOf(call: RecordedEvent[], closing: Closing): RecordRow[] {
  const rows = new Map<number, RecordRow>()
  for (const event of call) {
    if (event === closing || event.index === null) continue
    const row = rows.get(event.index)
    if (row) Object.assign(row, { s: statusOf(event, row.s), l: event.position })
    else rows.set(event.index, rowOf(event, event.index))
  }
  if (closing.type === 'ApiCallCompleted') {
    for (const { index, employee_id } of closing.data?.unchanged ?? []) {
      rows.set(index, { i: index, e: toUuid(employee_id), s: 'No Updates', f: null, l: null })
    }
  } else if (rows.size === 0) {
    // No record caused it: one row carries the error of the call.
    return [{ i: null, e: null, s: null, f: closing.position, l: closing.position }]
  }
  return [...rows.values()].sort((a, b) => a.i! - b.i!)
}

function rowOf(event: RecordedEvent, index: number): RecordRow {
  const rejected = event.type === 'EmployeeRecordRejected' ? (event.data?.employee_id ?? null) : event.stream
  const employeeId = rejected === null ? null : toUuid(rejected)
  return { i: index, e: employeeId, s: statusOf(event, null), f: event.position, l: event.position }
}

/** One status for each record: deactivated before reactivated before synced. A creation and a refusal have none. */
function statusOf(event: RecordedEvent, before: RecordStatus | null): RecordStatus | null {
  if (event.type === 'EmployeeDeactivated') return 'Deactivated'
  if (event.type === 'EmployeeReactivated') return 'Reactivated'
  if (event.type === 'EmployeeUpdated') return before ?? 'Synced'
  return before
}
