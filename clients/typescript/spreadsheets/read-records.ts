import { JSON_MARK, readAttribute, readCustomAttribute, readName } from './cells.ts'
import type { FileFault } from './file-error.ts'
import type { FileRow } from './read-csv.ts'
import { CUSTOM, MAX_COLUMNS, MAX_NAME, findField, ORIGIN_COLUMNS, RECORD_COLUMN } from './record-columns.ts'

/** What to do with a column that is not an attribute: it becomes a custom attribute, or it is ignored. */
export type ColumnUse = 'custom' | 'ignore'

/** What the columns of a file are. */
export interface FileColumns {
  /** The number of the column, from 1, of each field; `custom_attributes.KEY` for a custom attribute. */
  fields: ReadonlyMap<string, number>
  /** The names of the columns that are not attributes. */
  unknown: string[]
  /** The number of the column that says which call a record comes from; null if there is none. */
  logId: number | null
  /** What is wrong with the first line. */
  faults: FileFault[]
}

/** A row as a record. */
interface ReadRow {
  /** The record as JSON, without the cells that have faults. */
  json: string
  faults: FileFault[]
}

/** Reads the rows of a file. */
export interface RowReader extends FileColumns {
  /** Takes time for the cells that the row has, not for all columns of the file. */
  read(row: FileRow): ReadRow
  /** Reads only some fields, and a record that has no columns of its own. */
  reading(names: ReadonlySet<string>): (row: FileRow) => ReadRow
}

/** The number of faults that are listed of the first line, and of a row. */
const MAX_FAULTS = 100

const ORIGINS: ReadonlySet<string> = new Set(ORIGIN_COLUMNS)

/** A column of a file, and the field that its cells set. */
interface Column {
  /** From 1. */
  number: number
  name: string
  /** The name and a colon, as JSON has them. */
  member: string
  kind: 'origin' | 'record' | 'field' | 'unknown' | 'custom' | 'ignored'
}

type Report = (line: number, column: number | null, message: string) => void

/**
 * Reads the first line of a file, which names its columns. A column that is not an attribute is used as `uses` says, or
 * is a field.
 */
export function readHeader(header: FileRow, uses: ReadonlyMap<string, ColumnUse>): RowReader {
  const { faults, report } = collectFaults()
  const columns = listColumns(header, report)
  const used = columns.map((column) => useColumn(column, uses)).filter(({ kind }) => kind !== 'ignored')
  const read = (set: readonly Column[], { line, cells }: FileRow, width: number): ReadRow => {
    const found = collectFaults()
    for (let at = width; at < cells.length; at += 1)
      if (cells[at] !== '') {
        found.report(line, width + 1, 'This cell has no column: the first line has fewer cells')
        break
      }
    return { json: readRow(line, cells, set, found.report), faults: found.faults }
  }
  const set = used.filter(({ kind }) => kind !== 'origin')
  return {
    faults,
    fields: new Map(used.map(({ kind, name, number }) => [kind === 'custom' ? `${CUSTOM}${name}` : name, number])),
    unknown: columns.flatMap(({ kind, name }) => (kind === 'unknown' ? name : [])),
    logId: columns.find(({ kind, name }) => kind === 'origin' && name === 'log_id')?.number ?? null,
    read: (row) => read(set, row, header.cells.length),
    reading(names) {
      const some = set.filter(({ kind, name }) => kind === 'record' || (kind === 'field' && names.has(name)))
      return (row) => read(some, row, Infinity)
    },
  }
}

function collectFaults(): { faults: FileFault[]; report: Report } {
  const faults: FileFault[] = []
  const report: Report = (line, column, message) => {
    if (faults.length < MAX_FAULTS) faults.push({ line, column, message })
  }
  return { faults, report }
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

function listColumns({ line, cells }: FileRow, report: Report): Column[] {
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
    if (cell.length > MAX_NAME) {
      report(line, number, `The name of a column must have at most ${MAX_NAME} characters`)
      continue
    }
    const identified = identify(cell)
    const column = { number, ...identified, member: `${JSON.stringify(identified.name)}:` }
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

function readRow(line: number, cells: readonly string[], columns: readonly Column[], report: Report): string {
  const members: string[] = []
  const customs: string[] = []
  let whole: string | undefined
  for (const { member, kind, number } of columns) {
    if (number > cells.length) break
    const cell = cells[number - 1]!
    if (cell === '') continue
    if (kind === 'record' && !cell.startsWith(JSON_MARK)) {
      report(line, number, 'The log does not have all of this record. Enter its attributes in their columns')
      continue
    }
    const { json, fault } = kind === 'custom' ? readCustomAttribute(cell) : readAttribute(cell)
    if (fault !== undefined) report(line, number, fault)
    else if (kind === 'record') whole = json
    else (kind === 'custom' ? customs : members).push(member + json)
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
