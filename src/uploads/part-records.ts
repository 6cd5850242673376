import { doInTurns, isTurnOver, nextTurn } from '#admission/turns'
import { parseRecord } from '#bodies/json-body'
import type { FileFault } from '#spreadsheets/file-error'
import { loadCountryNames } from '#spreadsheets/values/read-country'
import { openRows, type RowReader } from '#spreadsheets/rows/read-records'
import type { StoredRow } from '#domain/uploads'
import { dateOf, type StoredUpload } from '#ledger/uploads/read-uploads'
import { trimBlanks } from '#text/normalize-text'

/** The records of a part, as the body of a call, and where they are in the file. */
export interface PartRecords {
  body: readonly unknown[]
  /** About how many bytes the body has as JSON. */
  bytes: number
  /** The row of each record. */
  rows: readonly StoredRow[]
  /** The number of the column, from 1, of each field; `custom_attributes.KEY` for a custom attribute. */
  columns: ReadonlyMap<string, number>
  /** The names of the columns that become nothing. */
  unused: readonly string[]
  /** Some values of each column, by its number less 1. */
  examples: readonly (readonly string[])[]
  /** What is wrong with cells: the first faults. Rows that have any are not in `body`. */
  faults: readonly FileFault[]
  /** What was left out, as the mapping says: the first notes. */
  notes: readonly FileFault[]
  /** The rows that cannot be read, and the first faults of each. */
  unreadable: readonly UnreadableRow[]
}

/** Names a row for people: by its line, or, of a JSON file, by the number of its record. */
export function nameRow({ line, row }: Pick<StoredRow, 'line' | 'row'>): string {
  return line === undefined ? `Record ${row}` : `Line ${line}`
}

/** A row that cannot be read. What is wrong with all rows of a file is not among its faults. */
export interface UnreadableRow {
  row: StoredRow
  faults: readonly FileFault[]
}

/** The number of faults, and of notes, that are listed; and of faults of a row. */
const MAX_FAULTS = 100
const MAX_ROW_FAULTS = 16

/** Reads the rows of a part, in pieces. Values of cells become what a call has. */
export async function readPart(
  upload: Pick<StoredUpload, 'header' | 'mapping' | 'createdAt'>,
  all: readonly StoredRow[],
): Promise<PartRecords> {
  const file = openUpload(upload)
  if (upload.mapping) await doInTurns(loadCountryNames(upload.mapping.columns))
  const [body, rows, faults, notes]: [unknown[], StoredRow[], FileFault[], FileFault[]] = [[], [], [], []]
  let bytes = 0
  const unreadable: UnreadableRow[] = []
  for (const fault of file?.faults ?? []) faults.push(fault)
  for (const row of all) {
    if (isTurnOver()) await nextTurn()
    // People who are not in a file are records, whatever the file is.
    const reader = row.cells ? file : null
    if (reader && reader.faults.length > 0) {
      unreadable.push({ row, faults: [] })
      continue
    }
    const read = reader ? readCells(reader, row) : readRecord(row)
    for (const note of read.notes?.slice(0, MAX_FAULTS - notes.length) ?? []) notes.push(note)
    if (row.plan?.repeats !== undefined) continue
    if (read.faults) {
      for (const fault of read.faults.slice(0, MAX_FAULTS - faults.length)) faults.push(fault)
      unreadable.push({ row, faults: read.faults.slice(0, MAX_ROW_FAULTS) })
    } else {
      body.push(read.record)
      rows.push(row)
      bytes += Buffer.byteLength(read.json) + 1
    }
  }
  const { fields: columns = new Map<string, number>(), unused = [] } = file ?? {}
  return { body, bytes, rows, columns, unused, examples: listExamples(upload.header, all), faults, notes, unreadable }
}

/** Opens the rows of an upload; null if it is JSON. What has passed, it had when the file was uploaded. */
function openUpload({ header, mapping, createdAt }: Pick<StoredUpload, 'header' | 'mapping' | 'createdAt'>) {
  return header === null || mapping === null
    ? null
    : openRows({ line: 1, cells: header }, mapping, dateOf({ createdAt }))
}

type ReadRecord =
  | { record: unknown; json: string; faults?: undefined; notes?: readonly FileFault[] }
  | { faults: readonly FileFault[]; notes?: undefined }

function readRecord({ row, record, plan }: StoredRow): ReadRecord {
  if (plan?.faults) return { faults: plan.faults.map((message) => ({ line: row, column: null, message })) }
  return { record, json: JSON.stringify(record) }
}

/** The records of cells meet the same rules as those of a call. */
function readCells(file: RowReader, { line = 1, cells = [], plan }: StoredRow): ReadRecord {
  const { json, faults, notes } = file.read({ line, cells }, plan)
  if (faults.length > 0) return { faults }
  const { record, problem } = parseRecord(json)
  if (problem === undefined) return { record, json, notes }
  return { faults: [{ line, column: null, message: problem.replace(/^The body/, 'The record') }] }
}

/** The examples of a column, the characters of each, and the rows that are searched for them. */
const MAX_EXAMPLES = 3
const MAX_EXAMPLE = 200
const SEARCHED_ROWS = 100

function listExamples(header: readonly string[] | null, rows: readonly StoredRow[]): string[][] {
  return (header ?? []).map((_, at) => {
    const values = rows.slice(0, SEARCHED_ROWS).map(({ cells }) => showBeginning(cells?.[at] ?? ''))
    return [...new Set(values)].filter((value) => value !== '').slice(0, MAX_EXAMPLES)
  })
}

function showBeginning(cell: string): string {
  const beginning = trimBlanks(cell.slice(0, MAX_EXAMPLE))
  return cell.length > MAX_EXAMPLE ? `${beginning}…` : beginning
}
