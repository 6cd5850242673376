import type { LogEntry } from '#projections/bulk-user-logs/queries'
import { findEmployees } from '#projections/employees/queries'
import { isEmployeeEvent } from '#domain/employees/employee'
import type { RecordedEvent } from '#domain/events'
import { isId } from '#domain/ids'
import { readEventsAt } from '#ledger/read/read-events'
import type { LedgerDb } from '#ledger/tables'
import { nameRecord, type RecordNames } from './refused-records.ts'

/** The person of a record, by the event that tells of it. */
interface RecordPerson extends RecordNames {
  event: RecordedEvent
  /** Null if the employee is unknown. */
  employeeId: string | null
}

/** Reads of whom events at these positions tell, in order. Nobody is named whose data are erased. */
export async function readPeople(db: LedgerDb, companyId: string, positions: number[]): Promise<RecordPerson[]> {
  const events = (await readEventsAt(db, companyId, positions)).filter(({ data }) => data !== null)
  const ids = events.map(findId).filter((id): id is string => isId('emp', id))
  const employees = await findEmployees(db, companyId, [...new Set(ids)])
  return events.map((event) => {
    const employee = employees.get(findId(event) as string)
    const sent = event.type === 'EmployeeRecordRejected' ? event.data! : { record: null }
    const shown = { truncated: false, ...sent, attributes: null }
    return { ...nameRecord({ employee, shown }), event, employeeId: employee?.id ?? null }
  })
}

function findId(event: RecordedEvent) {
  if (event.type === 'EmployeeRecordRejected') return event.data?.employee_id ?? event.data?.locator?.id
  if (event.type === 'ApiCallCompleted') return event.data?.unchanged[0]
  return isEmployeeEvent(event) ? event.stream : null
}

/** Names the person of each call with one record, by the call's id. */
export async function nameSinglePeople(
  db: LedgerDb,
  companyId: string,
  entries: readonly LogEntry[],
): Promise<ReadonlyMap<string, string>> {
  const single = entries.filter(({ entry }) => entry.counts.total === 1)
  if (single.length === 0) return new Map()
  const ids = new Set(single.map(({ entry }) => entry.id))
  // Before the event that closes a call stands the last one of its record, or one of another call if nothing changed.
  const people = await readPeople(
    db,
    companyId,
    single.flatMap(({ position }) => [position, position - 1]),
  )
  const names = new Map<string, string>()
  for (const { event, name, email, external_id: externalId } of people) {
    const label = name ?? email ?? externalId
    if (label !== null && event.call_id !== null && ids.has(event.call_id)) names.set(event.call_id, label)
  }
  return names
}
