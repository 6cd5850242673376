import type { Readable } from 'node:stream'
import { stringify } from 'csv-stringify/sync'
import type { Reader } from '../server/text-stream.ts'
import { streamTexts } from '../server/text-stream.ts'

/** A column: its name and what stands in it for a row; null is an empty cell. */
export type CsvColumn<Row> = readonly [name: string, cell: (row: Row) => string | number | null]

// RFC 4180. A cell that a spreadsheet would take for a formula (= + - @ tab, carriage return, and the full-width forms)
// begins with an apostrophe instead.
const FORMAT = { record_delimiter: '\r\n', escape_formulas: true, quote_record_delimiter: true }

/**
 * Rows as CSV, read page by page while the client takes it. It begins with a byte order mark: without it spreadsheets
 * take UTF-8 for something else.
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

/** Reads pages until one is not full; `readPage` is given the last row of the page before. */
export async function* allPages<Row>(
  size: number,
  readPage: (last: Row | null) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  let last: Row | null = null
  for (;;) {
    const page: Row[] = await readPage(last)
    if (page.length > 0) yield page
    if (page.length < size) return
    last = page.at(-1)!
  }
}
