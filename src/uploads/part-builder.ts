import { FileError, type FileFault } from '#spreadsheets/file-error'
import type { StoredRow } from '#domain/uploads'
import { CONTENT } from '#ledger/uploads/read-uploads'
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
/** The bytes that the content of a part has room for at first. */
const FIRST_ROOM = 65_536
/** An object without members, as JSON. */
const NO_MEMBERS = '{}'

/** A row to add, with what the file says about it. */
interface AddedRow {
  /** The JSON of the row, whose members are followed by those of `more`. */
  row: Buffer
  more: Pick<StoredRow, 'plan' | 'corrects'>
  /** The line on which it begins; of JSON, the number of the record. */
  line: number
  /** The size of its record as JSON. */
  bytes: number
  /** The manager's row: its number in the file, and its place in the order in which rows are added; null if there is none. */
  manager: { row: number; place: number } | null
}

/** Collects rows into parts, in the order in which they are applied, and holds only the part that is being filled. */
export class PartBuilder {
  readonly #maxRecords: number
  readonly #bodyLimit: number
  #parts = 0
  #firstRow = 1
  #rows = 0
  #content = Buffer.allocUnsafeSlow(FIRST_ROOM)
  #contentBytes = 0
  #partBytes = 0
  #recordBytes = 0

  constructor({ maxRecords, bodyLimit }: { maxRecords: number; bodyLimit: number }) {
    this.#maxRecords = maxRecords
    this.#bodyLimit = bodyLimit
  }

  /**
   * Adds a row. One that repeats another becomes no record, and doesn't count. Returns the part before it, if that is
   * full. Throws FileError.
   */
  add({ row, more, line, bytes, manager }: AddedRow): FilledPart | null {
    const isCounted = more.plan?.repeats === undefined
    // A file may repeat one row as often as it can: nothing is lost but the notes that say so.
    if (!isCounted && this.#contentBytes > this.#bodyLimit) return null
    const isFull =
      isCounted &&
      (this.#rows === this.#maxRecords ||
        this.#partBytes + bytes > this.#bodyLimit ||
        this.#contentBytes > this.#bodyLimit)
    const full = isFull && this.#rows > 0 ? this.end() : null
    if (full && this.#parts === MAX_PARTS) throw new FileError(line, describeMost(this.#maxRecords))
    const isEarlier = manager !== null && manager.place < this.#firstRow
    const members = JSON.stringify(isEarlier ? { ...more, earlierManager: manager.row } : more)
    this.#write(this.#contentBytes === 0 ? CONTENT.start : CONTENT.between)
    if (members === NO_MEMBERS) this.#copy(row)
    else {
      this.#copy(row.subarray(0, -1))
      this.#write(`,${members.slice(1)}`)
    }
    if (!isCounted) return full
    this.#rows += 1
    this.#partBytes += bytes
    this.#recordBytes += bytes
    const maxRecordBytes = RECORD_BODIES * this.#bodyLimit
    if (this.#recordBytes > maxRecordBytes)
      throw new FileError(
        line,
        `The records up to this line, with the names of their columns, take more than ${maxRecordBytes} bytes. ` +
          'Split the file',
      )
    return full
  }

  #write(text: string): void {
    this.#makeRoom(Buffer.byteLength(text))
    this.#contentBytes += this.#content.write(text, this.#contentBytes)
  }

  #copy(json: Buffer): void {
    this.#makeRoom(json.length)
    this.#contentBytes += json.copy(this.#content, this.#contentBytes)
  }

  #makeRoom(more: number): void {
    const bytes = this.#contentBytes + more
    if (bytes <= this.#content.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.#content.length, bytes))
    this.#content.copy(larger, 0, 0, this.#contentBytes)
    this.#content = larger
  }

  /** Ends the last part. */
  end(): FilledPart {
    this.#write(this.#contentBytes === 0 ? `${CONTENT.start}${CONTENT.end}` : CONTENT.end)
    const content = this.#content.subarray(0, this.#contentBytes)
    const part = { firstRow: this.#firstRow, rows: this.#rows, content }
    this.#parts += 1
    this.#firstRow += this.#rows
    this.#rows = 0
    this.#content = Buffer.allocUnsafeSlow(FIRST_ROOM)
    this.#contentBytes = 0
    this.#partBytes = 0
    return part
  }
}
