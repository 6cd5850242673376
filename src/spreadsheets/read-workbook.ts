import type { CellObject, WorkBook, WorkSheet } from '@e965/xlsx'
import { read, set_cptable, SSF } from '@e965/xlsx'
import * as codePages from '@e965/xlsx/dist/cpexcel.full.mjs'
import { FileError } from './file-error.ts'
import { FileQuestion } from './file-question.ts'
import { findField } from './record-columns.ts'
import type { FileRow } from './read-csv.ts'

set_cptable(codePages)

/** A sheet of a workbook, and the names of those that are left out. */
export interface OpenedSheet {
  rows: Generator<FileRow, void>
  others: string[]
}

/** The number of the last row that may have cells. */
const MAX_ROWS = 200_000

/**
 * Reads a workbook (.xlsx, .xls, .ods) that was looked at before, and opens the sheet that has the table. Never runs
 * macros, calculates formulas, or follows links. `name` is the sheet that the user names. Throws FileError, and
 * FileQuestion if several sheets have a table.
 */
export function openWorkbook(bytes: Uint8Array, name: string | null): OpenedSheet {
  const workbook = parse(bytes)
  const chosen = name === null ? chooseSheet(workbook) : name
  const sheet = workbook.Sheets[chosen]
  if (!sheet) throw new FileError(1, 'The workbook has no sheet with this name')
  return {
    rows: listRows(sheet, workbook.Workbook?.WBProps?.date1904 === true),
    others: workbook.SheetNames.filter((other) => other !== chosen && cellsOf(workbook.Sheets[other]!).length > 0),
  }
}

const OPTIONS = {
  type: 'array',
  dense: true,
  cellNF: true,
  cellHTML: false,
  cellFormula: false,
  UTC: true,
  nodim: true,
} as const

function parse(bytes: Uint8Array): WorkBook {
  try {
    return read(bytes, OPTIONS)
  } catch (error) {
    if (/password|encrypt/i.test((error as Error).message))
      throw new FileError(1, 'The workbook has a password. Save it without one')
    throw new FileError(1, 'The workbook is damaged. Open it and save it again as an Excel workbook (.xlsx)')
  }
}

type Cells = readonly (CellObject | undefined)[]

/** The cells of a sheet by rows. */
function cellsOf(sheet: WorkSheet): readonly (Cells | undefined)[] {
  return (sheet['!data'] as (Cells | undefined)[] | undefined) ?? []
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

function chooseSheet({ SheetNames, Sheets, Workbook }: WorkBook): string {
  const isHidden = (at: number) => (Workbook?.Sheets?.[at]?.Hidden ?? 0) !== 0
  const sheets = SheetNames.map((name, at) => ({ ...judgeSheet(name, Sheets[name]!), isHidden: isHidden(at) }))
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
    likely.map(({ name, names }) => ({ value: name, name, samples: names.slice(0, MAX_SAMPLES) })),
  )
}

const MAX_SAMPLES = 6

function judgeSheet(name: string, sheet: WorkSheet): JudgedSheet {
  const rows = cellsOf(sheet)
    .slice(0, MAX_JUDGED)
    .map((cells) => (cells ?? []).flatMap((cell) => (cell?.w === undefined || cell.w.trim() === '' ? [] : [cell.w])))
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

function* listRows(sheet: WorkSheet, is1904: boolean): Generator<FileRow, void> {
  const data = cellsOf(sheet)
  let line = 0
  // A row can have any number: only those that are there are looked at.
  for (const at of Object.keys(data).map(Number)) {
    const cells = writeCells(at + 1, data[at] ?? [], is1904)
    if (cells.length === 0) continue
    if (at >= MAX_ROWS)
      throw new FileError(at + 1, `The sheet has more than ${MAX_ROWS} rows. Split it, or save it as CSV (UTF-8)`)
    if (at > line) yield { line: line + 1, cells: [], lastLine: at }
    line = at + 1
    yield { line, cells }
  }
}

/** The cells that a row may have, as of a line of CSV. */
const MAX_CELLS = 2_000
const MAX_CELL = 32_767

function writeCells(line: number, row: Cells, is1904: boolean): string[] {
  const cells: string[] = []
  for (let at = 0; at < row.length; at += 1) {
    const cell = row[at]
    const text = cell ? writeCell(cell, is1904).slice(0, MAX_CELL) : ''
    if (text === '') continue
    if (at >= MAX_CELLS) throw new FileError(line, `The row has more than ${MAX_CELLS} cells`)
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
