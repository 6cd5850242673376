import { FileError } from '../file-error.ts'
import { MAX_COLUMNS } from '../mapping/record-columns.ts'
import type { FileRow } from '../tables/file-row.ts'

/** The characters and the cells of a row: several times what valid records can have. */
export const MAX_ROW = 262_144
const MAX_CELLS = 2_000

/** So many equally long rows tell how long a row is. */
const TELLING_ROWS = 3

/** The last cells of rows that are kept, and their length. */
const MAX_LAST_CELLS = 1_000
const MAX_LAST_CELL = 64

const QUOTE = 0x22
const SPACE = 0x20
const CR = 0x0d
const LF = 0x0a

/**
 * Reads CSV (RFC 4180) whose cells are separated by commas, semicolons, tabs, or vertical bars. CRLF, LF, and CR end a
 * line, in one file too. Yields the rows that end in each chunk of the text; of empty ones that follow each other, one
 * without cells. Counts characters and cells before it keeps them, and holds the beginning of the file, or one row and
 * one chunk. Throws FileError at a line that cannot be read.
 *
 * csv-parse makes an error object for every row that has more or fewer cells than the first one, although that is
 * allowed: 8 MiB of commas take it minutes.
 */
export async function* readCsv(texts: AsyncIterable<string>): AsyncGenerator<FileRow[], void> {
  let parser: CsvParser | undefined
  let start = ''
  for await (const text of texts) {
    if (!parser) {
      start += text
      if (start.length < START) continue
    }
    yield parser ? parser.push(text) : (parser = new CsvParser(findSeparator(start))).push(start)
  }
  if (!parser) yield (parser = new CsvParser(findSeparator(start))).push(start)
  yield parser.end()
}

