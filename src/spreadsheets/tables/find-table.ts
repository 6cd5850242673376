import { trimBlanks } from '../../text/normalize-text.ts'
import type { Encoding } from '../encodings/encodings.ts'
import { FileError } from '../file-error.ts'
import { foldTitle, isAboutFile, nameRepeated, nameTwice } from './header-rows.ts'
import type { FileRow } from '../tables/file-row.ts'
import { describeMarks, type MarkedLines } from './row-marks.ts'
import { findField } from '../mapping/record-columns.ts'
import { recognizeHeader } from '../words/recognize-header.ts'
import { refuseTransposed } from './refuse-transposed.ts'
import { isEmpty, isTotal, isValue, listFilled, MAX_CELL, TableShape, typicalWidth } from './table-shape.ts'

/** Why rows of a file are no records. */
export const LEFT_OUT_REASONS = [
  'separator_line',
  'above_header',
  'second_header',
  'repeated_header',
  'empty',
  'total',
  'heading',
  'below_table',
  'not_a_user',
  'other_sheet',
  'incomplete',
  'secret_column',
  'changed_columns',
  'exchanged_dates',
  'respelled_ids',
  'other_people',
  'exchanged_columns',
  'formatting',
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
  /** The line that names the columns; 0 if none does, and null before it is found, and for a file without rows. */
  headerLine: number | null
  /** How a text is encoded, unless it is Unicode, which shows that by itself. */
  encoding?: Encoding
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
  heading: 'Stands above other rows as their heading',
  below_table: 'Stands below the table',
  not_a_user: 'Is not about a person',
  other_sheet: 'Has no table of people',
  incomplete: 'The file is incomplete',
  secret_column: 'May hold passwords',
  changed_columns: 'Has other columns than before',
  exchanged_dates: 'Has dates in another order than before',
  respelled_ids: 'Has ids with other zeros than before',
  other_people: 'Has the ids of other people than before',
  exchanged_columns: 'Has values in other columns than before',
  formatting: 'Looks different from other rows, which is not read',
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

/** The rows among which the header is looked for, and headings above rows; and the characters that they may have. */
const MAX_SEARCHED = 60
const MAX_HEADED = 1_000
const MAX_CHARACTERS = 1_048_576
/** The rows below a table. */
const MAX_BELOW = 20
/** The column that has the headings which stand above rows. */
export const HEADING_COLUMN = 'Heading above the rows'

/** What a column without a name is called. */
export const nameColumn = (at: number) => `Column ${at + 1}`

/**
 * Finds the table in the rows of a file. Yields the row that names the columns, and then the records. What else there
 * is, such as titles, empty rows, and totals, goes to the notes. `given` is the line of the header, if the user names
 * it, and 0 if no line names the columns. Throws FileError if that line has no cells.
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
  #shape: TableShape | null = null
  /** The heading above the rows, if the table has any. */
  #heading: string | null = null
  /** The number of records above it. */
  #headedFrom = 0
  /** What stands above the header, as other pages may repeat it. */
  #titles: ReadonlySet<string> = new Set()
  #count = 0
  /** The lines of records that look different. */
  readonly #marked: MarkedLines = { struck: [], filled: [], hidden: [] }

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
    for (const row of this.#waiting) this.#leaveOut(row, reasonOf(row, this.#shape, this.#count))
    this.#noteMarks()
    return found
  }

  #noteMarks(): void {
    for (const message of describeMarks(this.#marked, this.#count))
      leaveOut(this.#notes, 'formatting', null, null, message)
  }

  #take(row: FileRow, found: FileRow[]): void {
    if (this.#header) return this.#takeRecord(row, found)
    this.#waiting.push(row)
    this.#characters += row.cells.reduce((sum, { length }) => sum + length + 1, 0)
    const isEnough = this.#waiting.length >= MAX_HEADED || this.#characters > MAX_CHARACTERS
    if (isEnough && row.line >= (this.#given ?? 0)) this.#begin(found)
  }

  /** Finds the header in the first rows, and takes those that follow it. */
  #begin(found: FileRow[]): void {
    const all = this.#waiting
    this.#waiting = []
    const first = this.#given === null || this.#given === 0 ? all.slice(0, MAX_SEARCHED) : all
    const at = this.#findHeader(first)
    if (at === -1) return
    refuseFixedWidth(first)
    if (this.#given === null) refuseTransposed(first)
    const hasNone = this.#given === 0 || (this.#given === null && !namesColumns(first, at))
    const below = hasNone ? at : isSecondHeader(first, at) && this.#given === null ? at + 2 : at + 1
    const shape = new TableShape(first.slice(below))
    this.#shape = shape
    if (shape.hasHeadings(all.slice(below))) this.#heading = ''
    const named = below === at + 2 ? nameTwice(first[at]!, first[at + 1]!) : nameRepeated(first, at)
    this.#header = this.#nameColumns(hasNone ? { ...first[at]!, cells: [] } : named, shape)
    this.#notes.headerLine = hasNone ? 0 : this.#header.line
    this.#titles = new Set(first.slice(0, at).map(foldTitle))
    for (const row of first.slice(0, at))
      this.#leaveOut(row, isEmpty(row) ? 'empty' : isAboutFile(row) ? 'separator_line' : 'above_header')
    found.push(this.#header)
    if (below === at + 2) this.#leaveOut(first[at + 1]!, 'second_header')
    for (const row of all.slice(below)) this.#takeRecord(row, found)
  }

  #findHeader(first: readonly FileRow[]): number {
    if (this.#given === null || this.#given === 0) return findHeader(first)
    const at = first.findIndex(({ line }) => line === this.#given)
    if (at === -1 || isEmpty(first[at]!))
      throw new FileError(this.#given, 'This line cannot name the columns: it is empty, or within a cell')
    return at
  }

  /** Columns without a name that have values get one, and so do the headings above rows. */
  #nameColumns(header: FileRow, shape: TableShape): FileRow {
    const width = Math.max(header.cells.length, shape.filledWidth)
    const cells = Array.from({ length: width }, (_, at) => {
      const name = header.cells[at] ?? ''
      return trimBlanks(name) === '' && shape.isFilled(at) ? nameColumn(at) : name
    })
    return { ...header, cells: this.#heading === null ? cells : [...cells, HEADING_COLUMN] }
  }

  #takeRecord(row: FileRow, found: FileRow[]): void {
    const shape = this.#shape!
    const isLast = isEmpty(row) || shape.isNoRecord(row, this.#count)
    if (isLast && this.#waiting.length < MAX_BELOW) {
      this.#waiting.push(row)
      return
    }
    const isHeader = this.#isHeaderAgain(row)
    if (!isLast && !isHeader) this.#refuseOtherHeader(row)
    // Behind so many rows that are no records, nothing is certain: what has cells is a record with an error.
    for (const before of this.#waiting) {
      const reason = reasonOf(before, shape, this.#count)
      const isHeading = reason === 'below_table' || this.#countsBelow(before, reason)
      // The number of a page, or a title, stands above names that are repeated.
      if (isHeading && isHeader && (this.#heading === null || this.#titles.has(foldTitle(before))))
        this.#leaveOut(before, 'above_header')
      else if (isHeading && this.#heading !== null) {
        // The number of those below is another one tomorrow.
        const texts = listFilled(before).slice(0, reason === 'total' ? 1 : undefined)
        this.#heading = trimBlanks(texts.join(' ').slice(0, MAX_CELL))
        this.#headedFrom = this.#count
        this.#leaveOut(before, 'heading')
      } else if (reason === 'below_table') this.#found(before, found)
      else this.#leaveOut(before, reason)
    }
    this.#waiting = []
    if (isLast) this.#waiting.push(row)
    else if (isHeader) this.#leaveOut(row, 'repeated_header')
    else this.#found(row, found)
  }

  /** Whether a row says how many rows follow it, rather than how many are above it: "Leavers | 5". */
  #countsBelow(row: FileRow, reason: LeftOutReason): boolean {
    const above = [this.#count, this.#count - this.#headedFrom]
    return reason === 'total' && this.#heading !== null && !isTotal(row) && this.#shape!.isCountBelow(row, above)
  }

  /** Throws FileError if a row names columns of another table: the cells below it are not those of the columns above. */
  #refuseOtherHeader(row: FileRow): void {
    // Above the first record stands no table, but what somebody has chosen as its header.
    if (this.#count === 0) return
    const isNamed = (cell: string, at: number) => cell !== '' && cell === this.#header!.cells[at]
    const same = row.cells.filter(isNamed).length
    // Hardly any row may be one, and only then are its cells looked up as names, which takes long.
    if (same <= 1 && this.#waiting.length === 0) return
    const names = listFilled(row)
    const isLikeHeader = same > 1 && same * 2 >= names.length
    const isBelowGap = same <= 1 && names.length > 2 && !names.some(isValue)
    if ((!isLikeHeader && !isBelowGap) || countKnown(names) * 2 <= names.length) return
    const message =
      'Another table begins here, whose columns have other names than those above. Put it into a file of its own'
    throw new FileError(row.line, message)
  }

  #found(row: FileRow, found: FileRow[]): void {
    if (row.cutFrom === row.cells.length) {
      const cell = row.cells.at(-1)!.slice(0, MAX_CELL)
      const message = `Line ${row.line}, the last one, does not end, and its last cell may be cut off: “${cell}”`
      leaveOut(this.#notes, 'incomplete', row.line, row.line, message)
    } else if (row.cutFrom !== undefined) {
      const message =
        `The file ends within this line, which has ${row.cells.length} cells instead of ${row.cutFrom}. Export the ` +
        'file again, or end the line with a line break if it is complete'
      throw new FileError(row.line, message)
    }
    this.#count += 1
    if (row.mark) this.#marked[row.mark].push(row.line)
    if (this.#heading === null || this.#heading === '') {
      found.push(row)
      return
    }
    const width = this.#header!.cells.length - 1
    const cells = Array.from({ length: Math.max(width, row.cells.length) }, (_, at) => row.cells[at] ?? '')
    const isWide = cells.slice(width).some((cell) => cell !== '')
    found.push({ ...row, cells: isWide ? cells : [...cells.slice(0, width), this.#heading] })
  }

  #isHeaderAgain({ cells }: FileRow): boolean {
    const header = this.#header!.cells
    const width = this.#heading === null ? header.length : header.length - 1
    const isSame = (name: string, at: number) => trimBlanks(name) === trimBlanks(cells[at] ?? '')
    return listFilled({ cells }).length > 1 && header.slice(0, width).every(isSame)
  }

  #leaveOut({ line, lastLine = line }: FileRow, reason: LeftOutReason): void {
    leaveOut(this.#notes, reason, line, lastLine)
  }
}

function reasonOf(row: FileRow, shape: TableShape | null, count: number): LeftOutReason {
  if (isEmpty(row)) return 'empty'
  return isTotal(row) || shape?.isCount(row, count) ? 'total' : 'below_table'
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
  const areNames = (filled: readonly string[] = []) =>
    isWide(filled) && filled.filter(isValue).length <= filled.length * VALUE_SHARE
  const header = cells.findIndex((filled, at) => {
    if (areNames(filled)) return true
    const isGroup = !isWide(filled) && areNames(cells[at + 1]) && countKnown(cells[at + 1]!) > countKnown(filled)
    return filled.length > 0 && countFields(filled) * 2 >= filled.length && !isGroup
  })
  const wide = cells.findIndex(isWide)
  // A row of values above may be a record: then no row names the columns.
  if (header !== -1 && (wide === -1 || wide >= header || !isLikeOthers(rows[wide]!, rows.slice(header + 1))))
    return header
  return wide === -1 ? cells.findIndex(({ length }) => length > 0) : wide
}

function countKnown(names: readonly string[]): number {
  return names.filter((cell) => findField(cell) !== undefined || recognizeHeader(cell) !== null).length
}

/** The names of columns that are known, of which so many tell that a row names columns. */
const KNOWN_NAMES = 2

/** Whether a row names columns rather than being a record: it doesn't look like the rows below it. */
function namesColumns(rows: readonly FileRow[], at: number): boolean {
  const filled = listFilled(rows[at]!)
  if (isNumbered(filled)) return true
  return countKnown(filled) >= Math.min(KNOWN_NAMES, filled.length) || !isLikeOthers(rows[at]!, rows.slice(at + 1))
}

/** Whether names only number the columns: F1, F2, F3. */
function isNumbered(names: readonly string[]): boolean {
  const parts = names.map((name) => /^(\D*)(\d{1,6})$/.exec(trimBlanks(name.slice(0, MAX_CELL))))
  const first = parts[0]
  const isNext = (part: (typeof parts)[number], at: number) =>
    part !== null && part[1] === first![1] && Number(part[2]) === Number(first![2]) + at
  return first !== null && first !== undefined && names.length > 2 && parts.every(isNext)
}

/** Whether most of the cells of a row look like those of other rows, where columns look differently than names do. */
function isLikeOthers({ cells }: FileRow, others: readonly FileRow[]): boolean {
  const shape = new TableShape(others)
  const compared = cells.flatMap((cell, at) => (trimBlanks(cell) === '' ? [] : (shape.compare(at, cell) ?? [])))
  const same = compared.filter((isSame) => isSame).length
  return same > compared.length - same
}

function countFields(names: readonly string[]): number {
  return names.filter((name) => findField(name) !== undefined).length
}

/** Throws FileError if the columns have no separators, but a width. */
function refuseFixedWidth(rows: readonly FileRow[]): void {
  const isOneCell = ({ cells: [line = '', more] }: FileRow) =>
    more === undefined && /\S {2,}\S/.test(line.slice(0, MAX_CELL))
  if (rows.length > 1 && rows.every(isOneCell))
    throw new FileError(rows[0]!.line, 'The columns have no separators. Save the file as an Excel workbook (.xlsx)')
}

/** Whether the row below the header names the columns again: it has names where the rows below it have values. */
function isSecondHeader(rows: readonly FileRow[], at: number): boolean {
  const next = rows[at + 1]
  if (!next || isEmpty(next) || next.cells.some(isValue)) return false
  const below = rows.slice(at + 2).filter((row) => !isEmpty(row))
  const columns = [...next.cells.keys()].filter((column) => {
    const values = below.map(({ cells }) => cells[column] ?? '').filter((cell) => trimBlanks(cell) !== '')
    const isNamed = trimBlanks(next.cells[column]!) !== ''
    return isNamed && values.length >= 2 && values.every(isValue)
  })
  return columns.length >= 2
}
