import type { LogEntry } from '#projections/bulk-user-logs/queries'
import {
  type LogRecord,
  type RecordFilter,
  type RecordOutcome,
  getRecordOutcome,
  listLogRecords,
} from '#projections/bulk-user-logs/records-queries'
import { findEmployees } from '#projections/employees/queries'
import { type Employee, formatFullName } from '#domain/employees/employee'
import { isId } from '#domain/ids'
import { isObject } from '#domain/json'
import type { LedgerDb } from '#ledger/tables'
import { renderRecords, type ShownRecord } from './log-records.ts'

/** A record of an entry with everything that pages and exports show. */
export interface DetailedRecord {
  row: LogRecord
  shown: ShownRecord
  outcome: RecordOutcome
  /** The employee's current state; undefined when there is none, or it was erased. */
  employee: Employee | undefined
}

/** Adds the details from the ledger and the current employees to the rows of a page. */
export async function addDetails(db: LedgerDb, companyId: string, rows: LogRecord[]): Promise<DetailedRecord[]> {
  const shown = await renderRecords(db, companyId, rows)
  const ids = shown.map(({ employee_id: id }) => id).filter((id): id is string => isId('emp', id))
  const employees = await findEmployees(db, companyId, [...new Set(ids)])
  return rows.map((row, at) => {
    const { employee_id: id, erased } = shown[at]!
    // The employees may still be there for a moment after the erasure.
    const employee = typeof id === 'string' && !erased ? employees.get(id) : undefined
    return { row, shown: shown[at]!, outcome: getRecordOutcome(row), employee }
  })
}

const ROWS_AT_ONCE = 1_000
/** The events of records may be as large as a body. */
const DETAILS_AT_ONCE = 100

/** Reads all matching records of an entry, in the order of the call, a limited number at a time. */
export async function* listDetailed(
  db: LedgerDb,
  companyId: string,
  entry: LogEntry,
  filter: RecordFilter,
): AsyncGenerator<DetailedRecord[]> {
  let rows: LogRecord[]
  let after = -1
  do {
    rows = await listLogRecords(db, companyId, entry, filter, { after, limit: ROWS_AT_ONCE })
    for (let from = 0; from < rows.length; from += DETAILS_AT_ONCE)
      yield await addDetails(db, companyId, rows.slice(from, from + DETAILS_AT_ONCE))
    after = rows.at(-1)?.index ?? 0
  } while (rows.length === ROWS_AT_ONCE)
}

/** The names of the person that a record is about; null for what is not known. */
export interface RecordNames {
  name: string | null
  email: string | null
  external_id: string | null
}

/** Names the person of a record: as of now if the employee is known, otherwise as sent. */
export function nameRecord({
  employee,
  shown: { record, truncated, attributes },
}: Pick<DetailedRecord, 'employee'> & {
  shown: Pick<ShownRecord, 'record' | 'truncated' | 'attributes'>
}): RecordNames {
  const sent = !truncated && isObject(record) ? record : (attributes ?? {})
  const { givenName, familyName } = isObject(sent['name']) ? sent['name'] : {}
  // A user of SCIM has other members.
  const source: Record<string, unknown> = employee
    ? { ...employee }
    : { first_name: givenName, last_name: familyName, email: sent['userName'], ...sent }
  const text = (name: string) => (typeof source[name] === 'string' && source[name] !== '' ? source[name] : null)
  const name = formatFullName({ first_name: text('first_name'), last_name: text('last_name') })
  return { name: name === '' ? null : name, email: text('email'), external_id: text('external_id') }
}
