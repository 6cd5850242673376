import { FileError } from '#spreadsheets/file-error'
import { parseJson } from '#domain/json'
import type { StoredRow } from '#domain/uploads'
import { writeStoredRow } from '#ledger/uploads/read-uploads'

/** The most parts of a file. */
export const MAX_PARTS = 100
/** How many bodies the rows of a file may be as large as, when they are stored. */
const STORED_BODIES = 8

const NO_BYTES = Buffer.alloc(0)
/** The bytes of a block. A longer row has one of its own. */
const BLOCK = 1_048_576

/**
 * The rows of a file, as bytes in blocks, which take the least memory: a text with any other letter takes two bytes for
 * each, and a buffer for each row as much as a short row.
 */
export class RowStore implements Iterable<StoredRow> {
  readonly #maxRecords: number
  readonly #maxBytes: number
  readonly #blocks: { content: Buffer; rows: number; bytes: number }[] = []
  /** In which block each row is, and from where to where there. */
  readonly #places = { block: [] as number[], start: [] as number[], end: [] as number[] }
  #order: readonly number[] | null = null
  #bytes = 0

  constructor({ maxRecords, bodyLimit }: { maxRecords: number; bodyLimit: number }) {
    this.#maxRecords = maxRecords
    this.#maxBytes = STORED_BODIES * bodyLimit
  }

  get length(): number {
    return this.#places.block.length
  }

  /** The bytes of memory that the rows take. */
  get heldBytes(): number {
    return this.#blocks.reduce((sum, { content }) => sum + content.length, 0)
  }

  /** Adds a row. Throws FileError if the rows are too many, or take too many bytes. */
  add(row: StoredRow): void {
    if (this.length === MAX_PARTS * this.#maxRecords) throw new FileError(row.line ?? 1, describeMost(this.#maxRecords))
    this.#bytes += this.#keep(writeStoredRow(row))
    if (this.#bytes > this.#maxBytes)
      throw new FileError(
        row.line ?? 1,
        `The rows up to this line take more than ${this.#maxBytes} bytes as JSON. Split the file`,
      )
  }

  #keep(text: string): number {
    const size = Buffer.byteLength(text)
    let block = this.#blocks.at(-1)
    if (!block || block.bytes + size > block.content.length) {
      block = { content: Buffer.allocUnsafeSlow(Math.max(BLOCK, size)), rows: 0, bytes: 0 }
      this.#blocks.push(block)
    }
    this.#places.block.push(this.#blocks.length - 1)
    this.#places.start.push(block.bytes)
    block.bytes += block.content.write(text, block.bytes)
    this.#places.end.push(block.bytes)
    block.rows += 1
    return size
  }

  /** Reads a row by its index. */
  get(at: number): StoredRow {
    const { block, start, end } = this.#places
    const row = this.#placeOf(at)
    return parseJson(this.#blocks[block[row]!]!.content.toString('utf8', start[row], end[row])) as StoredRow
  }

  /** Takes the JSON of a row for the last time, so that its bytes are not held beside what it becomes. */
  take(at: number): Buffer {
    const row = this.#placeOf(at)
    const block = this.#blocks[this.#places.block[row]!]!
    const json = block.content.subarray(this.#places.start[row], this.#places.end[row])
    block.rows -= 1
    if (block.rows === 0) block.content = NO_BYTES
    return json
  }

  /** Puts the rows into another order, of their indexes. */
  arrange(order: readonly number[]): void {
    this.#order = order
  }

  #placeOf(at: number): number {
    return this.#order?.[at] ?? at
  }

  *[Symbol.iterator](): Iterator<StoredRow> {
    for (let at = 0; at < this.length; at += 1) yield this.get(at)
  }
}

/** What is wrong with a file that has too many parts. */
export function describeMost(maxRecords: number): string {
  return `A file must have at most ${MAX_PARTS} parts of ${maxRecords} rows`
}
