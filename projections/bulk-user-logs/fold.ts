import type { Transaction } from 'kysely'
import { sql } from 'kysely'
import type { RecordedEvent } from '../../src/domain/events.ts'
import { closesCall } from '../../src/domain/events.ts'
import { deleteErased } from './erasure.ts'
import type { RejectedName } from './rejected-names.ts'
import { insertRejectedNames, findNames } from './rejected-names.ts'
import type { CountedEntry } from './rollups.ts'
import { addToRollups } from './rollups.ts'
import type { RecordStatus } from './tables.ts'
import { createBulkUserLogIndexes, createBulkUserLogTables } from './tables.ts'
import type { CompanyEvents, Projection } from '../projection.ts'
import { bigints, integers, texts, timestamps, unnestedRows, uuids } from '../unnested-rows.ts'

/**
 * Bulk User Logs: one entry per call, and a small row per record. The details stay in the ledger, and a row holds only
 * the positions of its events. This keeps the log cheap to write, and an erasure in the ledger also erases the details
 * in the log.
 */
export const bulkUserLogs: Projection = {
  name: 'bulk-user-logs',
  version: 1,
  createTables: createBulkUserLogTables,
  createIndexes: createBulkUserLogIndexes,
  fold,
}

async function fold(
  transaction: Transaction<unknown>,
  schema: string,
  batches: readonly CompanyEvents[],
): Promise<void> {
  const entries: Entry[] = []
  const records: PlacedRecord[] = []
  const names: RejectedName[] = []
  for (const { companyId, ...batch } of batches) {
    for (const part of splitByCall(batch)) {
      const { closing } = part
      const place = { companyId, entryPosition: closing.position }
      for (const record of buildRecords(part)) records.push({ ...place, ...record })
      for (const name of findRejectedNames(part)) names.push({ ...place, ...name })
      if (part.events.at(-1)!.position === closing.position) entries.push(buildEntry(companyId, closing))
    }
  }
  if (records.length > 0)
    await insertRecords(
      transaction,
      schema,
      records,
      batches.some(({ call }) => call),
    )
  await insertRejectedNames(transaction, schema, names)
  if (entries.length > 0) {
    await insertEntries(transaction, schema, entries)
    await addToRollups(transaction, schema, entries)
  }
  for (const { companyId, events } of batches) await deleteErased(transaction, schema, companyId, events)
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

/** Inserts rows. If a call is folded in parts, two of them may hold events of the same record. */
async function insertRecords(
  transaction: Transaction<unknown>,
  schema: string,
  records: PlacedRecord[],
  areParts: boolean,
): Promise<void> {
  const continueRecord = sql`on conflict (company_id, entry_position, ordinal)
    do update set status = excluded.status, last_position = excluded.last_position`
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
    })} ${areParts ? continueRecord : sql``}`.execute(transaction)
}

type Closing = Extract<RecordedEvent, { type: 'ApiCallCompleted' | 'ApiCallFailed' }>

/** All or some events of one call, and the event that closes it. */
interface Part {
  events: RecordedEvent[]
  first: number
  closing: Closing
}

/** Splits events by call; the events of a call are contiguous. Skips events outside of calls, which have no entry. */
function splitByCall({ events, call }: Omit<CompanyEvents, 'companyId'>): Part[] {
  const parts: Part[] = []
  let open: RecordedEvent[] = []
  const close = (first: number, closing: RecordedEvent) => {
    if (closing.type === 'ApiCallCompleted' || closing.type === 'ApiCallFailed')
      parts.push({ events: open, first, closing })
    open = []
  }
  if (call) {
    open = events
    close(call.first, call.closing)
    return parts
  }
  for (const event of events) {
    open.push(event)
    if (closesCall(event)) close(open[0]!.position, event)
  }
  if (open.length > 0) throw new Error(`the call at position ${open[0]!.position} is not closed`)
  return parts
}

/** An entry. Fields have the names of their columns, except for ids. */
interface Entry extends CountedEntry {
  callId: string
  duration_ms: number
  http_status: number
  error_code: string | null
  error_detail: string | null
  key_name: string
  request_id: string
}

function buildEntry(companyId: string, closing: Closing): Entry {
  const { data } = closing
  if (!data) throw new Error(`the data of ${closing.type} at position ${closing.position} is missing`)
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
  /** Its number among the rows of the entry, from 0. */
  ordinal: number
  index: number | null
  employeeId: string | null
  status: RecordStatus | null
  /** The positions of its first and last event. */
  first: number | null
  last: number | null
}

/** A record and the entry that it belongs to. */
interface PlacedRecord extends RecordRow {
  companyId: string
  entryPosition: number
}

/** Makes the rows of a part of a call. Only the closing event names records that changed nothing. */
function buildRecords({ events, first, closing }: Part): RecordRow[] {
  const rows = new Map<number, RecordRow>()
  for (const event of events) {
    if (event === closing || event.index === null) continue
    const row = rows.get(event.index)
    if (row) Object.assign(row, { status: getStatusAfter(event, row.status), last: event.position })
    else rows.set(event.index, buildRecord(event, event.index, getOrdinal(event, event.index, first)))
  }
  if (events.at(-1)!.position !== closing.position) return [...rows.values()]
  if (closing.type === 'ApiCallCompleted') {
    for (const { index, employee_id } of closing.data?.unchanged ?? []) {
      rows.set(index, { ordinal: index, index, employeeId: employee_id, status: 'No Updates', first: null, last: null })
    }
  } else if (first === closing.position) {
    // The call was refused as a whole: one row stands for it.
    return [{ ordinal: 0, index: null, employeeId: null, status: null, first, last: first }]
  }
  return [...rows.values()]
}

/**
 * The ordinal of a record. A failed call has one event and one row per refused record, a successful one a row per
 * record.
 */
function getOrdinal(event: RecordedEvent, index: number, first: number): number {
  return event.type === 'EmployeeRecordRejected' ? event.position - first : index
}

function findRejectedNames({ events, first }: Part): Omit<RejectedName, 'companyId' | 'entryPosition'>[] {
  return events.flatMap((event) => {
    if (event.type !== 'EmployeeRecordRejected' || !event.data) return []
    const at = { ordinal: event.position - first, position: event.position }
    return findNames(event.data).map((foundBy) => ({ ...at, foundBy }))
  })
}

function buildRecord(event: RecordedEvent, index: number, ordinal: number): RecordRow {
  const employeeId = event.type === 'EmployeeRecordRejected' ? (event.data?.employee_id ?? null) : event.stream
  return {
    ordinal,
    index,
    employeeId,
    status: getStatusAfter(event, null),
    first: event.position,
    last: event.position,
  }
}

/**
 * The status of a record: a change of the employee's status takes precedence. Created and refused records have none.
 */
function getStatusAfter(event: RecordedEvent, before: RecordStatus | null): RecordStatus | null {
  if (event.type === 'EmployeeDeactivated') return 'Deactivated'
  if (event.type === 'EmployeeReactivated') return 'Reactivated'
  if (event.type === 'EmployeeUpdated') return before ?? 'Synced'
  return before
}
