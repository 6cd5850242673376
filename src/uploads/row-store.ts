import { FileError } from '#spreadsheets/file-error'
import { parseJson } from '#domain/json'
import type { StoredRow } from '#domain/uploads'
import { writeStoredRow } from '#ledger/uploads/read-uploads'

/** The most parts of a file. */
export const MAX_PARTS = 100
/** How many bodies the rows of a file may be as large as, when they are stored. */
const STORED_BODIES = 8

const NO_BYTES = Buffer.alloc(0)
/** The bytes that rows share: small ones between others that are freed would keep the memory of those. */
const CHUNK = 4_194_304

/** The rows of a file, as bytes, which take the least memory: a text with any other letter takes two bytes for each. */
export class RowStore implements Iterable<StoredRow> {
  readonly #maxRecords: number
  readonly #maxBytes: number
  #rows: Buffer[] = []
  #bytes = 0
  #free = NO_BYTES

  constructor({ maxRecords, bodyLimit }: { maxRecords: number; bodyLimit: number }) {
    this.#maxRecords = maxRecords
    this.#maxBytes = STORED_BODIES * bodyLimit
  }

  get length(): number {
    return this.#rows.length
  }

  /** Adds a row. Throws FileError if the rows are too many, or take too many bytes. */
  add(row: StoredRow): void {
    if (this.length === MAX_PARTS * this.#maxRecords) throw new FileError(row.line ?? 1, describeMost(this.#maxRecords))
    const stored = this.#keep(writeStoredRow(row))
    this.#rows.push(stored)
    this.#bytes += stored.length
    if (this.#bytes > this.#maxBytes)
      throw new FileError(
        row.line ?? 1,
        `The rows up to this line take more than ${this.#maxBytes} bytes as JSON. Split the file`,
      )
  }

  #keep(text: string): Buffer {
    const size = Buffer.byteLength(text)
    if (size > this.#free.length) this.#free = Buffer.allocUnsafeSlow(Math.max(CHUNK, size))
    const row = this.#free.subarray(0, size)
    this.#free = this.#free.subarray(size)
    row.write(text)
    return row
  }

  /** Reads a row by its index. */
  get(at: number): StoredRow {
    return parseJson(this.#rows[at]!.toString()) as StoredRow
  }

  /** Reads a row for the last time, so that its bytes are not held beside what it becomes. */
  take(at: number): StoredRow {
    const row = this.get(at)
    this.#rows[at] = NO_BYTES
    return row
  }

  /** Puts the rows into another order, of their indexes. */
  arrange(order: readonly number[]): void {
    this.#rows = order.map((at) => this.#rows[at]!)
  }

  *[Symbol.iterator](): Iterator<StoredRow> {
    for (let at = 0; at < this.length; at += 1) yield this.get(at)
  }
}

/** What is wrong with a file that has too many parts. */
export function describeMost(maxRecords: number): string {
  return `A file must have at most ${MAX_PARTS} parts of ${maxRecords} rows`
}
