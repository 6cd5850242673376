import { isId } from '../ids.ts'
import { JSON_MARK, readAttribute, readCustomAttribute, readName } from './cells.ts'
import { CUSTOM, MAX_COLUMNS, findField, ORIGIN_COLUMNS, RECORD_COLUMN } from './record-columns.ts'

/** A row of a file, and the line on which it begins, from 1. */
export interface FileRow {
  line: number
  cells: readonly string[]
}

/** Something wrong with a file. `column` is the number of the column, from 1; null if it is about the whole line. */
export interface FileFault {
  line: number
  column: number | null
  message: string
}

/** What to do with a column that is no attribute: it becomes a custom attribute, or it is ignored. */
export type ColumnUse = 'custom' | 'ignore'

/** What a file holds. */
export interface FileRecords {
  /** The records of the call. */
  records: unknown[]
  /** The line of each record. */
  lines: number[]
  /** The number of the column, from 1, of each field; `custom_attributes.KEY` for a custom attribute. */
  columns: ReadonlyMap<string, number>
  /** The names of the columns that are no attributes. */
  unknown: string[]
  /** The calls whose records these are, as the file says. */
  logIds: string[]
  /** The first faults. Nothing can be applied if there are any. */
  faults: FileFault[]
}

/** The number of faults that are listed. */
const MAX_FAULTS = 100

const ORIGINS: ReadonlySet<string> = new Set(ORIGIN_COLUMNS)

/** A column of a file, and the field that its cells set. */
interface Column {
  /** From 1. */
  number: number
  name: string
  kind: 'origin' | 'record' | 'field' | 'unknown' | 'custom' | 'ignored'
}

type Report = (line: number, column: number | null, message: string) => void

/** Reads the rows of a file below its header. A column that is no attribute is used as `uses` says, or is a field. */
export function readRecords(
  header: FileRow,
  rows: Iterable<FileRow>,
  uses: ReadonlyMap<string, ColumnUse>,
): FileRecords {
  const faults: FileFault[] = []
  const report: Report = (line, column, message) => {
    if (faults.length < MAX_FAULTS) faults.push({ line, column, message })
  }
  const columns = readHeader(header, report)
  const used = columns.map((column) => useColumn(column, uses))
  const [records, lines, logIds]: [unknown[], number[], Set<string>] = [[], [], new Set()]
  for (const { line, cells } of rows) {
    if (cells.every((cell) => cell === '')) continue
    if (cells.slice(header.cells.length).some((cell) => cell !== ''))
      report(line, header.cells.length + 1, 'This cell has no column: the first line has fewer cells')
    records.push(readRow(line, cells, used, report))
    lines.push(line)
    for (const { name, number } of columns) {
      const cell = name === 'log_id' ? cells[number - 1] : undefined
      if (cell !== undefined && isId('log', cell)) logIds.add(cell)
    }
  }
  return {
    records,
    lines,
    faults,
    columns: new Map(used.map(({ kind, name, number }) => [kind === 'custom' ? `${CUSTOM}${name}` : name, number])),
    unknown: columns.flatMap(({ kind, name }) => (kind === 'unknown' ? name : [])),
    logIds: [...logIds],
  }
}

function useColumn(column: Column, uses: ReadonlyMap<string, ColumnUse>): Column {
  const use = column.kind === 'unknown' ? uses.get(column.name) : undefined
  return use ? { ...column, kind: use === 'custom' ? 'custom' : 'ignored' } : column
}

function readHeader({ line, cells }: FileRow, report: Report): Column[] {
  const columns: Column[] = []
  const names = new Set<string>()
  for (const [at, cell] of cells.entries()) {
    const number = at + 1
    if (at === MAX_COLUMNS) {
      report(line, number, `A file must have at most ${MAX_COLUMNS} columns`)
      break
    }
    // Spreadsheets keep empty columns behind the last one.
    if (cell === '') continue
    const column = { number, ...identify(cell) }
    const name = column.kind === 'custom' ? `${CUSTOM}${column.name}` : column.name
    if (names.has(name)) report(line, number, 'Another column has the same name')
    names.add(name)
    columns.push(column)
  }
  return columns
}

/** Finds out what a column is. Behind an apostrophe, its name is exact. */
function identify(cell: string): Pick<Column, 'name' | 'kind'> {
  const name = readName(cell)
  if (ORIGINS.has(name)) return { name, kind: 'origin' }
  if (name === RECORD_COLUMN) return { name, kind: 'record' }
  if (name.startsWith(CUSTOM)) return { name: name.slice(CUSTOM.length), kind: 'custom' }
  const field = name === cell ? findField(name) : undefined
  return field === undefined ? { name, kind: 'unknown' } : { name: field, kind: 'field' }
}

function readRow(line: number, cells: readonly string[], columns: Column[], report: Report): unknown {
  const members: [string, unknown][] = []
  const customs: [string, unknown][] = []
  let whole: { value: unknown } | undefined
  for (const { name, kind, number } of columns) {
    const cell = cells[number - 1] ?? ''
    if (cell === '' || kind === 'origin' || kind === 'ignored') continue
    if (kind === 'record' && !cell.startsWith(JSON_MARK)) {
      report(line, number, 'The log does not have all of this record. Enter its attributes in their columns')
      continue
    }
    const { value, fault } = kind === 'custom' ? readCustomAttribute(cell) : readAttribute(cell)
    if (fault !== undefined) report(line, number, fault)
    else if (kind === 'record') whole = { value }
    else (kind === 'custom' ? customs : members).push([name, value])
  }
  if (whole && members.length + customs.length > 0)
    report(line, null, `The line has a record in the column ${RECORD_COLUMN} and attributes in others. Empty either`)
  if (whole) return whole.value
  if (customs.length > 0) members.push(['custom_attributes', Object.fromEntries(customs)])
  return Object.fromEntries(members)
}
