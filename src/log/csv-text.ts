import { Type } from '@sinclair/typebox'
import { stringify } from 'csv-stringify/sync'
import { inTurns } from '#admission/turns'

export const CSV_TYPE = 'text/csv; charset=utf-8; header=present'

/** The answer of a route that exports CSV, for its schema. */
export const CSV_ANSWER = {
  200: {
    description: 'A CSV file (RFC 4180) in UTF-8 with a byte order mark and a header row.',
    content: { 'text/csv': { schema: Type.String() } },
  },
}

/** A column: its name, and its value for a row. Null is an empty cell. */
export type CsvColumn<Row> = readonly [name: string, cell: (row: Row) => string | number | null]

/** RFC 4180. The byte order mark makes spreadsheets read the file as UTF-8. */
const FORMAT = { record_delimiter: '\r\n', quote_record_delimiter: true }

// A cell that a spreadsheet would treat as a formula (= + - @ tab, carriage return, and the full-width forms) is
// prefixed with an apostrophe.
const SAFE_FORMAT = { ...FORMAT, escape_formulas: true }

/** Writes the header of a CSV file, whose cells must be safe in spreadsheets. */
export function writeCsvHeader(cells: readonly string[]): string {
  return stringify([cells], { ...FORMAT, bom: true })
}

type Cells = readonly (string | number | null)[]

/** The characters that are written before other requests may get their turn, and those that are sent at once. */
const WRITTEN_AT_ONCE = 16_384
const SENT_AT_ONCE = 262_144

/** Writes rows of a CSV file, whose cells must be safe in spreadsheets, in pieces. */
export async function* writeCsvRows(rows: Iterable<Cells>, format: typeof FORMAT = FORMAT): AsyncGenerator<string> {
  let text = ''
  let waiting: Cells[] = []
  let length = 0
  for await (const row of inTurns(rows)) {
    waiting.push(row)
    for (const cell of row) length += String(cell).length + 1
    if (length < WRITTEN_AT_ONCE) continue
    text += stringify(waiting, format)
    waiting = []
    length = 0
    if (text.length < SENT_AT_ONCE) continue
    yield text
    text = ''
  }
  text += stringify(waiting, format)
  if (text !== '') yield text
}

/** The characters of a cell that Excel reads; it drops the rest in silence. */
const MAX_CELL = 32_767
const CUT = ' … (cut)'

/** Cuts a cell that people read, and says so. The JSON of the API has it whole. */
function cutCell(cell: Cells[number]) {
  if (typeof cell !== 'string' || cell.length <= MAX_CELL) return cell
  return cell.slice(0, MAX_CELL - CUT.length - 1).toWellFormed() + CUT
}

/** Writes rows as CSV for people, page by page. */
export async function* writeCsv<Row>(
  columns: readonly CsvColumn<Row>[],
  pages: AsyncIterable<Row[]>,
): AsyncGenerator<string> {
  function* cellsOf(page: readonly Row[]): Generator<Cells> {
    for (const row of page) yield columns.map(([, cell]) => cutCell(cell(row)))
  }
  // The header goes out with the first rows, so that a fault before them is still answered as a problem.
  let header = writeCsvHeader(columns.map(([name]) => name))
  for await (const page of pages)
    for await (const text of writeCsvRows(cellsOf(page), SAFE_FORMAT)) {
      yield header + text
      header = ''
    }
  if (header !== '') yield header
}