/** How many characters and lines are searched for the separator. Titles may stand above the table. */
const START = 65_536
const MAX_LINES = 50
const SEPARATORS = [',', ';', '\t', '|', '^', '~']
/** The first line of files for Excel. */
const NAMED_SEPARATOR = /^sep=([^"\r\n])(?=[\r\n])/i

/**
 * Finds the separator that cuts the most of the first lines into equally many cells. Cells in quotation marks are
 * left out.
 */
function findSeparator(start: string): string {
  const named = NAMED_SEPARATOR.exec(start)?.[1]
  if (named !== undefined) return named
  const lines = start
    .slice(0, START)
    .replaceAll(/(?<![^,;\t|^~\s])"(?:[^"]|"")*"/g, '')
    .split(/[\r\n]+/, MAX_LINES)
  const sizes = new Map(SEPARATORS.map((separator) => [separator, measureTable(lines, separator)]))
  return SEPARATORS.toSorted((a, b) => sizes.get(b)! - sizes.get(a)!)[0]!
}

/** The separators of the lines that have the same number of them: of the largest such group. */
function measureTable(lines: readonly string[], separator: string): number {
  const sums = new Map<number, number>()
  for (const line of lines) {
    const count = line.split(separator).length - 1
    sums.set(count, (sums.get(count) ?? 0) + count)
  }
  return Math.max(...sums.values())
}

/**
 * Where the parser is in a cell: before its text, behind blanks, in the text, between quotation marks, right behind the
 * second one, or behind blanks that follow it.
 */
const [BEFORE, BLANK, PLAIN, QUOTED, BEHIND, AFTER] = [0, 1, 2, 3, 4, 5] as const
type Place = typeof BEFORE | typeof BLANK | typeof PLAIN | typeof QUOTED | typeof BEHIND | typeof AFTER

class CsvParser {
  readonly #separator: number
  #place: Place = BEFORE
  /** What earlier chunks have of the cell. */
  #cell = ''
  #cells: string[] = []
  /** Whether a cell of the row is not empty. */
  #hasText = false
  /** The characters of the row so far, without those of this chunk. */
  #length = 0
  #line = 1
  #rowLine = 1
  #quoteLine = 1
  /** The first of the empty lines before this row; null if there are none. */
  #emptyLine: number | null = null
  #isAfterCr = false
  #isFirstRow = true
  /** The cells of the row before, and how many rows one after the other have had as many. */
  #before = { cells: 0, rows: 0 }
  /** The last cells of the rows below the first one. */
  readonly #lastCells = new Set<string>()

  constructor(separator: string) {
    this.#separator = separator.charCodeAt(0)
  }

  /** Returns the rows that end in this chunk of the text. */
  push(text: string): FileRow[] {
    const rows: FileRow[] = []
    const separator = this.#separator
    let [place, isAfterCr] = [this.#place, this.#isAfterCr]
    let [rowStart, cellStart] = [-this.#length, 0]
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      const isSecondHalf = isAfterCr && code === LF
      isAfterCr = code === CR
      const isLineEnd = isAfterCr || (code === LF && !isSecondHalf)
      if (isLineEnd) this.#line += 1
      if (place === QUOTED) {
        if (code !== QUOTE) continue
        this.#cell += text.slice(cellStart, at)
        place = BEHIND
      } else if (isLineEnd || code === separator) {
        this.#endCell(place >= BEHIND ? '' : text.slice(cellStart, at), at - rowStart)
        place = BEFORE
        cellStart = at + 1
        if (!isLineEnd) continue
        this.#endRow(rows)
        rowStart = at + 1
      } else if (isSecondHalf) rowStart = cellStart = at + 1
      else if (code === SPACE && place !== PLAIN) place = place >= BEHIND ? AFTER : BLANK
      else if (code === QUOTE && place !== PLAIN && place !== AFTER) {
        // Behind the first of two quotation marks, the second one is text.
        cellStart = place === BEHIND ? at : at + 1
        if (place !== BEHIND) {
          this.#quoteLine = this.#line
          this.#cell = ''
        }
        place = QUOTED
      } else if (place >= BEHIND)
        throw new FileError(
          this.#line,
          'A quotation mark within a cell must be doubled, and the cell be in quotation marks',
        )
      else place = PLAIN
    }
    if (place < BEHIND) this.#cell += text.slice(cellStart)
    this.#length = text.length - rowStart
    this.#checkLength(this.#length)
    this.#place = place
    this.#isAfterCr = isAfterCr
    return rows
  }

  /** Returns the last row, if no line end follows it. */
  end(): FileRow[] {
    const rows: FileRow[] = []
    if (this.#place === QUOTED)
      throw new FileError(this.#quoteLine, 'A cell that begins with a quotation mark does not end with one')
    if (this.#length > 0) {
      this.#line += 1
      const isQuoted = this.#place >= BEHIND
      this.#endCell('', this.#length)
      const { cells, rows: same } = this.#before
      const isShort = this.#cells.length > 1 && this.#cells.length < cells && same >= TELLING_ROWS
      const isCut = isShort || (this.#cells.length === cells && !isQuoted && this.#isCutOff(this.#cells.at(-1)!))
      this.#endRow(rows)
      if (isCut && rows.length > 0) rows.at(-1)!.cutFrom = cells
    }
    this.#addEmptyLines(rows)
    return rows
  }

  /** Whether a cell is the beginning of one above it, or shorter than all of these, which are equally long. */
  #isCutOff(cell: string): boolean {
    const others = [...this.#lastCells].filter((other) => other !== '')
    if (cell === '' || this.#lastCells.has(cell)) return false
    const lengths = new Set(others.map(({ length }) => length))
    const isShorter = lengths.size === 1 && others.length >= TELLING_ROWS && cell.length < others[0]!.length
    return isShorter || (/\p{L}/u.test(cell) && others.some((other) => other.startsWith(cell)))
  }

  #endCell(rest: string, rowLength: number): void {
    this.#checkLength(rowLength)
    const cell = this.#cell + rest
    this.#cell = ''
    if (cell !== '') this.#hasText = true
    if (this.#cells.push(cell) <= MAX_CELLS) return
    const message = this.#isFirstRow
      ? `A file must have at most ${MAX_COLUMNS} columns`
      : `The line has more than ${MAX_CELLS} cells`
    throw new FileError(this.#rowLine, message)
  }

  #endRow(rows: FileRow[]): void {
    if (this.#hasText) {
      this.#addEmptyLines(rows)
      rows.push({ line: this.#rowLine, cells: this.#cells })
      const { length } = this.#cells
      const last = this.#cells[length - 1]!
      if (!this.#isFirstRow && last.length <= MAX_LAST_CELL && this.#lastCells.size < MAX_LAST_CELLS)
        this.#lastCells.add(last)
      this.#before = { cells: length, rows: length === this.#before.cells ? this.#before.rows + 1 : 1 }
      this.#isFirstRow = false
      this.#hasText = false
      this.#cells = []
    } else {
      this.#emptyLine ??= this.#rowLine
      this.#cells.length = 0
    }
    this.#rowLine = this.#line
  }

  /** Adds the empty lines before this row. */
  #addEmptyLines(rows: FileRow[]): void {
    if (this.#emptyLine !== null) rows.push({ line: this.#emptyLine, cells: [], lastLine: this.#rowLine - 1 })
    this.#emptyLine = null
  }

  #checkLength(length: number): void {
    if (length > MAX_ROW)
      throw new FileError(
        this.#rowLine,
        `The line has more than ${MAX_ROW} characters. A quotation mark may be missing`,
      )
  }
}
