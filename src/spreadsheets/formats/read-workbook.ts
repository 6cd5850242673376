import { trimBlanks } from '../../text/normalize-text.ts'
import type { CellObject, WorkBook } from '@e965/xlsx'
import { parse_zip as readParts, read, set_cptable, SSF } from '@e965/xlsx'
import * as codePages from '@e965/xlsx/dist/cpexcel.full.mjs'
import { decodeEntities } from './decode-entities.ts'
import { DAMAGED, FileError } from '../file-error.ts'
import { FileQuestion } from './file-question.ts'
import { findField } from '../mapping/record-columns.ts'
import { MAX_ROW } from './read-csv.ts'
import type { FileRow } from '../tables/file-row.ts'
import { MAX_CELLS, MAX_ROWS } from './refuse-repetitions.ts'
import type { RowMark } from '../tables/row-marks.ts'
import { findMarks } from './read-marks.ts'
import { unpackWorkbook } from './unpack-workbook.ts'

/** What the types of the library leave out. */
declare module '@e965/xlsx' {
  interface ArchivePart {
    name: string
    /** Of a file. */
    type: 2
    content: Uint8Array
  }
  export function parse_zip(parts: { FullPaths: string[]; FileIndex: ArchivePart[] }, options: ParsingOptions): WorkBook
}

set_cptable(codePages)

/** A sheet of a workbook, and the names of those that are left out. */
export interface OpenedSheet {
  rows: Generator<FileRow, void>
  others: string[]
  /** Whether it is known how rows look. */
  hasMarks: boolean
}

/**
 * Reads a workbook (.xlsx, .xls, .ods), or the text of a web page or of an XML Spreadsheet 2003, and opens the sheet
 * that has the table. Never runs macros, calculates formulas, or follows links. `name` is the sheet that the user
 * names, and `maxUnpacked` how many bytes the parts of the workbook may have together. Throws FileError, also for a
 * workbook that the library fails to read, and FileQuestion if several sheets have a table.
 */
export function openWorkbook(content: Buffer | string, name: string | null, maxUnpacked?: number): OpenedSheet {
  return orDamaged(() => {
    const { workbook, parts } = parse(content, maxUnpacked)
    const chosen = name === null ? chooseSheet(workbook) : name
    if (!workbook.SheetNames.includes(chosen)) throw new FileError(1, 'The workbook has no sheet with this name')
    const others = workbook.SheetNames.filter((other) => other !== chosen && rowsOf(workbook, other).length > 0)
    fillMerged(workbook, chosen)
    return {
      rows: listRows(rowsOf(workbook, chosen), {
        is1904: workbook.Workbook?.WBProps?.date1904 === true,
        marks: findMarks(parts, workbook.SheetNames.indexOf(chosen)),
      }),
      others: others.map((other) => other.slice(0, MAX_NAME)),
      hasMarks: parts.size > 0,
    }
  })
}

/** Runs a task on a workbook. Whatever error the library ends it with, the workbook is damaged. */
function orDamaged<Result>(task: () => Result): Result {
  try {
    return task()
  } catch (error) {
    if (error instanceof FileError || error instanceof FileQuestion) throw error
    throw new FileError(1, /password|encrypt/i.test(String(error)) ? PASSWORD : DAMAGED)
  }
}

const PASSWORD = 'The workbook has a password. Save it without one'

const OPTIONS = {
  type: 'array',
  dense: true,
  cellNF: true,
  cellHTML: false,
  cellFormula: false,
  UTC: true,
  nodim: true,
} as const

const NO_STYLES = ['styles.xml', Buffer.from('<office:document-styles/>')] as const

/** The characters at the beginning that tell XML from a web page. */
const START = 1_024

