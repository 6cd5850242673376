import { normalizeEmail } from '../domain/attributes.ts'
import { isObject } from '../domain/json.ts'
import type { FileFault } from '../../clients/typescript/spreadsheets/file-error.ts'
import { FileError } from '../../clients/typescript/spreadsheets/file-error.ts'
import type { StoredRow } from '../domain/uploads.ts'
import { writeContent, writeStoredRow } from '../ledger/uploads/read-uploads.ts'
import type { FilledPart } from '../ledger/uploads/store-upload.ts'

/** A file cannot be read. */
export class FileFaultError extends Error {
  override name = 'FileFaultError'
  readonly faults: readonly FileFault[]

  constructor(faults: readonly FileFault[]) {
    super(faults[0]!.message)
    this.faults = faults
  }
}

/** The most parts of a file. */
export const MAX_PARTS = 100
/** How many bodies the stored rows of a file may be as large as, and its records, which repeat the names of columns. */
const STORED_BODIES = 8
const RECORD_BODIES = 16
const MAX_FAULTS = 100
/** The ids of calls that are kept of a file. */
const MAX_LOG_IDS = 1_000
/** The characters of the longest identifier. An employee with a longer one is refused, so it needs no comparison. */
const MAX_IDENTIFIER = 512

/** The fields that say which employee a record is about, and who the manager is. */
const IDENTIFIERS = ['id', 'external_id', 'email'] as const
const MANAGERS = { manager_external_id: 'external_id', manager_email: 'email' } as const
export const NAMING_FIELDS: ReadonlySet<string> = new Set([...IDENTIFIERS, ...Object.keys(MANAGERS)])

/**
 * Collects rows into parts. Within a part, the call itself decides about records of the same employee and about managers;
 * across parts, they are found here.
 */
export class PartBuilder {
  readonly #maxRecords: number
  readonly #bodyLimit: number
  readonly #logIds = new Set<string>()
  readonly #parts: FilledPart[] = []
  #firstRow = 1
  #rows: string[] = []
  #partBytes = 0
  /** The bytes of all stored rows, and of those of earlier parts. */
  #storedBytes = 0
  #storedBefore = 0
  #recordBytes = 0
  /** The line of each identifier in earlier parts, and in this one. */
  readonly #earlier = new Map<string, number>()
  #current = new Map<string, number>()
  readonly #faults: FileFault[] = []

  constructor({ maxRecords, bodyLimit }: { maxRecords: number; bodyLimit: number }) {
    this.#maxRecords = maxRecords
    this.#bodyLimit = bodyLimit
  }

  addLogId(logId: string): void {
    if (this.#logIds.size < MAX_LOG_IDS) this.#logIds.add(logId)
  }

  /** Adds a row. `record` has at least the fields that name employees, and `bytes` is the size of the record as JSON. */
  add(row: StoredRow, record: unknown, line: number, bytes: number): void {
    const isFull =
      this.#rows.length === this.#maxRecords ||
      this.#partBytes + bytes > this.#bodyLimit ||
      this.#storedBytes - this.#storedBefore > this.#bodyLimit
    if (isFull && this.#rows.length > 0) this.#close(line, row.row)
    for (const name of namesOf(record)) {
      const before = this.#earlier.get(name)
      if (before !== undefined && this.#faults.length < MAX_FAULTS) this.#faults.push(repeated(name, line, before, row))
      this.#current.set(name, row.cells ? line : row.row)
    }
    const hasEarlierManager = managersOf(record).some((name) => this.#earlier.has(name) && !this.#current.has(name))
    const stored = writeStoredRow({ ...row, ...(hasEarlierManager ? { hasEarlierManager } : {}) })
    this.#rows.push(stored)
    this.#partBytes += bytes
    this.#recordBytes += bytes
    this.#storedBytes += Buffer.byteLength(stored)
    const maxStored = STORED_BODIES * this.#bodyLimit
    if (this.#storedBytes > maxStored)
      throw new FileError(line, `The rows up to this line take more than ${maxStored} bytes as JSON. Split the file`)
    const maxRecordBytes = RECORD_BODIES * this.#bodyLimit
    if (this.#recordBytes > maxRecordBytes)
      throw new FileError(
        line,
        `The records up to this line, with the names of their columns, take more than ${maxRecordBytes} bytes. Split the file`,
      )
  }

  /** Returns the parts, and the ids of calls. Throws FileFaultError if an employee is in several parts. */
  end(): { parts: FilledPart[]; logIds: string[] } {
    if (this.#faults.length > 0) throw new FileFaultError(this.#faults)
    this.#finish()
    return { parts: this.#parts, logIds: [...this.#logIds] }
  }

  #close(line: number, nextRow: number): void {
    this.#finish()
    if (this.#parts.length === MAX_PARTS)
      throw new FileError(line, `A file must have at most ${MAX_PARTS} parts of ${this.#maxRecords} rows`)
    for (const [name, at] of this.#current) this.#earlier.set(name, at)
    this.#current = new Map()
    this.#firstRow = nextRow
    this.#rows = []
    this.#partBytes = 0
    this.#storedBefore = this.#storedBytes
  }

  /** As bytes, the rows take the least memory: a text with any other letter takes two bytes for each. */
  #finish(): void {
    const content = Buffer.from(writeContent(this.#rows))
    this.#parts.push({ firstRow: this.#firstRow, rows: this.#rows.length, content })
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
  if (typeof value !== 'string' || value === '' || value.length > MAX_IDENTIFIER) return []
  return [`${of} ${of === 'email' ? normalizeEmail(value) : value}`]
}
