import type { Readable } from 'node:stream'
import { stringify } from 'csv-stringify/sync'
import type { Reader } from '../server/text-stream.ts'
import { streamTexts } from '../server/text-stream.ts'

/** A column: its name, and its value for a row. Null is an empty cell. */
export type CsvColumn<Row> = readonly [name: string, cell: (row: Row) => string | number | null]

// RFC 4180. A cell that a spreadsheet would treat as a formula (= + - @ tab, carriage return, and the full-width forms)
// is prefixed with an apostrophe.
const FORMAT = { record_delimiter: '\r\n', escape_formulas: true, quote_record_delimiter: true }

/**
 * Streams rows as CSV, reading page by page as the client consumes it. The byte order mark makes spreadsheets read the
 * file as UTF-8.
 */
export function csvStream<Row>(
  reader: Reader,
  columns: readonly CsvColumn<Row>[],
  pages: AsyncIterable<Row[]>,
): Promise<Readable> {
  return streamTexts(reader, csvTexts(columns, pages))
}

async function* csvTexts<Row>(columns: readonly CsvColumn<Row>[], pages: AsyncIterable<Row[]>): AsyncGenerator<string> {
  let header = stringify([columns.map(([name]) => name)], { ...FORMAT, bom: true })
  for await (const page of pages) {
    const cells = page.map((row) => columns.map(([, cell]) => cell(row)))
    yield header + stringify(cells, FORMAT)
    header = ''
  }
  if (header !== '') yield header
}

/** A page, which may be empty, and the place after which the next one starts; null if there is none. */
interface CsvPage<Row> {
  rows: Row[]
  next: number | null
}

/** Reads pages until there is no next one. `readPage` gets the place of the page; null for the first. */
export async function* allPages<Row>(readPage: (place: number | null) => Promise<CsvPage<Row>>): AsyncGenerator<Row[]> {
  let place: number | null = null
  do {
    const page: CsvPage<Row> = await readPage(place)
    yield page.rows
    place = page.next
  } while (place !== null)
}
