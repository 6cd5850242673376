import { FileError, type FileFault } from '#spreadsheets/file-error'
import type { RowKeys } from '#spreadsheets/plan-rows'
import { normalizeEmail } from '#text/normalize-text'
import type { StoredRow } from '#domain/uploads'
import { writeContent, writeStoredRow } from '#ledger/uploads/read-uploads'
import type { FilledPart } from '#ledger/uploads/store-upload'
import { describeMost, MAX_PARTS } from './row-store.ts'

/** A file cannot be read. */
export class FileFaultError extends Error {
  override name = 'FileFaultError'
  readonly faults: readonly FileFault[]

  constructor(faults: readonly FileFault[]) {
    super(faults[0]!.message)
    this.faults = faults
  }
}

/** How many bodies the records of a file may be as large as, which repeat the names of columns. */
const RECORD_BODIES = 16

/** Collects rows into parts, in the order in which they are applied. */
export class PartBuilder {
  readonly #maxRecords: number
  readonly #bodyLimit: number
  readonly #parts: FilledPart[] = []
  #firstRow = 1
  #rows: string[] = []
  #partBytes = 0
  #storedBytes = 0
  #recordBytes = 0
  /** The numbers of the rows of earlier parts, and of this one, by what identifies their people. */
  readonly #earlier = new Map<string, number>()
  #current = new Map<string, number>()

  constructor({ maxRecords, bodyLimit }: { maxRecords: number; bodyLimit: number }) {
    this.#maxRecords = maxRecords
    this.#bodyLimit = bodyLimit
  }

  /** Adds a row. `bytes` is the size of its record as JSON. Throws FileError. */
  add(row: StoredRow, keys: RowKeys, bytes: number): void {
    const isFull =
      this.#rows.length === this.#maxRecords ||
      this.#partBytes + bytes > this.#bodyLimit ||
      this.#storedBytes > this.#bodyLimit
    if (isFull && this.#rows.length > 0) this.#close(keys.line)
    if (keys.external_id !== undefined) this.#current.set(`external_id ${keys.external_id}`, row.row)
    if (keys.email !== undefined) this.#current.set(`email ${keys.email}`, row.row)
    const earlierManager = this.#findEarlierManager(row, keys)
    const stored = writeStoredRow(earlierManager === undefined ? row : { ...row, earlierManager })
    this.#rows.push(stored)
    this.#partBytes += bytes
    this.#recordBytes += bytes
    this.#storedBytes += Buffer.byteLength(stored)
    const maxRecordBytes = RECORD_BODIES * this.#bodyLimit
    if (this.#recordBytes > maxRecordBytes)
      throw new FileError(
        keys.line,
        `The records up to this line, with the names of their columns, take more than ${maxRecordBytes} bytes. ` +
          'Split the file',
      )
  }

  #findEarlierManager({ plan }: StoredRow, { manager }: RowKeys): number | undefined {
    if (!manager || plan?.manager?.fault !== undefined) return undefined
    const { email, external_id: externalId } = plan?.manager ?? {}
    const name =
      externalId === undefined ? `email ${normalizeEmail(email ?? manager.text)}` : `external_id ${externalId}`
    return this.#current.has(name) ? undefined : this.#earlier.get(name)
  }

  end(): FilledPart[] {
    this.#finish()
    return this.#parts
  }

  #close(line: number): void {
    this.#finish()
    if (this.#parts.length === MAX_PARTS) throw new FileError(line, describeMost(this.#maxRecords))
    for (const [name, row] of this.#current) this.#earlier.set(name, row)
    this.#current = new Map()
    this.#firstRow += this.#rows.length
    this.#rows = []
    this.#partBytes = 0
    this.#storedBytes = 0
  }

  #finish(): void {
    const content = Buffer.from(writeContent(this.#rows))
    this.#parts.push({ firstRow: this.#firstRow, rows: this.#rows.length, content })
  }
}
