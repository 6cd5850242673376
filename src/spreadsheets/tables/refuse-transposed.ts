import { FileError } from '../file-error.ts'
import type { FileRow } from '../tables/file-row.ts'
import { recognizeHeader } from '../words/recognize-header.ts'
import { isValue, listFilled } from './table-shape.ts'

/** The attributes that the first cells of rows name where each column is a person. */
const MIN_ATTRIBUTES = 3

/**
 * Throws FileError if the columns are people, and the rows their attributes: the first cells of rows name these, rather
 * than those of the first row, or some rows have addresses only, and others digits only.
 */
export function refuseTransposed(rows: readonly FileRow[]): void {
  const filled = rows.filter((row) => listFilled(row).length > 2)
  const [top, ...below] = filled
  if (!top || filled.length < MIN_ATTRIBUTES) return
  const isOf = (fits: (cell: string) => boolean) => (row: FileRow) =>
    !isValue(row.cells[0] ?? '') && listFilled({ cells: row.cells.slice(1) }).every(fits)
  const addresses = below.find(isOf((cell) => cell.includes('@')))
  const isBeside = ({ cells }: FileRow) =>
    cells.filter((cell, at) => at > 0 && cell !== '' && (addresses?.cells[at] ?? '') !== '').length > 1
  const isByValues = below.filter(isOf((cell) => isValue(cell) && !cell.includes('@'))).some(isBeside)
  const names = filled.map(({ cells }) => recognizeHeader(cells[0] ?? ''))
  const meanings = new Set(names.filter((name) => name !== null)).size
  const isByNames =
    meanings >= MIN_ATTRIBUTES &&
    meanings * 2 >= filled.length &&
    listFilled(top)
      .slice(1)
      .every((name) => recognizeHeader(name) === null)
  if (!isByValues && !isByNames) return
  const message =
    'The columns of this table are people, and its rows are their attributes. In Excel, copy the table, and paste it ' +
    'with Paste special and Transpose'
  throw new FileError(top.line, message)
}
