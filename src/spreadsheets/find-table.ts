import { trimBlanks } from '../text/normalize-text.ts'
import { FileError } from './file-error.ts'
import type { FileRow } from './read-csv.ts'
import { findField } from './record-columns.ts'

/** Why rows of a file are no records. */
export const LEFT_OUT_REASONS = [
  'separator_line',
  'above_header',
  'second_header',
  'repeated_header',
  'empty',
  'total',
  'below_table',
  'not_a_user',
  'other_sheet',
  'incomplete',
  'secret_column',
] as const
export type LeftOutReason = (typeof LEFT_OUT_REASONS)[number]

/** Rows of a file that are no records, and why. */
export interface LeftOut {
  reason: LeftOutReason
  /** The first and the last line; null if it is about the whole file, or another sheet of it. */
  line: number | null
  lastLine: number | null
  /** For people: a sentence without a period. */
  message: string
}

/** What is found out about a file while its rows are read. */
export interface TableNotes {
  /** The line that names the columns; null before it is found, and for a file without one. */
  headerLine: number | null
  leftOut: LeftOut[]
  /** How many more were left out than are listed. */
  leftOutMore: number
}

/** The rows that are listed. */
const MAX_LEFT_OUT = 100

/** Begins the notes of a file. */
export function createNotes(): TableNotes {
  return { headerLine: null, leftOut: [], leftOutMore: 0 }
}

const MESSAGES: Readonly<Record<LeftOutReason, string>> = {
  separator_line: 'Says how the file is written',
  above_header: 'Stands above the line that names the columns',
  second_header: 'Names the columns a second time',
  repeated_header: 'Repeats the names of the columns',
  empty: 'Is empty',
  total: 'Is a total',
  below_table: 'Stands below the table',
  not_a_user: 'Is not about a person',
  other_sheet: 'Has no table of people',
  incomplete: 'The file is incomplete',
  secret_column: 'May hold passwords',
}

/** Notes that rows are left out. Neighbors with the same reason become one note. */
export function leaveOut(
  notes: TableNotes,
  reason: LeftOutReason,
  line: number | null,
  lastLine: number | null = line,
  message = MESSAGES[reason],
): void {
  const before = notes.leftOut.at(-1)
  if (before?.reason === reason && line !== null && before.lastLine === line - 1) before.lastLine = lastLine
  else if (notes.leftOut.length < MAX_LEFT_OUT) notes.leftOut.push({ reason, line, lastLine, message })
  else notes.leftOutMore += 1
}

/** The rows among which the header is looked for, and the characters that they may have. */
const MAX_SEARCHED = 60
const MAX_CHARACTERS = 1_048_576
/** The rows below a table. */
const MAX_BELOW = 20

/**
 * Finds the table in the rows of a file. Yields the row that names the columns, and then the records. What else there
 * is, such as titles, empty rows, and totals, goes to the notes. `given` is the line of the header, if the user names
 * it. Throws FileError if that line has no cells.
 */
export async function* findTable(
  rows: AsyncIterable<FileRow[]>,
  given: number | null,
  notes: TableNotes,
): AsyncGenerator<FileRow[], void> {
  const table = new Table(given, notes)
  for await (const some of rows) yield table.push(some)
  yield table.end()
}

class Table {
  readonly #given: number | null
  readonly #notes: TableNotes
  /** The first rows, before the header is found; then the last ones, which may stand below the table. */
  #waiting: FileRow[] = []
  #characters = 0
  #header: FileRow | null = null
  /** How many cells most rows fill. */
  #width = 0

  constructor(given: number | null, notes: TableNotes) {
    this.#given = given
    this.#notes = notes
  }

  push(rows: readonly FileRow[]): FileRow[] {
    const found: FileRow[] = []
    for (const row of rows) this.#take(row, found)
    return found
  }

