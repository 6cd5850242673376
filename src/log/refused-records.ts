import { isSingle } from '#domain/operations'
import type { LogEntry } from '#projections/bulk-user-logs/queries'
import {
  type LogRecord,
  type RecordFilter,
  listLogRecords,
  type RecordOutcome,
  getRecordOutcome,
} from '#projections/bulk-user-logs/records-queries'
import { listRefusedOfCause, type RefusalFilter, type RefusedPlace } from '#projections/bulk-user-logs/cause-queries'
import type { RefusalCause } from '#projections/bulk-user-logs/refused-errors'
import { isObject } from '#domain/json'
import type { LedgerDb } from '#ledger/tables'
import { renderRecords, type ShownRecord } from './log-records.ts'
import { findEmployees } from '#projections/employees/queries'
import { type Employee, formatFullName } from '#domain/employees/employee'
import { isId } from '#domain/ids'
import { trimBlanks } from '#text/normalize-text'

/** A refused record of an entry, unchanged; that of a single update also has the `id` of its path. */
export interface RefusedRecord extends Pick<ShownRecord, 'record' | 'truncated' | 'errors_omitted'> {
  logId: string
  index: number | null
  /** The pointers lead into the record. */
  errors: RecordErrors
}

type RecordErrors = NonNullable<ShownRecord['errors']>

const ROWS_AT_ONCE = 1_000
/** A record may be as large as a body. */
const RECORDS_AT_ONCE = 100

/**
 * Reads the matching refused records of entries that are not erased, in the order of the entries and of their calls, a
 * limited number at a time.
 */
export async function* listRefusedRecords(
  db: LedgerDb,
  companyId: string,
  entries: readonly LogEntry[],
  filter: RecordFilter,
): AsyncGenerator<RefusedRecord[]> {
  let unread: { entry: LogEntry; row: LogRecord }[] = []
  for (const entry of entries) {
    let rows: LogRecord[]
    let after = -1
    do {
      const page = { after, limit: ROWS_AT_ONCE }
      rows = await listLogRecords(db, companyId, entry, { ...filter, status: 'Failed' }, page)
      for (const row of rows) unread.push({ entry, row })
      while (unread.length >= RECORDS_AT_ONCE) {
        const { read, refused } = await readRecords(db, companyId, unread.slice(0, RECORDS_AT_ONCE))
        unread = unread.slice(read)
        yield refused
      }
      after = rows.at(-1)?.index ?? 0
    } while (rows.length === ROWS_AT_ONCE)
  }
  yield* readAll(db, companyId, unread)
}

/** Reads all refused records of a cause in a period, newest first, a limited number at a time. */
export async function* listRefusedByCause(
  db: LedgerDb,
  companyId: string,
  filter: RefusalFilter & RefusalCause,
): AsyncGenerator<RefusedRecord[]> {
  let places: RefusedPlace[] = []
  do {
    places = await listRefusedOfCause(db, companyId, filter, { after: places.at(-1) ?? null, limit: RECORDS_AT_ONCE })
    yield* readAll(db, companyId, places.map(toRow))
  } while (places.length === RECORDS_AT_ONCE)
}

function toRow({ entry, index, position }: RefusedPlace) {
  const row = {
    index,
    employeeId: null,
    status: null,
    isRefused: true,
    firstPosition: position,
    lastPosition: position,
    leftOut: [],
  }
  return { entry: { entry }, row }
}

interface RefusedRow {
  entry: { entry: Pick<LogEntry['entry'], 'id' | 'operation'> }
  row: LogRecord
}

/** Reads records of any entries from the ledger, as many at once as are shown together. */
async function* readAll(db: LedgerDb, companyId: string, rows: readonly RefusedRow[]) {
  for (let at = 0; at < rows.length;) {
    const { read, refused } = await readRecords(db, companyId, rows.slice(at))
    at += read
    yield refused
  }
}

/** Reads the first of some records of any entries. Returns how many it has read, and those that are not erased. */
async function readRecords(db: LedgerDb, companyId: string, rows: readonly RefusedRow[]) {
  const shown = await renderRecords(
    db,
    companyId,
    rows.map(({ row }) => row),
  )
  const refused = shown.flatMap((one, at): RefusedRecord[] => {
    const { employee_id: id, record, index, truncated, errors, errors_omitted } = one
    const { entry } = rows[at]!.entry
    if (record === null) return []
    const isOne = isSingle(entry.operation) && isObject(record)
    return [
      {
        logId: entry.id,
        index,
        truncated,
        errors_omitted,
        record: isOne ? { ...record, id } : record,
        errors: makePointersRelative(record, index, errors ?? []),
      },
    ]
  })
  return { read: shown.length, refused }
}

/** Makes the API's pointers, which lead into the body, relative to the record. A body holds records in three ways. */
export function makePointersRelative(sent: unknown, index: number | null, errors: RecordErrors): RecordErrors {
  if (sent === null || index === null) return errors
  const prefix = [`/employees/${index}`, `/${index}`].find((start) =>
    errors.every(({ pointer }) => `${pointer}/`.startsWith(`${start}/`)),
  )
  return prefix === undefined
    ? errors
    : errors.map((error) => ({ ...error, pointer: error.pointer.slice(prefix.length) }))
}

/** A record of an entry with everything that pages and exports show. */
export interface DetailedRecord {
  row: LogRecord
  shown: ShownRecord
  outcome: RecordOutcome
  /** The employee's current state; undefined when there is none, or it was erased. */
  employee: Employee | undefined
}

/** Adds the details from the ledger and the current employees to the rows of a page, as `renderRecords` does. */
export async function addDetails(db: LedgerDb, companyId: string, rows: LogRecord[]): Promise<DetailedRecord[]> {
  const shown = await renderRecords(db, companyId, rows)
  const ids = shown.map(({ employee_id: id }) => id).filter((id): id is string => isId('emp', id))
  const employees = await findEmployees(db, companyId, [...new Set(ids)])
  return shown.map((one, at) => {
    const { employee_id: id, erased } = one
    // The employees may still be there for a moment after the erasure.
    const employee = typeof id === 'string' && !erased ? employees.get(id) : undefined
    const row = rows[at]!
    return { row, shown: one, outcome: getRecordOutcome(row), employee }
  })
}

const DETAILED_AT_ONCE = 1_000
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
    rows = await listLogRecords(db, companyId, entry, filter, { after, limit: DETAILED_AT_ONCE })
    for (let from = 0; from < rows.length;) {
      const detailed = await addDetails(db, companyId, rows.slice(from, from + DETAILS_AT_ONCE))
      from += detailed.length
      yield detailed
    }
    after = rows.at(-1)?.index ?? 0
  } while (rows.length === DETAILED_AT_ONCE)
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
  const text = (name: string) => {
    const value = source[name]
    return typeof value === 'string' && trimBlanks(value) !== '' ? value : null
  }
  const name = formatFullName({ first_name: text('first_name'), last_name: text('last_name') })
  return { name: name === '' ? null : name, email: text('email'), external_id: text('external_id') }
}
