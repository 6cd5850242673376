import { isSingle } from '#domain/operations'
import type { LogEntry } from '#projections/bulk-user-logs/queries'
import { type LogRecord, type RecordFilter, listLogRecords } from '#projections/bulk-user-logs/records-queries'
import { listRefusedOfCause, type RefusalFilter, type RefusedPlace } from '#projections/bulk-user-logs/cause-queries'
import type { RefusalCause } from '#projections/bulk-user-logs/refused-errors'
import { isObject } from '#domain/json'
import type { LedgerDb } from '#ledger/tables'
import { renderRecords, type ShownRecord } from './log-records.ts'

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
      for (; unread.length >= RECORDS_AT_ONCE; unread = unread.slice(RECORDS_AT_ONCE))
        yield await readRecords(db, companyId, unread.slice(0, RECORDS_AT_ONCE))
      after = rows.at(-1)?.index ?? 0
    } while (rows.length === ROWS_AT_ONCE)
  }
  yield await readRecords(db, companyId, unread)
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
    yield await readRecords(db, companyId, places.map(toRow))
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

/** Reads records of any entries from the ledger, at once. */
async function readRecords(
  db: LedgerDb,
  companyId: string,
  refused: { entry: { entry: Pick<LogEntry['entry'], 'id' | 'operation'> }; row: LogRecord }[],
): Promise<RefusedRecord[]> {
  const rows = refused.map(({ row }) => row)
  const shown = await renderRecords(db, companyId, rows)
  return refused.flatMap(({ entry: { entry } }, at) => {
    const { employee_id: id, record, index, truncated, errors, errors_omitted } = shown[at]!
    if (record === null) return []
    const isOne = isSingle(entry.operation) && isObject(record)
    return {
      logId: entry.id,
      index,
      truncated,
      errors_omitted,
      record: isOne ? { ...record, id } : record,
      errors: makePointersRelative(record, index, errors ?? []),
    }
  })
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
