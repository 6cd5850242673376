import type { FileFault } from '../../clients/typescript/spreadsheets/file-error.ts'
import type { FileRow } from '../../clients/typescript/spreadsheets/read-csv.ts'
import { readRecords } from '../../clients/typescript/spreadsheets/read-records.ts'
import type { StoredRow } from '../domain/uploads.ts'
import type { StoredUpload } from '../ledger/uploads/read-uploads.ts'
import type { ReadBody } from './read-file.ts'

/** The records of a part, as the body of a call, and where they are in the file. */
export interface PartRecords {
  body: readonly unknown[]
  /** The row of each record. */
  rows: readonly StoredRow[]
  /** The number of the column, from 1, of each field; `custom_attributes.KEY` for a custom attribute. */
  columns: ReadonlyMap<string, number>
  /** The names of the columns that are not attributes. */
  unknown: readonly string[]
  /** What is wrong with cells. Rows that have any are not in `body`. */
  faults: readonly FileFault[]
  /** The number of rows that cannot be read. */
  unreadable: number
}

/** Reads the rows of a part. Values of cells become what a call has. */
export function readPart(
  { header, uses }: Pick<StoredUpload, 'header' | 'uses'>,
  rows: readonly StoredRow[],
  readBody: ReadBody,
): PartRecords {
  if (header === null)
    return { body: rows.map(({ record }) => record), rows, columns: new Map(), unknown: [], faults: [], unreadable: 0 }
  const headerRow = { line: 1, cells: header }
  const isFileRow = (row: StoredRow): row is StoredRow & FileRow => row.cells !== undefined
  const first = readRecords(headerRow, rows.filter(isFileRow), uses)
  const faulty = new Set(first.faults.map(({ line }) => line))
  const readable = rows.filter(isFileRow).filter(({ line }) => !faulty.has(line))
  const { records, columns, unknown, faults } = faulty.size === 0 ? first : readRecords(headerRow, readable, uses)
  const isAll = { columns, unknown, faults: [...first.faults, ...faults] }
  // The faults are listed up to a limit. With that many, there may be more.
  if (faults.length > 0) return { ...isAll, body: [], rows: [], faults: first.faults, unreadable: rows.length }
  // The records meet the same rules as those of a call.
  const { body, problem } = readBody(`[${records.join(',')}]`, rows.length) as {
    body?: unknown[]
    problem?: { detail: string }
  }
  if (problem)
    return {
      columns,
      unknown,
      body: [],
      rows: [],
      unreadable: rows.length,
      faults: [{ line: 1, column: null, message: problem.detail }],
    }
  return { ...isAll, body: body!, rows: readable, unreadable: faulty.size }
}