function parse(
  content: Buffer | string,
  maxUnpacked?: number,
): { workbook: WorkBook; parts: ReadonlyMap<string, Buffer> } {
  if (typeof content === 'string') {
    const isPage = !/<(?:ss:)?Workbook\b/.test(content.slice(0, START))
    if (isPage && !/<table\b/i.test(content)) throw new FileError(1, 'The page has no table')
    const text = isPage ? decodeEntities(content) : content
    // Cells of web pages are texts: the library would take ids for numbers, and dates for those of another order.
    return { workbook: read(text, { ...OPTIONS, type: 'string', raw: true }), parts: new Map() }
  }
  if (content.toString('latin1', 0, 2) !== 'PK') return { workbook: read(content, OPTIONS), parts: new Map() }
  const parts = unpackWorkbook(content, maxUnpacked)
  // OpenDocument needs no styles, but the library does.
  const all = parts.has('content.xml') && !parts.has('styles.xml') ? new Map([...parts, NO_STYLES]) : parts
  const files = [...all].map(([name, content]) => ({ name, type: 2, content }) as const)
  return { workbook: readParts({ FullPaths: [...all.keys()], FileIndex: files }, OPTIONS), parts }
}

type Cells = readonly (CellObject | undefined)[]
type Rows = readonly (Cells | undefined)[]

/** The cells of a sheet by rows. The library leaves out a sheet that it cannot read. */
function rowsOf({ Sheets }: WorkBook, name: string): Rows {
  const sheet = Object.hasOwn(Sheets, name) ? Sheets[name] : undefined
  if (!sheet) throw new FileError(1, DAMAGED)
  return (sheet['!data'] as Rows | undefined) ?? []
}

/** The cells that are filled from the one above with which they are merged. */
const MAX_MERGED = 1_000_000

/** Writes what cells have that are merged from top to bottom into each of their rows, where people see it. */
function fillMerged(workbook: WorkBook, name: string): void {
  const rows = rowsOf(workbook, name) as (CellObject | undefined)[][]
  let filled = 0
  for (const { s: first, e: last } of workbook.Sheets[name]!['!merges'] ?? []) {
    const cell = first.c === last.c ? rows[first.r]?.[first.c] : undefined
    if (!cell) continue
    for (let at = first.r + 1; at <= last.r && at < rows.length; at += 1) {
      if (rows[at]) rows[at]![first.c] = cell
      filled += 1
      if (filled > MAX_MERGED) throw new FileError(at + 1, `The sheet has more than ${MAX_MERGED} merged cells`)
    }
  }
}

/** The cells that a row has, with their columns from 0. A cell can be in any column: only those are looked at. */
function cellsOf(row: Cells | undefined): [column: number, cell: CellObject][] {
  if (!row) return []
  if (row.length <= MAX_CELLS) return [...row.entries()].filter((entry): entry is [number, CellObject] => !!entry[1])
  return Object.entries(row).map(([column, cell]) => [Number(column), cell!])
}

/** How many rows are looked at to choose a sheet. */
const MAX_JUDGED = 200

interface JudgedSheet {
  name: string
  /** The number of rows with several cells, and the most cells of one. */
  rows: number
  columns: number
  hasPeople: boolean
  /** The cells of the fullest row, which is the first one with so many. */
  names: string[]
}

function chooseSheet(workbook: WorkBook): string {
  const { SheetNames, Workbook } = workbook
  const isHidden = (at: number) => (Workbook?.Sheets?.[at]?.Hidden ?? 0) !== 0
  const sheets = SheetNames.map((name, at) => ({ ...judgeSheet(name, rowsOf(workbook, name)), isHidden: isHidden(at) }))
  const visible = sheets.filter((sheet) => !sheet.isHidden && sheet.rows > 0)
  const stages = [
    visible.filter(({ rows, columns, hasPeople }) => rows > 1 && columns > 2 && hasPeople),
    visible.filter(({ rows, columns }) => rows > 1 && columns > 2),
    visible,
    sheets.filter(({ rows }) => rows > 0),
  ]
  const likely = stages.find(({ length }) => length > 0) ?? []
  if (likely.length === 0) throw new FileError(1, 'The workbook has no table')
  if (likely.length === 1) return likely[0]!.name
  throw new FileQuestion(
    'sheet',
    'Several sheets of the workbook have a table',
    likely.slice(0, MAX_CHOICES).map(({ name, names }) => ({
      value: name.slice(0, MAX_NAME),
      name: name.slice(0, MAX_NAME),
      samples: names.slice(0, MAX_SAMPLES),
    })),
  )
}

/** The sheets that are offered, and of each, the characters of its name, its texts, and their characters. */
const MAX_CHOICES = 20
const MAX_NAME = 64
const MAX_SAMPLES = 6
const MAX_SAMPLE_LENGTH = 60

