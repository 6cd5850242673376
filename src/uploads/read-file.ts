import type { Problem } from '../domain/errors.ts'
import { normalizeEmail } from '../domain/attributes.ts'
import { isObject } from '../domain/json.ts'
import { createEncodingDetector } from '../../clients/typescript/spreadsheets/detect-encoding.ts'
import type { FileFault } from '../../clients/typescript/spreadsheets/file-error.ts'
import { FileError } from '../../clients/typescript/spreadsheets/file-error.ts'
import type { FileRow } from '../../clients/typescript/spreadsheets/read-csv.ts'
import { readCsv } from '../../clients/typescript/spreadsheets/read-csv.ts'
import { readRecords } from '../../clients/typescript/spreadsheets/read-records.ts'
import type { StoredRow } from '../domain/uploads.ts'

/** Parses JSON as the body of a call with so many records, or says what is wrong with it. */
export type ReadBody = (
  json: string,
  maxRecords: number,
) => { body: unknown; problem?: undefined } | { problem: Problem }

/** What calls may have: a part becomes a call. */
interface CallLimits {
  maxRecords: number
  /** Bytes of a body. */
  bodyLimit: number
  readBody: ReadBody
}

/** What a file holds, in parts that can be calls. */
export interface ReadFile {
  /** The line that names the columns; null for JSON. */
  header: string[] | null
  parts: StoredRow[][]
  /** The calls whose records these are, as the file says. */
  logIds: string[]
}

/** The most parts of a file. */
export const MAX_PARTS = 100
/** How many bodies a file may be as large as. */
const BODIES = 4
/** A JSON file may have as many values as this many calls, because it is parsed at once. */
const JSON_CALLS = 4

/** The bytes that a file may have; one of JSON, which is parsed at once, a quarter. */
export function maxFileBytes({ bodyLimit }: Pick<CallLimits, 'bodyLimit'>): number {
  return BODIES * bodyLimit
}

/** A file cannot be read. */
export class FileFaultError extends Error {
  override name = 'FileFaultError'
  readonly faults: readonly FileFault[]

  constructor(faults: readonly FileFault[]) {
    super(faults[0]!.message)
    this.faults = faults
  }
}

/**
 * Reads a file, CSV or JSON, and splits it into parts of `maxRecords` records and a body's bytes at most. Throws
 * FileFaultError if it cannot be read. What is wrong with single cells is found when a part is read.
 */