  end(): FileRow[] {
    const found: FileRow[] = []
    if (!this.#header) this.#begin(found)
    for (const row of this.#waiting)
      this.#leaveOut(row, isEmpty(row) ? 'empty' : isTotal(row) ? 'total' : 'below_table')
    return found
  }

  #take(row: FileRow, found: FileRow[]): void {
    if (this.#header) return this.#takeRecord(row, found)
    this.#waiting.push(row)
    this.#characters += row.cells.reduce((sum, { length }) => sum + length, 0)
    const isEnough =
      this.#given === null
        ? this.#waiting.length >= MAX_SEARCHED || this.#characters > MAX_CHARACTERS
        : row.line >= this.#given
    if (isEnough) this.#begin(found)
  }

  /** Finds the header in the first rows, and takes those that follow it. */
  #begin(found: FileRow[]): void {
    const first = this.#waiting
    this.#waiting = []
    const at = this.#given === null ? findHeader(first) : first.findIndex(({ line }) => line === this.#given)
    if (this.#given !== null && (at === -1 || isEmpty(first[at]!)))
      throw new FileError(this.#given, 'This line cannot name the columns: it is empty, or within a cell')
    if (at === -1) return
    const header = nameRepeated(first, at)
    this.#header = header
    this.#notes.headerLine = header.line
    this.#width = typicalWidth(first.slice(at))
    for (const row of first.slice(0, at))
      this.#leaveOut(row, isEmpty(row) ? 'empty' : isAboutFile(row) ? 'separator_line' : 'above_header')
    found.push(header)
    const below = this.#given === null && isSecondHeader(first, at) ? at + 1 : at
    if (below > at) this.#leaveOut(first[below]!, 'second_header')
    for (const row of first.slice(below + 1)) this.#takeRecord(row, found)
  }

  #takeRecord(row: FileRow, found: FileRow[]): void {
    const isLast = this.#isPerhapsBelow(row)
    if (isLast && this.#waiting.length < MAX_BELOW) {
      this.#waiting.push(row)
      return
    }
    for (const before of this.#waiting)
      if (isEmpty(before)) this.#leaveOut(before, 'empty')
      else if (isTotal(before)) this.#leaveOut(before, 'total')
      else found.push(before)
    this.#waiting = []
    if (isLast) this.#waiting.push(row)
    else if (this.#isHeaderAgain(row)) this.#leaveOut(row, 'repeated_header')
    else found.push(row)
  }

  /** Whether a row may be no record if no record follows: an empty one, a total, or a note below the table. */
  #isPerhapsBelow(row: FileRow): boolean {
    if (isEmpty(row)) return true
    const filled = listFilled(row)
    if (filled.length * 2 > this.#width) return false
    if (isTotal(row)) return true
    const isAfterGap = this.#waiting.some(isEmpty)
    if (filled.length === 1) return this.#width >= 3 && isNote(filled[0]!)
    return isAfterGap && this.#width >= 5 && !filled.some((cell) => cell.includes('@'))
  }

  #isHeaderAgain({ cells }: FileRow): boolean {
    const header = this.#header!.cells
    return listFilled({ cells }).length > 1 && header.every((name, at) => name.trim() === (cells[at] ?? '').trim())
  }

  #leaveOut({ line, lastLine = line }: FileRow, reason: LeftOutReason): void {
    leaveOut(this.#notes, reason, line, lastLine)
  }
}

function listFilled({ cells }: Pick<FileRow, 'cells'>): string[] {
  return cells.filter((cell) => trimBlanks(cell) !== '')
}

/** Cells that show nothing, such as blanks, are empty, too. */
function isEmpty(row: FileRow): boolean {
  return row.cells.every((cell) => trimBlanks(cell) === '')
}

/** What programs write for other programs: `sep=;` is for Excel, `#TYPE` is of PowerShell. */
function isAboutFile({ cells: [first = ''] }: FileRow): boolean {
  return /^(?:sep=|#TYPE\b)/i.test(first)
}

/** A text of several words. An identifier has no blanks. */
function isNote(cell: string): boolean {
  return !cell.includes('@') && /\S\s+\S/.test(cell.trim())
}

const TOTAL =
  /^(?:grand |sub-?)?(?:total|totals|count|sum|summe|gesamt|gesamtsumme|anzahl|somme|nombre|totale|totaal|aantal|razem|suma|ogółem|liczba|soma|итого|всего|合計|総計|件数|合计|总计|總計|합계|총계)\b|^(?:合計|総計|件数|合计|总计|總計|합계|총계|итого|всего)/iu

/** How many characters of a cell tell what it is: expressions meet no more of it. */
const TOLD = 256

function isTotal(row: FileRow): boolean {
  const filled = listFilled(row).map((cell) => cell.slice(0, TOLD))
  if (!TOTAL.test(filled[0]?.trim() ?? '')) return false
  return filled.some((cell) => /\d/.test(cell)) && !filled.some((cell) => cell.includes('@'))
}

/** What is in a cell rather than its name: a number, a date, or an address. */
function isValue(cell: string): boolean {
  return /@|^[\s\d.,:;/()+'"=-]*\d[\s\d.,:;/()+'"TZ-]*$/.test(cell.slice(0, TOLD).trim())
}

/** How many cells a row of the table fills: three quarters of the rows fill no more. */
function typicalWidth(rows: readonly FileRow[]): number {
  const widths = rows.flatMap((row) => (isEmpty(row) ? [] : listFilled(row).length)).toSorted((a, b) => a - b)
  return widths[Math.floor(widths.length * 0.75)] ?? 0
}

/** The share of the typical width that names of columns fill, and that of cells in which names may look like values. */
const FILLED_SHARE = 0.6
const VALUE_SHARE = 0.2

/**
 * Finds the row that names the columns: the first that names attributes, or fills most of the columns and has no
 * values. -1 if all rows are empty.
 */
function findHeader(rows: readonly FileRow[]): number {
  const width = typicalWidth(rows)
  const isWide = (filled: readonly string[]) => filled.length > 0 && filled.length >= width * FILLED_SHARE
  const cells = rows.map((row) => (isAboutFile(row) ? [] : listFilled(row)))
  const header = cells.findIndex((filled) => {
    if (filled.length > 0 && countFields(filled) * 2 >= filled.length) return true
    return isWide(filled) && filled.filter(isValue).length <= filled.length * VALUE_SHARE
  })
  if (header !== -1) return header
  const wide = cells.findIndex(isWide)
  return wide === -1 ? cells.findIndex(({ length }) => length > 0) : wide
}

function countFields(names: readonly string[]): number {
  return names.filter((name) => findField(name) !== undefined).length
}

/** Puts the headings of the line above before names that occur several times: Work phone, Home phone. */
function nameRepeated(rows: readonly FileRow[], at: number): FileRow {
  const header = rows[at]!
  const above = rows[at - 1]
  if (!above || listFilled(above).length < 2 || above.line !== header.line - 1 || isAboutFile(above)) return header
  const times = new Map<string, number>()
  for (const name of header.cells) times.set(name, (times.get(name) ?? 0) + 1)
  let heading = ''
  return {
    ...header,
    cells: header.cells.map((name, column) => {
      const own = above.cells[column]?.trim() ?? ''
      if (own !== '') heading = own
      return name.trim() !== '' && times.get(name)! > 1 ? `${heading} ${name}`.trim() : name
    }),
  }
}

/** Whether the row below the header names the columns again: it has names where the rows below it have values. */
function isSecondHeader(rows: readonly FileRow[], at: number): boolean {
  const next = rows[at + 1]
  if (!next || isEmpty(next) || next.cells.some(isValue)) return false
  const below = rows.slice(at + 2).filter((row) => !isEmpty(row))
  const columns = [...next.cells.keys()].filter((column) => {
    const values = below.map(({ cells }) => cells[column] ?? '').filter((cell) => cell.trim() !== '')
    const isNamed = next.cells[column]!.trim() !== ''
    return isNamed && values.length >= 2 && values.every(isValue)
  })
  return columns.length >= 2
}
