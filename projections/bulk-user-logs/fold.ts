import { sql, type Transaction } from 'kysely'
import type { RecordedEvent } from '#domain/events'
import { sourceOf } from '#domain/call-sources'
import { closesCall } from '#domain/event-types'
import { toUuid, fromUuid } from '#domain/ids'
import { rulesOf } from '#domain/operations'
import { mapInPieces, type Pieces } from '#domain/pieces'
import { listFormerNames } from './former-names.ts'
import { markOutcomes, placeRecords } from './outcomes.ts'
import { addErrors, listErrors, removeErrors } from './refused-errors.ts'
import { findNames, insertNames, type NamedRow } from './rejected-names.ts'
import { addToRollups } from './rollups.ts'
import { BULK_USER_LOG_INDEXES, BULK_USER_LOG_TABLES, NO_KEY, type BulkUserLogTables } from './tables.ts'
import { type CompanyEvents, type DoPieces, type Projection, insertRows } from '#projections/projection'

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
  doPieces: DoPieces,
) {
  const parts = batches.flatMap(({ companyId, ...batch }) =>
    splitByCall(batch).map((part): PartOfCompany => ({ companyId, ...part })),
  )
  const entries: Entry[] = []
  for (const part of parts) {
    if (part.events[0]!.position === part.first) entries.push(buildEntry(part))
    else await addOutcomes(transaction, schema, part)
  }
  await insertNames(transaction, schema, 'rejected_names', await doPieces(listRejectedNames(parts)))
  await addErrors(transaction, schema, await doPieces(listErrors(parts)), doPieces)
  if (entries.length > 0) {
    await insertRows(sql.id(schema, 'entries'), BULK_USER_LOG_TABLES.entries.columns, entries).execute(transaction)
    await addToRollups(transaction, schema, entries)
  }
  await insertNames(
    transaction,
    schema,
    'former_names',
    await doPieces(listFormerNames(batches)),
    // Somebody may have had the same value twice.
    sql`on conflict do nothing`,
  )
  for (const { companyId, events } of batches) {
    await deleteErased(transaction, schema, companyId, events)
    const corrected = await findCorrected(transaction, schema, companyId, events)
    await removeErrors(transaction, schema, companyId, [...listErased(events), ...corrected])
  }
}

/** Adds a later part of a call to its entry, which the first part has inserted in the same transaction. */
async function addOutcomes(
  transaction: Transaction<unknown>,
  schema: string,
  { companyId, events, closing }: PartOfCompany,
) {
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

interface PartOfCompany extends Part {
  companyId: string
}

/** Splits events by call; the events of a call are contiguous. Skips events outside of calls, which have no entry. */
function splitByCall({ events, call }: Omit<CompanyEvents, 'companyId'>) {
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
function buildEntry({ companyId, events, first, closing }: PartOfCompany): Entry {
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

function* listRejectedNames(parts: readonly PartOfCompany[]): Pieces<NamedRow<'rejected_names'>[]> {
  const refused = parts.flatMap(({ companyId, events, closing }) =>
    events
      .filter((event) => event.type === 'EmployeeRecordRejected')
      .map((event) => ({ event, of: { company_id: companyId, entry_position: closing.position } })),
  )
  const names = yield* mapInPieces(
    refused,
    ({ event: { position, data }, of }) =>
      data ? findNames(data).map((name) => ({ ...of, position, employee_id: data.employee_id, found_by: name })) : [],
    1,
  )
  return names.flat()
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
) {
  const positions = listErased(events)
  if (positions.length > 0)
    await sql`delete from ${sql.id(schema, 'rejected_names')}
      where company_id = ${toUuid(companyId)} and position = any(${positions}::bigint[])`.execute(transaction)
  const people = events.filter(({ type }) => type === 'EmployeeErased').map(({ stream }) => toUuid(stream))
  if (people.length > 0)
    await sql`delete from ${sql.id(schema, 'former_names')}
      where company_id = ${toUuid(companyId)} and employee_id = any(${people}::uuid[])`.execute(transaction)
}

/** The positions of the events whose data these events erase. */
function listErased(events: readonly RecordedEvent[]) {
  return events
    .filter((event) => event.type === 'EmployeeErased' || event.type === 'RecordsRetired')
    .flatMap(({ data }) => data?.positions ?? [])
}

/** The positions of the events that rejected records which calls among these events have corrected. */
async function findCorrected(
  transaction: Transaction<unknown>,
  schema: string,
  companyId: string,
  events: readonly RecordedEvent[],
) {
  const found: number[] = []
  for (const event of events) {
    if (event.type !== 'ApiCallCompleted') continue
    const pairs = Object.entries(event.data?.corrected_records ?? {})
    if (pairs.length === 0) continue
    const calls = await placeRefused(transaction, schema, companyId, [event.stream, ...pairs.map(([id]) => id)])
    const notApplied = calls.get(event.stream)
    for (const [id, indexes] of pairs)
      for (const [own, corrected] of indexes) {
        const position = calls.get(id)?.get(corrected)
        if (position !== undefined && !notApplied?.has(own)) found.push(position)
      }
  }
  return found
}

/** The positions of the events that rejected records of calls, by the index of the record. */
async function placeRefused(
  transaction: Transaction<unknown>,
  schema: string,
  companyId: string,
  callIds: readonly string[],
) {
  const { rows } = await sql<Pick<BulkUserLogTables['entries'], 'call_id' | 'first_position' | 'outcomes' | 'status'>>`
    select call_id, first_position, outcomes, status from ${sql.id(schema, 'entries')}
    where company_id = ${toUuid(companyId)} and call_id = any(${callIds.map(toUuid)}::uuid[])
      and outcomes is not null`.execute(transaction)
  return new Map(
    rows.map(({ call_id: id, first_position: first, outcomes, status }) => {
      const refused = placeRecords(outcomes!, first, status === 'Failed').filter(({ isRefused }) => isRefused)
      return [fromUuid('log', id), new Map(refused.map((record) => [record.index, record.first!]))]
    }),
  )
}
