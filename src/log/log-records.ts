import type { Static } from '@sinclair/typebox'
import type { LogRecord } from '#projections/bulk-user-logs/records-queries'
import type { RecordedEvent } from '#domain/events'
import { changesOf } from '#domain/employees/employee-history'
import { type EventTypeWith, isCallEvent } from '#domain/event-types'
import { wordFault } from '#domain/record-faults'
import { readShownEvents } from '#ledger/read/read-events'
import type { LedgerDb } from '#ledger/tables'
import type { RecordSchema } from './bulk-user-logs-schemas.ts'

/** A record of an entry in the admin endpoint. Fields that do not apply are null. */
export type ShownRecord = Static<typeof RecordSchema>

/**
 * Adds the details from the ledger to the rows of a page, in one read: to the first of them, at least one, if all
 * together have too many bytes.
 */
export async function renderRecords(
  db: LedgerDb,
  companyId: string,
  records: readonly LogRecord[],
): Promise<ShownRecord[]> {
  const positions = records.flatMap(listPositions)
  const events = positions.length === 0 ? [] : await readShownEvents(db, companyId, positions)
  const byPosition = new Map(events.map((event) => [event.position, event]))
  const missing = records.findIndex((record) => !listPositions(record).every((position) => byPosition.has(position)))
  return records.slice(0, missing === -1 ? records.length : Math.max(1, missing)).map((record) =>
    show(
      record,
      listPositions(record)
        .flatMap((position) => byPosition.get(position) ?? [])
        .filter(isCallEvent),
    ),
  )
}

/** Returns the positions of a record's events, which are contiguous. */
function listPositions({ firstPosition: first, lastPosition: last }: LogRecord) {
  if (first === null || last === null) return []
  return Array.from({ length: last - first + 1 }, (_, at) => first + at)
}

type CallEvent = Extract<RecordedEvent, { type: EventTypeWith<{ isOfCall: true }> }>

function show(record: LogRecord, events: CallEvent[]): ShownRecord {
  const erased = events.some(({ data }) => data === null)
  const shown: ShownRecord = {
    index: record.index,
    employee_id: record.employeeId,
    status: record.status,
    attributes: null,
    changes: erased || record.status === null || record.status === 'No Updates' ? null : {},
    record: null,
    truncated: false,
    errors: null,
    errors_omitted: 0,
    left_out: record.leftOut.map(({ field, fault }) => ({ field, reason: fault.kind, message: wordFault(fault) })),
    erased,
  }
  if (!erased) for (const event of events) apply(shown, event)
  return shown
}

function apply(shown: ShownRecord, event: CallEvent) {
  switch (event.type) {
    case 'EmployeeCreated':
      shown.attributes = event.data?.attributes ?? null
      break
    case 'EmployeeRecordRejected':
      // The path of a single update may contain anything; it is shown as sent.
      shown.employee_id = event.data?.employee_id ?? readId(event.data?.locator?.id)
      shown.record = event.data?.record ?? null
      shown.truncated = event.data?.truncated ?? false
      shown.errors = event.data?.errors.map(({ pointer, code, message }) => ({ pointer, code, message })) ?? null
      shown.errors_omitted = event.data?.errors_omitted ?? 0
      break
    case 'ApiCallFailed':
      shown.errors = event.data && [{ pointer: '', code: event.data.code, message: event.data.detail }]
      break
    case 'ApiCallCompleted':
      break
    case 'EmployeeUpdated':
    case 'EmployeeDeactivated':
    case 'EmployeeReactivated':
    case 'EmployeeDeprovisioned':
      shown.changes = { ...shown.changes, ...changesOf(event) }
  }
}

/** A record may name its employee by anything. What is no text is shown in the record only. */
function readId(sent: unknown) {
  return typeof sent === 'string' ? sent : null
}
