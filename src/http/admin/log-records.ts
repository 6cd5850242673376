import type { Kysely } from 'kysely'
import type { LogRecord } from '../../../projections/bulk-user-logs/records-queries.ts'
import type { AttributeChanges, RecordedEvent } from '../../domain/events.ts'
import { readEventsAt } from '../../ledger/read/read-events.ts'
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
  /** A refused record as it was sent; when it is truncated, the beginning of its JSON text. */
  record: unknown
  /** Whether the record was too large to be kept as it was sent. */
  truncated: boolean
  /** The record's first errors. */
  errors: { pointer: string; code: string; message: string }[] | null
  /** How many more errors it has. */
  errors_omitted: number
  /** What it said is erased, with the person or because it was kept long enough. */
  erased: boolean
}

/** Adds to the rows of a page what their events say: one read for all of them. */
export async function showRecords(
  db: Kysely<LedgerTables>,
  companyId: string,
  records: LogRecord[],
): Promise<ShownRecord[]> {
  const positions = records.flatMap(positionsOf)
  const events = positions.length === 0 ? [] : await readEventsAt(db, companyId, positions)
  const byPosition = new Map(events.map((event) => [event.position, event]))
  return records.map((record) =>
    show(
      record,
      positionsOf(record).flatMap((position) => byPosition.get(position) ?? []),
    ),
  )
}

/** The events of one record stand next to each other. */
function positionsOf({ firstPosition: first, lastPosition: last }: LogRecord): number[] {
  if (first === null || last === null) return []
  return Array.from({ length: last - first + 1 }, (_, at) => first + at)
}

function show(record: LogRecord, events: RecordedEvent[]): ShownRecord {
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
    erased,
  }
  if (!erased) for (const event of events) apply(shown, event)
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
      shown.truncated = event.data?.truncated ?? false
      shown.errors = event.data?.errors ?? null
      shown.errors_omitted = event.data?.errors_omitted ?? 0
      break
    case 'ApiCallFailed':
      shown.errors = event.data && [{ pointer: '', code: event.data.code, message: event.data.detail }]
      break
    default:
      break
  }
}
