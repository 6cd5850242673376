import { inTurns } from '../admission/turns.ts'
import type { FileFault } from '../../clients/typescript/spreadsheets/file-error.ts'
import type { RowReader } from '../../clients/typescript/spreadsheets/read-records.ts'
import { readHeader } from '../../clients/typescript/spreadsheets/read-records.ts'
import type { Problem } from '../domain/errors.ts'
import type { StoredRow } from '../domain/uploads.ts'
import type { StoredUpload } from '../ledger/uploads/read-uploads.ts'
import type { ReadBody } from './read-file.ts'

/** The records of a part, as the body of a call, and where they are in the file. */
export interface PartRecords {
  body: readonly unknown[]
  /** About how many bytes the body has as JSON. */
  bytes: number
  /** The row of each record. */
  rows: readonly StoredRow[]
  /** The number of the column, from 1, of each field; `custom_attributes.KEY` for a custom attribute. */
  columns: ReadonlyMap<string, number>
  /** The names of the columns that are not attributes. */
  unknown: readonly string[]
  /** What is wrong with cells: the first faults. Rows that have any are not in `body`. */
  faults: readonly FileFault[]
  /** The number of rows that cannot be read. */
  unreadable: number
}

/** The number of faults that are listed. */
const MAX_FAULTS = 100

/** Reads the rows of a part, in pieces. Values of cells become what a call has. */
export async function readPart(
  { header, uses }: Pick<StoredUpload, 'header' | 'uses'>,
  all: readonly StoredRow[],
  readBody: ReadBody,
): Promise<PartRecords> {
  const file = header === null ? null : readHeader({ line: 1, cells: header }, uses)
  const [body, rows, faults]: [unknown[], StoredRow[], FileFault[]] = [[], [], []]
  let bytes = 0
  for await (const row of inTurns(all)) {
    const read = file ? readCells(file, row, readBody) : { record: row.record, json: JSON.stringify(row.record) }
    if (read.faults) for (const fault of read.faults.slice(0, MAX_FAULTS - faults.length)) faults.push(fault)
    else {
      body.push(read.record)
      rows.push(row)
      bytes += Buffer.byteLength(read.json) + 1
    }
  }
  const unreadable = all.length - rows.length
  return { body, bytes, rows, columns: file?.fields ?? new Map(), unknown: file?.unknown ?? [], faults, unreadable }
}

type ReadCells = { record: unknown; json: string; faults?: undefined } | { faults: readonly FileFault[] }

/** The records of cells meet the same rules as those of a call. */
function readCells(file: RowReader, { line = 1, cells = [] }: StoredRow, readBody: ReadBody): ReadCells {
  const { json, faults } = file.read({ line, cells })
  if (faults.length > 0) return { faults }
  const { body: record, problem } = readBody(json, 1) as { body?: unknown; problem?: Problem }
  if (!problem) return { record, json }
  return {
    faults: [
      { line, column: null, message: problem.detail.replace(/^The body/, 'The record').replace(/^Record 0: /, '') },
    ],
  }
}
