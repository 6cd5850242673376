import type { Kysely } from 'kysely'
import type { LogRecord } from '../../../projections/bulk-user-logs-queries.ts'
import type { AttributeChanges, RecordedEvent } from '../../domain/events.ts'
import { readEvents } from '../../ledger/read.ts'
import type { LedgerTables } from '../../ledger/tables.ts'

/** A record of an entry as the admin endpoint shows it; what does not apply is null. */
export interface ShownRecord {
  index: number | null
  employee_id: unknown
  status: LogRecord['status']
  /** What a creation set. */
  attributes: Record<string, unknown> | null
  /** What an update changed. */
  changes: AttributeChanges | null
  /** A refused record as it was sent. */
  record: unknown
  errors: { pointer: string; code: string; message: string }[] | null
}

/** Adds to the rows of a page what their events say. The events of one call stand next to each other: one read. */
export async function showRecords(
  db: Kysely<LedgerTables>,
  companyId: string,
  records: LogRecord[],
): Promise<ShownRecord[]> {
  const positions = records.flatMap(({ firstPosition, lastPosition }) =>
    firstPosition === null || lastPosition === null ? [] : [firstPosition, lastPosition],
  )
  const [first, last] = [positions.at(0), positions.at(-1)]
  if (first === undefined || last === undefined) return records.map((record) => show(record, []))
  const events = await readEvents(db, companyId, { after: first - 1, upTo: last, limit: last - first + 1 })
  return records.map((record) => {
    if (record.firstPosition === null || record.lastPosition === null) return show(record, [])
    return show(record, events.slice(record.firstPosition - first, record.lastPosition - first + 1))
  })
}

function show(record: LogRecord, events: RecordedEvent[]): ShownRecord {
  const shown: ShownRecord = {
    index: record.index,
    employee_id: record.employeeId,
    status: record.status,
    attributes: null,
    changes: record.status === null || record.status === 'No Updates' ? null : {},
    record: null,
    errors: null,
  }
  for (const event of events) apply(shown, event)
  return shown
}

function apply(shown: ShownRecord, event: RecordedEvent): void {
  switch (event.type) {
    case 'EmployeeCreated':
      shown.attributes = event.data?.attributes ?? null
      break
    case 'EmployeeUpdated':
      shown.changes = { ...shown.changes, ...event.data?.changes }
      break
    case 'EmployeeDeactivated':
      shown.changes = { ...shown.changes, status: { from: 'active', to: 'inactive' } }
      break
    case 'EmployeeReactivated':
      shown.changes = { ...shown.changes, status: { from: 'inactive', to: 'active' } }
      break
    case 'EmployeeRecordRejected':
      // A single update's path may name what is no employee at all: it is shown as it was sent.
      shown.employee_id = event.data?.employee_id ?? event.data?.locator?.id ?? null
      shown.record = event.data?.record ?? null
      shown.errors = event.data?.errors ?? null
      break
    case 'ApiCallFailed':
      shown.errors = event.data && [{ pointer: '', code: event.data.code, message: event.data.detail }]
      break
    default:
      break
  }
}
