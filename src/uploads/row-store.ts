import { FileError } from '../../clients/typescript/spreadsheets/file-error.ts'
import { parseJson } from '../domain/json.ts'
import type { StoredRow } from '../domain/uploads.ts'
import { writeStoredRow } from '../ledger/uploads/read-uploads.ts'

/** The most parts of a file. */
export const MAX_PARTS = 100
/** How many bodies the rows of a file may be as large as, when they are stored. */
const STORED_BODIES = 8
/** The characters that are encoded at once. */
const CHUNK = 262_144

/** The rows of a file, as bytes, which take the least memory: a text with any other letter takes two bytes for each. */
export class RowStore implements Iterable<StoredRow> {
  readonly #maxRecords: number
  readonly #maxBytes: number
  readonly #chunks: Buffer[] = []
  /** Where each row is: the number of its chunk, and its first byte in it. */
  readonly #places: [chunk: number, start: number, end: number][] = []
  #texts: string[] = []
  #characters = 0
  #bytes = 0

  constructor({ maxRecords, bodyLimit }: { maxRecords: number; bodyLimit: number }) {
    this.#maxRecords = maxRecords
    this.#maxBytes = STORED_BODIES * bodyLimit
  }

  get length(): number {
    return this.#places.length + this.#texts.length
  }

  /** Adds a row. Throws FileError if the rows are too many, or take too many bytes. */
  add(row: StoredRow): void {
    if (this.length === MAX_PARTS * this.#maxRecords) throw new FileError(row.line ?? 1, describeMost(this.#maxRecords))
    const text = writeStoredRow(row)
    this.#texts.push(text)
    this.#characters += text.length
    this.#bytes += Buffer.byteLength(text)
    if (this.#bytes > this.#maxBytes)
      throw new FileError(
        row.line ?? 1,
        `The rows up to this line take more than ${this.#maxBytes} bytes as JSON. Split the file`,
      )
    if (this.#characters > CHUNK) this.#encode()
  }

  #encode(): void {
    let end = 0
    for (const text of this.#texts) {
      const start = end
      end += Buffer.byteLength(text)
      this.#places.push([this.#chunks.length, start, end])
    }
    this.#chunks.push(Buffer.from(this.#texts.join('')))
    this.#texts = []
    this.#characters = 0
  }

  /** Reads a row by its index. */
  get(at: number): StoredRow {
    if (at >= this.#places.length) this.#encode()
    const [chunk, start, end] = this.#places[at]!
    return parseJson(this.#chunks[chunk]!.toString('utf8', start, end)) as StoredRow
  }

  *[Symbol.iterator](): Iterator<StoredRow> {
    for (let at = 0; at < this.length; at += 1) yield this.get(at)
  }
}

/** What is wrong with a file that has too many parts. */
export function describeMost(maxRecords: number): string {
  return `A file must have at most ${MAX_PARTS} parts of ${maxRecords} rows`
}