export async function readFile(bytes: Buffer, limits: CallLimits): Promise<ReadFile> {
  try {
    const text = decode(bytes)
    if (text.trim() === '') throw new FileError(1, 'The file is empty')
    const parts = new PartBuilder(limits)
    const header = /^\s*[[{]/.test(text) ? readJson(text, limits, parts) : await readRows(text, parts)
    return { header, parts: parts.end(), logIds: [...parts.logIds] }
  } catch (error) {
    throw error instanceof FileError ? new FileFaultError([error.fault]) : error
  }
}

function decode(bytes: Buffer): string {
  const detector = createEncodingDetector()
  detector.push(bytes)
  return new TextDecoder(detector.finish()).decode(bytes)
}

function readJson(text: string, { maxRecords, bodyLimit, readBody }: CallLimits, parts: PartBuilder): null {
  if (Buffer.byteLength(text) > bodyLimit) throw new FileError(1, `A JSON file must have at most ${bodyLimit} bytes`)
  const { body, problem } = readBody(text, JSON_CALLS * maxRecords) as { body?: unknown; problem?: Problem }
  if (problem) throw new FileError(1, problem.detail)
  const records = isObject(body) && Array.isArray(body['employees']) ? body['employees'] : body
  if (!Array.isArray(records))
    throw new FileError(1, 'The file must be a list of records, or an object with the list in employees')
  if (records.length === 0) throw new FileError(1, 'There are no records in the list')
  for (const [at, record] of records.entries())
    parts.add({ row: at + 1, record }, record, 1, JSON.stringify(record).length)
  return null
}

/** Rows that are read together, and the characters that are parsed before other requests get their turn. */
const ROWS_AT_ONCE = 100
const CHUNK = 65_536

function* chunksOf(text: string): Generator<string> {
  for (let at = 0, end = 0; at < text.length; at = end) {
    // Not between the halves of a character.
    end = at + CHUNK + (/[\ud800-\udbff]/.test(text.charAt(at + CHUNK - 1)) ? 1 : 0)
    yield text.slice(at, end)
  }
}

async function readRows(text: string, parts: PartBuilder): Promise<string[]> {
  let header: FileRow | null = null
  let waiting: FileRow[] = []
  let count = 0
  const take = (of: FileRow) => {
    const { records, logIds } = readRecords(of, waiting, new Map())
    for (const id of logIds) parts.logIds.add(id)
    for (const [at, row] of waiting.entries())
      parts.add({ row: (count += 1), ...row }, JSON.parse(records[at]!), row.line, sizeOf(of.cells, row.cells))
    waiting = []
  }
  for await (const row of readCsv(chunksOf(text))) {
    if (header === null) {
      const { faults } = readRecords(row, [], new Map())
      if (faults.length > 0) throw new FileFaultError(faults)
      header = row
    } else if (row.cells.some((cell) => cell !== '')) waiting.push(row)
    if (waiting.length === ROWS_AT_ONCE) take(header)
  }
  if (header && waiting.length > 0) take(header)
  if (!header || count === 0) throw new FileError(header?.line ?? 1, 'There are no records below the first line')
  return [...header.cells]
}

/** About how many bytes a row is as JSON, which repeats the names of its columns. */
function sizeOf(header: readonly string[], cells: readonly string[]): number {
  return cells.reduce((sum, cell, at) => sum + (cell === '' ? 0 : cell.length + (header[at]?.length ?? 0) + 6), 2)
}

const IDENTIFIERS = ['id', 'external_id', 'email'] as const
const MANAGERS = { manager_external_id: 'external_id', manager_email: 'email' } as const
const MAX_FAULTS = 100

/**
 * Collects rows into parts. Within a part, the call itself decides about records of the same employee and about managers;
 * across parts, they are found here.
 */
class PartBuilder {
  readonly logIds = new Set<string>()
  readonly #limits: CallLimits
  readonly #parts: StoredRow[][] = []
  #part: StoredRow[] = []
  #bytes = 0
  /** The line of each identifier in earlier parts, and in this one. */
  readonly #earlier = new Map<string, number>()
  #current = new Map<string, number>()
  readonly #faults: FileFault[] = []

  constructor(limits: CallLimits) {
    this.#limits = limits
  }

  add(row: StoredRow, record: unknown, line: number, bytes: number): void {
    const { maxRecords, bodyLimit } = this.#limits
    if (this.#part.length === maxRecords || (this.#part.length > 0 && this.#bytes + bytes > bodyLimit))
      this.#close(line)
    for (const name of namesOf(record)) {
      const before = this.#earlier.get(name)
      if (before !== undefined && this.#faults.length < MAX_FAULTS) this.#faults.push(repeated(name, line, before, row))
      this.#current.set(name, row.cells ? line : row.row)
    }
    const hasEarlierManager = managersOf(record).some((name) => this.#earlier.has(name) && !this.#current.has(name))
    this.#part.push({ ...row, ...(hasEarlierManager ? { hasEarlierManager } : {}) })
    this.#bytes += bytes
  }

  end(): StoredRow[][] {
    if (this.#faults.length > 0) throw new FileFaultError(this.#faults)
    return [...this.#parts, this.#part]
  }

  #close(line: number): void {
    this.#parts.push(this.#part)
    if (this.#parts.length === MAX_PARTS)
      throw new FileError(line, `A file must have at most ${MAX_PARTS} parts of ${this.#limits.maxRecords} rows`)
    for (const [name, at] of this.#current) this.#earlier.set(name, at)
    this.#current = new Map()
    this.#part = []
    this.#bytes = 0
  }
}

/** Of a JSON file, `before` is the row of the other record. */
function repeated(name: string, line: number, before: number, { row, cells }: StoredRow): FileFault {
  const [field] = name.split(' ', 1)
  const message = cells
    ? `Another row with this ${field} is on line ${before}`
    : `Record ${row - 1} has the same ${field} as record ${before - 1}`
  return { line, column: null, message: `${message}: a file may change an employee only once` }
}

/** The ids, email addresses, and external ids that a record uses to identify its employee. */
function namesOf(record: unknown): string[] {
  return IDENTIFIERS.flatMap((field) => nameIn(record, field, field))
}

function managersOf(record: unknown): string[] {
  return Object.entries(MANAGERS).flatMap(([field, of]) => nameIn(record, field, of))
}

function nameIn(record: unknown, field: string, of: string): string[] {
  const value = isObject(record) ? record[field] : undefined
  if (typeof value !== 'string' || value === '') return []
  return [`${of} ${of === 'email' ? normalizeEmail(value) : value}`]
}
