import { FileError } from '#spreadsheets/file-error'
import { parseJson } from '#domain/json'
import type { StoredRow } from '#domain/uploads'
import { writeStoredRow } from '#ledger/uploads/read-uploads'

/** The most parts of a file. */
export const MAX_PARTS = 100
/** How many bodies the rows of a file may be as large as, when they are stored. */
const STORED_BODIES = 8

/** The rows of a file, as bytes, which take the least memory: a text with any other letter takes two bytes for each. */
export class RowStore implements Iterable<StoredRow> {
  readonly #maxRecords: number
  readonly #maxBytes: number
  readonly #rows: Buffer[] = []
  #bytes = 0

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
    const stored = Buffer.from(writeStoredRow(row))
    this.#rows.push(stored)
    this.#bytes += stored.length
    if (this.#bytes > this.#maxBytes)
      throw new FileError(
        row.line ?? 1,
        `The rows up to this line take more than ${this.#maxBytes} bytes as JSON. Split the file`,
      )
  }

  /** Reads a row by its index. */
  get(at: number): StoredRow {
    return parseJson(this.#rows[at]!.toString()) as StoredRow
  }

  *[Symbol.iterator](): Iterator<StoredRow> {
    for (let at = 0; at < this.length; at += 1) yield this.get(at)
  }
}

/** What is wrong with a file that has too many parts. */
export function describeMost(maxRecords: number): string {
  return `A file must have at most ${MAX_PARTS} parts of ${maxRecords} rows`
}
