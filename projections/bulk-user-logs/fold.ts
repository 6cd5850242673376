import { sql, type Transaction } from 'kysely'
import type { RecordedEvent } from '../../src/domain/events.ts'
import { sourceOf } from '../../src/domain/call-sources.ts'
import { closesCall } from '../../src/domain/event-types.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { rulesOf } from '../../src/domain/operations.ts'
import { insertFormerNames } from './former-names.ts'
import { markOutcomes } from './outcomes.ts'
import { findNames, insertNames, type NamedRow } from './rejected-names.ts'
import { addToRollups } from './rollups.ts'
import { BULK_USER_LOG_INDEXES, BULK_USER_LOG_TABLES, NO_KEY, type BulkUserLogTables } from './tables.ts'
import type { CompanyEvents, Projection } from '../projection.ts'
import { insertRows } from '../columns.ts'

/**
 * Bulk User Logs: one entry per call, with a byte per record. The details stay in the ledger, and the bytes tell where
 * they are. This keeps the log cheap to write, and an erasure in the ledger also erases the details in the log.
 */
export const bulkUserLogs: Projection = {
  name: 'bulk-user-logs',
  version: 3,
  tables: BULK_USER_LOG_TABLES,
  indexes: BULK_USER_LOG_INDEXES,
  fold,
}

async function fold(
  transaction: Transaction<unknown>,
  schema: string,
  batches: readonly CompanyEvents[],
): Promise<void> {
  const entries: Entry[] = []
  const names: NamedRow<'rejected_names'>[] = []
  for (const { companyId, ...batch } of batches) {
    for (const callEvents of splitByCall(batch)) {
      for (const name of findRejectedNames(callEvents))
        names.push({ company_id: companyId, entry_position: callEvents.closing.position, ...name })
      if (callEvents.events[0]!.position === callEvents.first) entries.push(buildEntry(companyId, callEvents))
      else await addOutcomes(transaction, schema, companyId, callEvents)
    }
  }
  await insertNames(transaction, schema, 'rejected_names', names)
  if (entries.length > 0) {
    await insertRows(sql.id(schema, 'entries'), BULK_USER_LOG_TABLES.entries.columns, entries).execute(transaction)
    await addToRollups(transaction, schema, entries)
  }
  await insertFormerNames(transaction, schema, batches)
  for (const { companyId, events } of batches) await deleteErased(transaction, schema, companyId, events)
}

/** Adds a later part of a call to its entry, which the first part has inserted in the same transaction. */
async function addOutcomes(
  transaction: Transaction<unknown>,
  schema: string,
  companyId: string,
  { events, closing }: Part,
): Promise<void> {
  const entries = sql.id(schema, 'entries')
  const isOfCall = sql`company_id = ${toUuid(companyId)} and position = ${closing.position}`
  const { rows } = await sql<{ outcomes: Buffer }>`select outcomes from ${entries} where ${isOfCall}`.execute(
    transaction,
  )
  const { outcomes } = rows[0]!
  markOutcomes(outcomes, events)
  await sql`update ${entries} set outcomes = ${outcomes} where ${isOfCall}`.execute(transaction)
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

type Entry = BulkUserLogTables['entries']

/** Makes the entry of a call from its first part, which may be all of it. */
function buildEntry(companyId: string, { events, first, closing }: Part): Entry {
  const { data } = closing
  if (!data) throw new Error(`the data of ${closing.type} at position ${closing.position} is missing`)
  const failure = closing.type === 'ApiCallFailed' ? closing.data : null
  const outcomes = failure && first === closing.position ? null : Buffer.alloc(data.counts.total)
  if (outcomes) markOutcomes(outcomes, events)
  return {
    company_id: companyId,
    position: closing.position,
    call_id: closing.stream,
    status: failure ? 'Failed' : 'Completed',
    operation: data.operation,
    source: sourceOf(data),
    requested_at: data.requested_at,
    duration_ms: data.duration_ms,
    http_status: data.http_status ?? (data.counts.failed === 0 ? rulesOf(data.operation).status : 200),
    error_code: failure?.code ?? null,
    error_detail: failure?.detail ?? null,
    key_id: data.key?.id ?? NO_KEY,
    key_name: data.key?.name ?? '',
    request_id: data.request_id,
    first_position: first,
    outcomes,
    notes: data.notes ?? null,
    ...data.counts,
  }
}

function findRejectedNames({ events }: Part): Omit<NamedRow<'rejected_names'>, 'company_id' | 'entry_position'>[] {
  return events.flatMap((event) => {
    if (event.type !== 'EmployeeRecordRejected' || !event.data) return []
    const { position, data } = event
    return findNames(data).map((name) => ({ position, employee_id: data.employee_id, found_by: name }))
  })
}

/**
 * Deletes what the log keeps of the names in refused records whose data is erased, and of what erased employees were
 * called before. The rows are then the same as if the data had been erased before the fold. Call it after the rows of
 * these events have been inserted.
 */
async function deleteErased(
  transaction: Transaction<unknown>,
  schema: string,
  companyId: string,
  events: RecordedEvent[],
): Promise<void> {
  const positions = events.flatMap((event) => {
    const isErasing = event.type === 'EmployeeErased' || event.type === 'RecordsRetired'
    return isErasing ? (event.data?.positions ?? []) : []
  })
  if (positions.length > 0)
    await sql`delete from ${sql.id(schema, 'rejected_names')}
      where company_id = ${toUuid(companyId)} and position = any(${positions}::bigint[])`.execute(transaction)
  const people = events.flatMap(({ type, stream }) => (type === 'EmployeeErased' ? [toUuid(stream)] : []))
  if (people.length > 0)
    await sql`delete from ${sql.id(schema, 'former_names')}
      where company_id = ${toUuid(companyId)} and employee_id = any(${people}::uuid[])`.execute(transaction)
}
