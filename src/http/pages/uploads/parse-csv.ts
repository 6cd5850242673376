import type { CsvError } from 'csv-parse/sync'
import { parse } from 'csv-parse/sync'
import type { FileFault, FileRow } from '../../../domain/spreadsheets/read-records.ts'

/** The rows of a CSV file, or its first fault. */
type ParsedCsv = { rows: FileRow[]; fault?: undefined } | { rows?: undefined; fault: FileFault }

/** The characters of a row, and the separators of a line: several times what valid records can have. */
const MAX_ROW = 262_144
const MAX_SEPARATORS = 20_000

/** Parses CSV (RFC 4180) whose cells are separated by commas, semicolons, tabs, or vertical bars. */
export function parseCsv(text: string, maxRows: number): ParsedCsv {
  const separator = findSeparator(text)
  const crowded = findCrowdedLine(text, separator)
  if (crowded !== null)
    return { fault: { line: crowded, column: null, message: `The line has more than ${MAX_SEPARATORS} cells` } }
  try {
    const rows: FileRow[] = []
    let line = 1
    const parsed = parse(text, {
      ...{ delimiter: separator, info: true, relax_column_count: true, max_record_size: MAX_ROW },
      // One more row tells that there are too many.
      to: maxRows + 1,
    }) as unknown as { record: string[]; info: { lines: number } }[]
    for (const { record, info } of parsed) {
      rows.push({ line, cells: record })
      line = info.lines + 1
    }
    return { rows }
  } catch (error) {
    return { fault: describe(error as CsvError & { lines?: number }) }
  }
}

function describe(error: CsvError & { lines?: number }): FileFault {
  const place = { line: error.lines ?? 1, column: null }
  switch (error.code) {
    case 'CSV_MAX_RECORD_SIZE':
      return { ...place, message: `The line has more than ${MAX_ROW} characters. A quotation mark may be missing` }
    case 'CSV_QUOTE_NOT_CLOSED':
      return { ...place, message: 'A cell that begins with a quotation mark does not end with one' }
    case 'INVALID_OPENING_QUOTE':
    case 'CSV_INVALID_CLOSING_QUOTE':
      return { ...place, message: 'A quotation mark within a cell must be doubled, and the cell be in quotation marks' }
    default:
      throw error
  }
}

const SEPARATORS = [',', ';', '\t', '|']

/** Finds the separator that occurs most in the first line, apart from text in quotation marks. */
function findSeparator(text: string): string {
  const [first = ''] = text.slice(0, MAX_ROW).split(/\r?\n/, 1)
  const plain = first.replaceAll(/"[^"]*"/g, '')
  const count = (separator: string) => plain.split(separator).length
  return SEPARATORS.toSorted((a, b) => count(b) - count(a))[0]!
}

/** Finds a line with too many separators, which would take much memory. */
function findCrowdedLine(text: string, separator: string): number | null {
  let [line, count] = [1, 0]
  for (const character of text) {
    if (character === '\n') [line, count] = [line + 1, 0]
    else if (character === separator) count += 1
    if (count > MAX_SEPARATORS) return line
  }
  return null
}
