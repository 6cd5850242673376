import type { Pool } from 'pg'
import { inTurns } from '#admission/turns'
import type { FileFault } from '#spreadsheets/file-error'
import { keepSafe, writeText } from '#spreadsheets/cells'
import { addColumns, orderColumns, ORIGIN_COLUMNS, writeRecord } from '#spreadsheets/mapping/record-columns'
import type { StoredRow } from '#domain/uploads'
import { readRows, type StoredPart, type StoredUpload } from '#ledger/uploads/read-uploads'
import { readStreamPages } from '#ledger/erasure/find-events'
import { readPart } from '#uploads/part-records'
import { chooseRowsLeft, findCalled } from '#uploads/rows-left'
import type { UploadServices } from '#uploads/run-part'
import { writeCsvHeader, writeCsvRows } from '#log/csv-text'
import { formatErrors } from '#log/bulk-user-logs-csv'
import { makePointersRelative } from '#log/refused-records'

/** Writes the rows of a file that were not applied, to correct and upload again, part by part. */
export async function* writeNotApplied(
  { pool }: Pick<UploadServices, 'pool'>,
  upload: StoredUpload,
  parts: readonly StoredPart[],
): AsyncGenerator<string> {
  const remaining = parts.filter(
    ({ missingOf, state }) => missingOf === null && (state !== 'applied' || !upload.isAllOrNone),
  )
  const layout = upload.header
    ? layOutCells(upload.header)
    : await layOutRecords(() => readAll(pool, upload, remaining))
  yield writeCsvHeader([...ORIGIN_COLUMNS, ...layout.names])
  for (const part of remaining) {
    const stored = await readRows(pool, upload, part.number)
    const rows = upload.isAllOrNone
      ? stored
      : await chooseRowsLeft(upload, await findCalled(pool, upload, part), stored)
    const errors = { ofCall: await readErrors(pool, upload, part), ofRows: await readFaults(upload, rows) }
    yield* writeCsvRows(writeRows(rows, upload, part, errors, layout))
  }
}

function* writeRows(
  rows: readonly StoredRow[],
  { parts, isAllOrNone }: StoredUpload,
  { isCalled, callId, firstRow, erased }: StoredPart,
  { ofCall, ofRows }: { ofCall: ReadonlyMap<number, string>; ofRows: ReadonlyMap<number, string> },
  layout: Layout,
): Generator<string[]> {
  for (const [at, row] of rows.entries()) {
    if (row.index === null) yield ['', '', ofRows.get(row.row) ?? '', ...layout.write(row)]
    else {
      // Of several parts, the rows are not in the order of the file, so that erased ones leave no gaps.
      const index = row.index ?? (parts === 1 ? row.row - firstRow : at)
      const isKnown = row.index !== undefined || (isAllOrNone ? parts === 1 || erased === 0 : !isCalled)
      const origin = isKnown ? [String(index), ofCall.get(index) ?? ''] : ['', '']
      yield [isCalled ? callId : '', ...origin, ...layout.write(row)]
    }
  }
}

/** Reads again what is wrong with the rows that could not be read, by their numbers. */
async function readFaults(upload: StoredUpload, rows: readonly StoredRow[]): Promise<Map<number, string>> {
  const unread = rows.filter(({ index }) => index === null)
  const { unreadable } = await readPart(upload, unread)
  return new Map(
    unreadable.map(({ row, faults }) => [row.row, writeText(faults.map(describeFault).join('; '))] as const),
  )
}

function describeFault({ column, message }: FileFault): string {
  return column === null ? message : `Column ${column}: ${message}`
}

interface Layout {
  names: readonly string[]
  write(row: StoredRow): string[]
}

/** The columns and cells of a CSV file, apart from those that say where its rows come from. */
function layOutCells(header: readonly string[]): Layout {
  const isOrigin = (name: string | undefined) => ORIGIN_COLUMNS.some((origin) => origin === name)
  const kept = [...header.keys()].filter((at) => !isOrigin(header[at]))
  return {
    names: kept.map((at) => keepSafe(header[at]!)),
    write: ({ cells = [] }) => kept.map((at) => keepSafe(cells[at] ?? '')),
  }
}

async function layOutRecords(list: () => AsyncIterable<StoredRow[]>): Promise<Layout> {
  const columns = new Set<string>()
  for await (const rows of list()) for await (const { record } of inTurns(rows)) addColumns(columns, record)
  const names = orderColumns(columns)
  return {
    names,
    write: ({ record }) => {
      const cells = writeRecord(record, columns)
      return names.map((name) => cells.get(name) ?? '')
    },
  }
}

async function* readAll(
  pool: UploadServices['pool'],
  upload: StoredUpload,
  parts: readonly StoredPart[],
): AsyncGenerator<StoredRow[]> {
  for (const { number } of parts) yield await readRows(pool, upload, number)
}

/**
 * Reads the errors of the rows of a part, by their index in its call: from the ledger, which has them as soon as the call
 * is made. Where rows were erased, the indexes of rows without one of their own are uncertain.
 */
async function readErrors(
  pool: Pool,
  { companyId, isAllOrNone }: StoredUpload,
  part: StoredPart,
): Promise<Map<number, string>> {
  const errors = new Map<number, string>()
  if (!part.isCalled || (isAllOrNone && part.erased > 0)) return errors
  for await (const page of readStreamPages(pool, companyId, part.callId))
    for (const event of page) {
      if (event.type !== 'EmployeeRecordRejected' || event.index === null || event.data === null) continue
      const { record, errors: all, errors_omitted: omitted = 0 } = event.data
      const relative = makePointersRelative(record, event.index, all)
      errors.set(event.index, writeText(formatErrors({ errors: relative, errors_omitted: omitted })))
    }
  return errors
}
