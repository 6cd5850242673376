import type { Transaction } from 'kysely'
import { sql } from 'kysely'
import type { RecordedEvent } from '../src/domain/events.ts'
import { closesCall } from '../src/domain/events.ts'
import { forgetErased } from './bulk-user-logs-erasure.ts'
import type { RejectedName } from './bulk-user-logs-rejected-names.ts'
import { insertRejectedNames, namesIn } from './bulk-user-logs-rejected-names.ts'
import type { CountedEntry } from './bulk-user-logs-rollups.ts'
import { addToRollups } from './bulk-user-logs-rollups.ts'
import type { RecordStatus } from './bulk-user-logs-tables.ts'
import { createBulkUserLogIndexes, createBulkUserLogTables } from './bulk-user-logs-tables.ts'
import type { CompanyEvents, Projection } from './projection.ts'
import { bigints, integers, texts, timestamps, unnestedRows, uuids } from './unnested-rows.ts'

/**
 * Bulk User Logs: one entry for each call, and a light row for each of its records. What was set, changed or refused
 * stays in the ledger: a row names the positions of its events, so the log is cheap to write, and what is erased there
 * is erased here. Its tables are in bulk-user-logs-tables.ts, its queries in bulk-user-logs-queries.ts and its
 * neighbours.
 */
export const bulkUserLogs: Projection = {
  name: 'bulk-user-logs',
  version: 1,
  createTables: createBulkUserLogTables,
  createIndexes: createBulkUserLogIndexes,
  fold,
}

async function fold(transaction: Transaction<unknown>, schema: string, batches: readonly CompanyEvents[]): Promise<void> {
  const entries: Entry[] = []
  const records: PlacedRecord[] = []
  const names: RejectedName[] = []
  for (const { companyId, events } of batches) {
    for (const call of callsOf(events)) {
      const closing = call.at(-1)!
      if (closing.type !== 'ApiCallCompleted' && closing.type !== 'ApiCallFailed') continue
      const rows = recordsOf(call, closing)
      const place = { companyId, entryPosition: closing.position }
      entries.push(entryOf(companyId, closing))
      rows.forEach((record, ordinal) => records.push({ ...place, ordinal, ...record }))
      for (const name of rejectedNamesOf(call, rows)) names.push({ ...place, ...name })
    }
  }
  if (entries.length > 0) {
    await insertEntries(transaction, schema, entries)
    await insertRecords(transaction, schema, records)
    await insertRejectedNames(transaction, schema, names)
    await addToRollups(transaction, schema, entries)
  }
  for (const { companyId, events } of batches) await forgetErased(transaction, schema, companyId, events)
}

async function insertEntries(transaction: Transaction<unknown>, schema: string, entries: Entry[]): Promise<void> {
  const id = (name: 'companyId' | 'callId' | 'keyId') => uuids(entries.map((entry) => entry[name]))
  const text = (name: TextColumn) => texts(entries.map((entry) => entry[name]))
  const integer = (name: IntegerColumn) => integers(entries.map((entry) => entry[name]))
  await sql`insert into ${sql.id(schema, 'entries')}
    select * from ${unnestedRows({
      company_id: id('companyId'),
      position: bigints(entries.map(({ position }) => position)),
      call_id: id('callId'),
      status: text('status'),
      operation: text('operation'),
      requested_at: timestamps(entries.map((entry) => entry.requested_at)),
      duration_ms: integer('duration_ms'),
      http_status: integer('http_status'),
      error_code: text('error_code'),
      error_detail: text('error_detail'),
      key_id: id('keyId'),
      key_name: text('key_name'),
      request_id: text('request_id'),
      total: integer('total'),
      updated: integer('updated'),
      deactivated: integer('deactivated'),
      failed: integer('failed'),
      no_updates: integer('no_updates'),
    })}`.execute(transaction)
}

type TextColumn = 'status' | 'operation' | 'error_code' | 'error_detail' | 'key_name' | 'request_id'
type IntegerColumn = 'duration_ms' | 'http_status' | 'total' | 'updated' | 'deactivated' | 'failed' | 'no_updates'

async function insertRecords(transaction: Transaction<unknown>, schema: string, records: PlacedRecord[]): Promise<void> {
  await sql`insert into ${sql.id(schema, 'records')}
    select * from ${unnestedRows({
      company_id: uuids(records.map(({ companyId }) => companyId)),
      entry_position: bigints(records.map(({ entryPosition }) => entryPosition)),
      ordinal: integers(records.map(({ ordinal }) => ordinal)),
      record_index: integers(records.map(({ index }) => index)),
      employee_id: uuids(records.map(({ employeeId }) => employeeId)),
      status: texts(records.map(({ status }) => status)),
      first_position: bigints(records.map(({ first }) => first)),
      last_position: bigints(records.map(({ last }) => last)),
    })}`.execute(transaction)
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

/** An entry, in the words of its row but for the ids. */
interface Entry extends CountedEntry {
  callId: string
  duration_ms: number
  http_status: number
  error_code: string | null
  error_detail: string | null
  key_name: string
  request_id: string
}

function entryOf(companyId: string, closing: Closing): Entry {
  const { data } = closing
  if (!data) throw new Error(`the data of ${closing.type} at position ${closing.position} are missing`)
  const failure = closing.type === 'ApiCallFailed' ? closing.data : null
  return {
    companyId,
    position: closing.position,
    callId: closing.stream,
    status: failure ? 'Failed' : 'Completed',
    operation: data.operation,
    requested_at: data.requested_at,
    duration_ms: data.duration_ms,
    http_status: failure?.http_status ?? (data.operation === 'create' ? 201 : 200),
    error_code: failure?.code ?? null,
    error_detail: failure?.detail ?? null,
    keyId: data.key.id,
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
  companyId: string
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

function rejectedNamesOf(call: RecordedEvent[], rows: RecordRow[]): Omit<RejectedName, 'companyId' | 'entryPosition'>[] {
  const ordinals = new Map(rows.map(({ index }, ordinal) => [index, ordinal]))
  return call.flatMap((event) => {
    if (event.type !== 'EmployeeRecordRejected' || !event.data) return []
    const at = { ordinal: ordinals.get(event.index)!, position: event.position }
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