function judgeSheet(name: string, cells: Rows): JudgedSheet {
  const rows = cells
    .slice(0, MAX_JUDGED)
    .map((row) => cellsOf(row).map(([, { w: text = '' }]) => text.slice(0, MAX_SAMPLE_LENGTH)))
    .map((texts) => texts.filter((text) => trimBlanks(text) !== ''))
    .filter(({ length }) => length > 0)
  const columns = rows.reduce((most, { length }) => Math.max(most, length), 0)
  const names = rows.find(({ length }) => length === columns) ?? []
  return {
    name,
    rows: rows.length,
    columns,
    hasPeople: rows.some((texts) => texts.some((text) => text.includes('@'))) || names.filter(isField).length > 1,
    names,
  }
}

function isField(name: string): boolean {
  return findField(name) !== undefined
}

/** What else is known about the cells of a sheet. */
interface SheetFacts {
  is1904: boolean
  marks: ReadonlyMap<number, RowMark>
}

function* listRows(rows: Rows, { is1904, marks }: SheetFacts): Generator<FileRow, void> {
  let line = 0
  // A row can have any number: only those that are there are looked at.
  for (const at of Object.keys(rows).map(Number)) {
    const cells = orDamaged(() => writeCells(at + 1, rows[at], is1904))
    if (cells.length === 0) continue
    if (at >= MAX_ROWS)
      throw new FileError(at + 1, `The sheet has more than ${MAX_ROWS} rows. Split it, or save it as CSV (UTF-8)`)
    if (at > line) yield { line: line + 1, cells: [], lastLine: at }
    line = at + 1
    const mark = marks.get(line)
    yield mark ? { line, cells, mark } : { line, cells }
  }
}

const MAX_CELL = 32_767

function writeCells(line: number, row: Cells | undefined, is1904: boolean): string[] {
  const cells: string[] = []
  let characters = 0
  for (const [at, cell] of cellsOf(row)) {
    const text = writeCell(cell, is1904).slice(0, MAX_CELL)
    if (text === '') continue
    if (at >= MAX_CELLS) throw new FileError(line, `The row has more than ${MAX_CELLS} cells`)
    characters += text.length
    if (characters > MAX_ROW) throw new FileError(line, `The row has more than ${MAX_ROW} characters`)
    while (cells.length < at) cells.push('')
    cells.push(text)
  }
  return cells
}

/** Writes a cell as people see it, but dates as ISO 8601, and numbers without separators of thousands. */
function writeCell({ t: type, v: value, w: shown, z: format, l: link }: CellObject, is1904: boolean): string {
  if (type === 'e') return shown ?? '#VALUE!'
  if (value === undefined || value === null || type === 'z') return ''
  if (value instanceof Date) return value.toISOString().replace(/T00:00:00.*/, '')
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE'
  if (typeof value === 'number') return writeNumber(value, shown ?? '', String(format ?? 'General'), is1904)
  const address = /^mailto:([^?]+)/i.exec(link?.Target ?? '')?.[1]
  return address !== undefined && !value.includes('@') ? address : value
}

function writeNumber(value: number, shown: string, format: string, is1904: boolean): string {
  if (SSF.is_date(format) && value >= 1) return writeDate(value, is1904) ?? shown
  if (/^[-+]?\d+(?:\.\d+)?$/.test(shown) && format !== 'General') return shown
  const isPlain = format === 'General' || format === '@' || /,|E\+/i.test(shown) || shown === ''
  return isPlain ? writePlain(value) : shown
}

/** Excel keeps 15 digits. A longer number is written as Excel shortens it, so that it is not taken for exact. */
function writePlain(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) >= 1e15) return value.toExponential().toUpperCase()
  return String(Number(value.toPrecision(15)))
}

function writeDate(serial: number, is1904: boolean): string | null {
  const date = SSF.parse_date_code(serial, { date1904: is1904 }) as
    | {
        [part in 'y' | 'm' | 'd' | 'H' | 'M' | 'S']: number
      }
    | null
  if (!date) return null
  const pad = (part: number, digits = 2) => String(Math.floor(part)).padStart(digits, '0')
  const day = `${pad(date.y, 4)}-${pad(date.m)}-${pad(date.d)}`
  const time = `${pad(date.H)}:${pad(date.M)}:${pad(date.S)}`
  return time === '00:00:00' ? day : `${day}T${time}`
}
