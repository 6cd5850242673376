import { readNewestLogPosition, type EntryFilter } from '#projections/bulk-user-logs/queries'
import { writeText } from '#spreadsheets/cells'
import { addColumns, orderColumns, ORIGIN_COLUMNS, RECORD_COLUMN, writeRecord } from '#spreadsheets/record-columns'
import { inTurns } from '#admission/turns'
import type { LedgerDb } from '#ledger/tables'
import { listAllEntries } from './bulk-user-logs-csv.ts'
import { writeCsvHeader, writeCsvRows } from './csv-text.ts'
import { formatField } from '#domain/errors'
import { listRefusedRecords, type RefusedRecord } from './refused-records.ts'

const ENTRIES_AT_ONCE = 100

/** Writes the refused records of all matching entries as CSV that people can edit, newest entry first. */
export async function* writeAllFailedRecords(
  db: LedgerDb,
  companyId: string,
  filter: EntryFilter,
): AsyncGenerator<string> {
  // Both times, the file has the entries that there are now.
  const before = (await readNewestLogPosition(db, companyId)) + 1
  async function* list(): AsyncGenerator<RefusedRecord[]> {
    const page = { before, limit: ENTRIES_AT_ONCE, withRefused: true as const }
    for await (const entries of listAllEntries(db, companyId, filter, page))
      yield* listRefusedRecords(db, companyId, entries, {})
  }
  yield* writeFile(list)
}

/**
 * Writes the file. Reads the records twice, first for their columns, so that memory holds a page of them at a time. Both
 * times they are the same, unless some were erased meanwhile.
 */
export async function* writeFile(list: () => AsyncIterable<RefusedRecord[]>): AsyncGenerator<string> {
  const columns = new Set<string>()
  for await (const page of list()) {
    for await (const { record, truncated } of inTurns(page)) {
      if (truncated) columns.add(RECORD_COLUMN)
      else addColumns(columns, record)
    }
    // Lets the reader's rights be checked, although there is nothing to send yet.
    yield ''
  }
  const ordered = orderColumns(columns)
  yield writeCsvHeader([...ORIGIN_COLUMNS, ...ordered])
  function* rowsOf(page: readonly RefusedRecord[]): Generator<string[]> {
    for (const refused of page) yield writeRow(refused, columns, ordered)
  }
  for await (const page of list()) yield* writeCsvRows(rowsOf(page))
}

function writeRow(
  { logId, index, record, truncated, ...refused }: RefusedRecord,
  columns: ReadonlySet<string>,
  ordered: string[],
): string[] {
  const cells = truncated ? new Map([[RECORD_COLUMN, writeText(record as string)]]) : writeRecord(record, columns)
  const errors = formatErrors(refused)
  return [
    logId,
    String(index ?? ''),
    errors === '' ? '' : writeText(errors),
    ...ordered.map((name) => cells.get(name) ?? ''),
  ]
}

/** Formats the errors of a record, with their fields unless the messages name them. */
export function formatErrors({
  errors,
  errors_omitted: omitted,
}: Pick<RefusedRecord, 'errors' | 'errors_omitted'>): string {
  const texts = errors.map(({ pointer, message }) => {
    const field = formatField(pointer)
    return field === '' || message.startsWith(`${field} `) ? message : `${field}: ${message}`
  })
  return [...texts, ...(omitted === 0 ? [] : [`and ${omitted} more`])].join('; ')
}
