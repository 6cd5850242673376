import { FileError } from './file-error.ts'
import { MAX_COLUMNS } from './record-columns.ts'

/** A row of a file, and the line on which it begins, from 1. */
export interface FileRow {
  line: number
  cells: readonly string[]
}

/** The characters and the cells of a row: several times what valid records can have. */
const MAX_ROW = 262_144
const MAX_CELLS = 2_000

const QUOTE = 0x22
const CR = 0x0d
const LF = 0x0a

/**
 * Reads CSV (RFC 4180) whose cells are separated by commas, semicolons, tabs, or vertical bars. CRLF, LF, and CR end a
 * line, in one file too. Yields the rows that end in each chunk of the text, without empty ones. Counts characters and
 * cells before it keeps them, and holds one row and one chunk at a time. Throws FileError at a line that cannot be read.
 *
 * csv-parse makes an error object for every row that has more or fewer cells than the first one, although that is allowed:
 * 8 MiB of commas take it minutes.
 */
export async function* readCsv(texts: AsyncIterable<string>): AsyncGenerator<FileRow[], void> {
  let parser: CsvParser | undefined
  let start = ''
  for await (const text of texts) {
    if (!parser) {
      start += text
      if (start.length < MAX_ROW && !/[\r\n]/.test(start)) continue
    }
    yield parser ? parser.push(text) : (parser = new CsvParser(findSeparator(start))).push(start)
  }
  if (!parser) yield (parser = new CsvParser(findSeparator(start))).push(start)
  yield parser.end()
}

const SEPARATORS = [',', ';', '\t', '|']

/** Finds the separator that occurs most in the first line, apart from text in quotation marks. */
function findSeparator(start: string): string {
  const [first = ''] = start.slice(0, MAX_ROW).split(/[\r\n]/, 1)
  const plain = first.replaceAll(/"[^"]*"/g, '')
  const count = (separator: string) => plain.split(separator).length
  return SEPARATORS.toSorted((a, b) => count(b) - count(a))[0]!
}

/** Where the parser is in a cell: before its text, in it, between its quotation marks, or behind the second one. */
const [BEFORE, PLAIN, QUOTED, BEHIND] = [0, 1, 2, 3] as const
type Place = typeof BEFORE | typeof PLAIN | typeof QUOTED | typeof BEHIND

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
  #isAfterCr = false
  #isFirstRow = true

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
        this.#endCell(place === BEHIND ? '' : text.slice(cellStart, at), at - rowStart)
        place = BEFORE
        cellStart = at + 1
        if (!isLineEnd) continue
        this.#endRow(rows)
        rowStart = at + 1
      } else if (isSecondHalf) rowStart = cellStart = at + 1
      else if (code === QUOTE && place !== PLAIN) {
        // Behind the first of two quotation marks, the second one is text.
        cellStart = place === BEFORE ? at + 1 : at
        if (place === BEFORE) this.#quoteLine = this.#line
        place = QUOTED
      } else if (code === QUOTE || place === BEHIND)
        throw new FileError(
          this.#line,
          'A quotation mark within a cell must be doubled, and the cell be in quotation marks',
        )
      else place = PLAIN
    }
    if (place === PLAIN || place === QUOTED) this.#cell += text.slice(cellStart)
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
    this.#endCell('', this.#length)
    this.#endRow(rows)
    return rows
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
      rows.push({ line: this.#rowLine, cells: this.#cells })
      this.#isFirstRow = false
      this.#hasText = false
      this.#cells = []
    } else this.#cells.length = 0
    this.#rowLine = this.#line
  }

  #checkLength(length: number): void {
    if (length > MAX_ROW)
      throw new FileError(
        this.#rowLine,
        `The line has more than ${MAX_ROW} characters. A quotation mark may be missing`,
      )
  }
}
