import { JSON_MARK, readAttribute, readCustomAttribute, readName } from './cells.ts'
import type { FileFault } from './file-error.ts'
import type { FileRow } from './read-csv.ts'
import { CUSTOM, MAX_COLUMNS, findField, ORIGIN_COLUMNS, RECORD_COLUMN } from './record-columns.ts'

/** What to do with a column that is not an attribute: it becomes a custom attribute, or it is ignored. */
export type ColumnUse = 'custom' | 'ignore'

/** What a file holds. */
export interface FileRecords {
  /** The records, each as JSON. */
  records: string[]
  /** The line of each record. */
  lines: number[]
  /** The number of the column, from 1, of each field; `custom_attributes.KEY` for a custom attribute. */
  columns: ReadonlyMap<string, number>
  /** The names of the columns that are not attributes. */
  unknown: string[]
  /** What the column `log_id` names: the calls whose records these are. */
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

/** Reads the rows below the header of a file. A column that is not an attribute is used as `uses` says, or is a field. */
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
  const [records, lines, logIds]: [string[], number[], Set<string>] = [[], [], new Set()]
  for (const { line, cells } of rows) {
    if (cells.every((cell) => cell === '')) continue
    if (cells.slice(header.cells.length).some((cell) => cell !== ''))
      report(line, header.cells.length + 1, 'This cell has no column: the first line has fewer cells')
    records.push(readRow(line, cells, used, report))
    lines.push(line)
    for (const { name, number } of columns) {
      const cell = name === 'log_id' ? cells[number - 1] : undefined
      if (cell !== undefined && cell !== '') logIds.add(cell)
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

/** Reads each cell as a record of its own, whatever it contains, to search it. Several columns may have one name, or none. */
export function readCells(header: readonly string[], cells: readonly string[]): Record<string, unknown>[] {
  return cells.map((cell, at) => {
    const name = readName(header[at] ?? '')
    const { json } = readAttribute(cell)
    return { [findField(name) ?? name]: json === undefined ? cell : JSON.parse(json) }
  })
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

function readRow(line: number, cells: readonly string[], columns: Column[], report: Report): string {
  const members: string[] = []
  const customs: string[] = []
  let whole: string | undefined
  for (const { name, kind, number } of columns) {
    const cell = cells[number - 1] ?? ''
    if (cell === '' || kind === 'origin' || kind === 'ignored') continue
    if (kind === 'record' && !cell.startsWith(JSON_MARK)) {
      report(line, number, 'The log does not have all of this record. Enter its attributes in their columns')
      continue
    }
    const { json, fault } = kind === 'custom' ? readCustomAttribute(cell) : readAttribute(cell)
    if (fault !== undefined) report(line, number, fault)
    else if (kind === 'record') whole = json
    else (kind === 'custom' ? customs : members).push(`${JSON.stringify(name)}:${json}`)
  }
  if (whole !== undefined && members.length + customs.length > 0)
    report(line, null, `The line has a record in the column ${RECORD_COLUMN} and attributes in others. Empty either`)
  if (whole !== undefined) return whole
  if (customs.length > 0) members.push(`"custom_attributes":{${customs.join(',')}}`)
  return `{${members.join(',')}}`
}

/** The name of the field that an error is about, as columns name it. The pointer leads into a list of records. */
export function readPointer(pointer: string): string {
  const names = pointer
    .replace(/^\/employees/, '')
    .split('/')
    .slice(2)
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~')).join('.')
}
