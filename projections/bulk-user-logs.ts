import type { Transaction } from 'kysely'
import { sql } from 'kysely'
import type { RecordedEvent } from '../src/domain/events.ts'
import { closesCall } from '../src/domain/events.ts'
import { toUuid } from '../src/domain/ids.ts'
import { bigintArray, integerArray, textArray, uuidArray } from '../src/ledger/binary-arrays.ts'
import { forgetErased } from './bulk-user-logs-erasure.ts'
import type { RejectedName } from './bulk-user-logs-rejected-names.ts'
import { insertRejectedNames, namesIn } from './bulk-user-logs-rejected-names.ts'
import { addToRollups } from './bulk-user-logs-rollups.ts'
import type { RecordStatus } from './bulk-user-logs-tables.ts'
import { createBulkUserLogTables } from './bulk-user-logs-tables.ts'
import type { Projection } from './projection.ts'

/**
 * Bulk User Logs: one entry for each call, and a light row for each of its records. What was set, changed or refused
 * stays in the ledger: a row names the positions of its events, so the log is cheap to write, and what is erased there
 * is erased here. Its tables are in bulk-user-logs-tables.ts, its queries in bulk-user-logs-queries.ts and its
 * neighbours.
 */
export const bulkUserLogs: Projection = { name: 'bulk-user-logs', version: 1, createTables: createBulkUserLogTables, fold }

async function fold(
  transaction: Transaction<unknown>,
  schema: string,
  companyId: string,
  events: RecordedEvent[],
): Promise<void> {
  const entries: ReturnType<typeof entryOf>[] = []
  const records: PlacedRecord[] = []
  const names: RejectedName[] = []
  for (const call of callsOf(events)) {
    const closing = call.at(-1)!
    if (closing.type !== 'ApiCallCompleted' && closing.type !== 'ApiCallFailed') continue
    const rows = recordsOf(call, closing)
    entries.push(entryOf(closing))
    rows.forEach((record, ordinal) => records.push({ entryPosition: closing.position, ordinal, ...record }))
    for (const name of rejectedNamesOf(call, closing, rows)) names.push(name)
  }
  if (entries.length > 0) {
    await insertEntries(transaction, schema, companyId, entries, records)
    await insertRejectedNames(transaction, schema, companyId, names)
    await addToRollups(transaction, schema, companyId, entries)
  }
  await forgetErased(transaction, schema, companyId, events)
}

async function insertEntries(
  transaction: Transaction<unknown>,
  schema: string,
  companyId: string,
  entries: unknown[],
  records: PlacedRecord[],
): Promise<void> {
  await sql`insert into ${sql.id(schema, 'entries')}
    select ${toUuid(companyId)}, r.* from json_to_recordset(${JSON.stringify(entries)}) as r(
      position bigint, call_id uuid, status text, operation text, requested_at timestamptz, duration_ms integer,
      http_status smallint, error_code text, error_detail text, key_id uuid, key_name text, request_id text,
      total integer, updated integer, deactivated integer, failed integer, no_updates integer)`.execute(transaction)
  await sql`insert into ${sql.id(schema, 'records')}
    select ${toUuid(companyId)}, r.* from unnest(
      ${bigintArray(records.map(({ entryPosition }) => entryPosition))}::bigint[],
      ${integerArray(records.map(({ ordinal }) => ordinal))}::integer[],
      ${integerArray(records.map(({ index }) => index))}::integer[],
      ${uuidArray(records.map(({ employeeId }) => employeeId))}::uuid[],
      ${textArray(records.map(({ status }) => status))}::text[],
      ${bigintArray(records.map(({ first }) => first))}::bigint[],
      ${bigintArray(records.map(({ last }) => last))}::bigint[]) as r`.execute(transaction)
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

interface RecordRow {
  index: number | null
  employeeId: string | null
  status: RecordStatus | null
  /** The positions of its first and last event. */
  first: number | null
  last: number | null
}

/** A record and its place: among the records of an entry. */
interface PlacedRecord extends RecordRow {
  entryPosition: number
  ordinal: number
}

function recordsOf(call: RecordedEvent[], closing: Closing): RecordRow[] {
  const rows = new Map<number, RecordRow>()
  for (const event of call) {
    if (event === closing || event.index === null) continue
    const row = rows.get(event.index)
    if (row) Object.assign(row, { status: statusOf(event, row.status), last: event.position })
    else rows.set(event.index, rowOf(event, event.index))
  }
  if (closing.type === 'ApiCallCompleted') {
    for (const { index, employee_id } of closing.data?.unchanged ?? []) {
      rows.set(index, { index, employeeId: employee_id, status: 'No Updates', first: null, last: null })
    }
  } else if (rows.size === 0) {
    // No record caused it: one row carries the error of the call.
    return [{ index: null, employeeId: null, status: null, first: closing.position, last: closing.position }]
  }
  return [...rows.values()].sort((a, b) => a.index! - b.index!)
}

function rejectedNamesOf(call: RecordedEvent[], closing: Closing, rows: RecordRow[]): RejectedName[] {
  const ordinals = new Map(rows.map(({ index }, ordinal) => [index, ordinal]))
  return call.flatMap((event) => {
    if (event.type !== 'EmployeeRecordRejected' || !event.data) return []
    const at = { entryPosition: closing.position, ordinal: ordinals.get(event.index)!, position: event.position }
    return namesIn(event.data).map((foundBy) => ({ ...at, foundBy }))
  })
}

function rowOf(event: RecordedEvent, index: number): RecordRow {
  const employeeId = event.type === 'EmployeeRecordRejected' ? (event.data?.employee_id ?? null) : event.stream
  return { index, employeeId, status: statusOf(event, null), first: event.position, last: event.position }
}

/** One status for each record: deactivated before reactivated before synced. A creation and a refusal have none. */
function statusOf(event: RecordedEvent, before: RecordStatus | null): RecordStatus | null {
  if (event.type === 'EmployeeDeactivated') return 'Deactivated'
  if (event.type === 'EmployeeReactivated') return 'Reactivated'
  if (event.type === 'EmployeeUpdated') return before ?? 'Synced'
  return before
}
