import type { Pool } from 'pg'
import { inTurns } from '../../../admission/turns.ts'
import { keepSafe, writeText } from '../../../../clients/typescript/spreadsheets/cells.ts'
import {
  addColumns,
  orderColumns,
  ORIGIN_COLUMNS,
  writeRecord,
} from '../../../../clients/typescript/spreadsheets/record-columns.ts'
import type { StoredRow } from '../../../domain/uploads.ts'
import type { StoredPart, StoredUpload } from '../../../ledger/uploads/read-uploads.ts'
import { readRows } from '../../../ledger/uploads/read-uploads.ts'
import { readStreamPages } from '../../../ledger/erasure/find-events.ts'
import type { UploadServices } from '../../../uploads/run-part.ts'
import { writeCsvHeader, writeCsvRows } from '../csv-text.ts'
import { formatErrors } from '../failed-records-csv.ts'
import { makePointersRelative } from '../refused-records.ts'

/** Writes the rows of a file that were not applied, to correct and upload again, part by part. */
export async function* writeNotApplied(
  { pool }: Pick<UploadServices, 'pool'>,
  upload: StoredUpload,
  parts: readonly StoredPart[],
): AsyncGenerator<string> {
  const remaining = parts.filter(({ missingOf, state }) => missingOf === null && state !== 'applied')
  const layout = upload.header
    ? layOutCells(upload.header)
    : await layOutRecords(() => readAll(pool, upload, remaining))
  yield writeCsvHeader([...ORIGIN_COLUMNS, ...layout.names])
  for (const part of remaining) {
    const errors = await readErrors(pool, upload, part)
    yield* writeCsvRows(writeRows(await readRows(pool, upload, part.number), upload, part, errors, layout))
  }
}

function* writeRows(
  rows: readonly StoredRow[],
  { parts }: StoredUpload,
  { state, callId, firstRow, erased }: StoredPart,
  errors: ReadonlyMap<number, string>,
  layout: Layout,
): Generator<string[]> {
  for (const [at, row] of rows.entries()) {
    // Of several parts, the rows are not in the order of the file, so that erased ones leave no gaps.
    const index = parts === 1 ? row.row - firstRow : at
    const isKnown = parts === 1 || erased === 0
    const origin = [state === 'refused' ? callId : '', isKnown ? String(index) : '', errors.get(index) ?? '']
    yield [...origin, ...layout.write(row)]
  }
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
 * Reads the errors of the rows of a part, by their index in its call: from the ledger, which has them as soon as the part
 * is refused. Where rows were erased, indexes are uncertain.
 */
async function readErrors(pool: Pool, { companyId }: StoredUpload, part: StoredPart): Promise<Map<number, string>> {
  const errors = new Map<number, string>()
  if (part.state !== 'refused' || part.erased > 0) return errors
  for await (const page of readStreamPages(pool, companyId, part.callId))
    for (const event of page) {
      if (event.type !== 'EmployeeRecordRejected' || event.index === null || event.data === null) continue
      const { record, errors: all, errors_omitted: omitted = 0 } = event.data
      const relative = makePointersRelative(record, event.index, all)
      errors.set(event.index, writeText(formatErrors({ errors: relative, errors_omitted: omitted })))
    }
  return errors
}
