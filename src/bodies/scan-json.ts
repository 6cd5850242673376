/*
 * A look over the bytes of a JSON body before it is parsed. It costs a few nanoseconds a byte, and finds what would make
 * parsing expensive or would alter what was sent. In UTF-8, the bytes of other characters are never ASCII.
 */

/** What is nested deeper is not parsed. */
export const MAX_DEPTH = 32
/** No double needs as many characters. */
const MAX_NUMBER_CHARACTERS = 1_200
/** Any whole number with fewer characters fits a double exactly. */
const MANY_CHARACTERS = 16
const WHOLE_NUMBER = /^-?[0-9]+$/
const ZERO = /^-?[0.]+(?:[eE]|$)/

/** A part of a body that is parsed as a whole: an element of the list of records, or everything around that list. */
export interface Piece {
  /** Its first byte, and the one behind its last. */
  start: number
  end: number
  /** The members of all its objects. */
  members: number
  /** The members of its outermost object, or elements of its outermost array, less one. */
  ownCommas: number
  /** Members, elements, and containers. */
  values: number
  /** Those inside the members of its outermost object. */
  nested: number
  /** Where the name of the member begins with which `nested` exceeded its limit; -1 if it did not. */
  excessAt: number
}

/** Why a body is refused without parsing it. */
export type ScanFault = 'too deep' | 'too many values' | 'altered number'

interface ScanLimits {
  /** Whether the body, or its member `employees`, is a list of records. */
  hasRecords: boolean
  /** Further records are counted and not listed. */
  maxRecords: number
  /** The most values of all pieces together, apart from those that are not parsed. */
  maxValues: number
  /** The most values inside the members of a record. */
  maxNested: number
  /** Whether a record is parsed. */
  isParsed(piece: Piece): boolean
}

const LIST = 'employees'
/** As many bytes as its name takes if all of its characters are escaped, and more. */
const MAX_NAME_BYTES = 128

const newPiece = (start: number): Piece => ({
  start,
  end: start,
  members: 0,
  ownCommas: 0,
  values: 0,
  nested: 0,
  excessAt: -1,
})

/** Scans a body, in portions. What it finds is right if the body is JSON; otherwise, parsing the pieces will fail. */
export class JsonScanner {
  /** Everything around the list of records, without the blanks at both ends. Of a body without one, all of it. */
  readonly around: Piece
  /** The records, if the body is a list of records, or an object with one in `employees`. */
  readonly records: Piece[] = []
  recordCount = 0
  /** The members of all objects in the records. */
  membersOfRecords = 0
  /** The bytes of the brackets of the list of records; -1 if there is none, or if it does not end. */
  listStart = -1
  listEnd = -1
  fault: ScanFault | null = null
  /** The byte that is to blame, for the fault or for the first number that is too large for a double. */
  faultAt = -1
  infinityAt = -1

  readonly #bytes: Buffer
  readonly #limits: ScanLimits
  #at: number
  #isInText = false
  #depth = 0
  /** The piece that is being scanned. */
  #piece: Piece
  /** The depth of the members of its outermost container. */
  #base = 1
  #values = 0
  /** Where the last text at that depth began. */
  #textAt = -1
  #isBlank = true

  constructor(bytes: Buffer, start: number, limits: ScanLimits) {
    this.#bytes = bytes
    this.#limits = limits
    this.#at = start
    this.around = newPiece(start)
    this.#piece = this.around
  }

  /** Ends the scan. Returns whether there is a fault. */
  end(): boolean {
    if (this.#limits.isParsed(this.around)) this.#count(this.around.values)
    return this.fault !== null
  }

  /** Scans up to a byte. Returns whether there is a fault, after which there is nothing more to scan. */
  scan(to: number): boolean {
    const bytes = this.#bytes
    const { around } = this
    let at = this.#isInText ? this.#text(this.#at, to) + 1 : this.#at
    if (at > this.#at) around.end = at
    for (; at < to; at += 1) {
      const byte = bytes[at]!
      if (byte <= 0x20) continue
      if (around.end === around.start) around.start = at
      if (byte === 0x22) {
        if (this.#depth === this.#base) this.#textAt = at
        this.#isBlank = false
        at = this.#text(at + 1, to)
      } else if (byte === 0x2c) this.#comma(at)
      else if (byte === 0x3a) this.#piece.members += 1
      else if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) at = this.#number(at) - 1
      else if (byte === 0x5b || byte === 0x7b) this.#open(at, byte)
      else if (byte === 0x5d || byte === 0x7d) this.#close(at)
      else this.#isBlank = false
      if (this.fault !== null) return true
      around.end = at + 1
    }
    this.#at = at
    return false
  }

  /** Scans a text from a byte in it, and returns where it ends. Texts make up most of a body: this is a tight loop. */
  #text(from: number, to: number) {
    const bytes = this.#bytes
    let at = from
    for (; at < to; at += 1) {
      const byte = bytes[at]!
      if (byte === 0x22) {
        this.#isInText = false
        return at
      }
      if (byte === 0x5c) at += 1
    }
    this.#isInText = true
    // The caller goes on behind it.
    return at - 1
  }

  #comma(at: number) {
    const piece = this.#piece
    this.#isBlank = false
    if (this.#depth === this.#base) piece.ownCommas += 1
    else if (this.#depth < this.#base && piece !== this.around) {
      this.#endRecord(at)
      this.#beginRecord(at + 1)
      return
    } else this.#nest(piece)
    piece.values += 1
  }

  #open(at: number, byte: number) {
    this.#depth += 1
    this.#isBlank = false
    if (this.#depth > MAX_DEPTH) return this.#refuse('too deep', at)
    const piece = this.#piece
    if (byte === 0x5b && piece === this.around && this.listStart === -1 && this.#beginsRecords()) {
      this.listStart = at
      this.#base = this.#depth + 1
      this.#beginRecord(at + 1)
      return
    }
    piece.values += 1
    if (this.#depth > this.#base) this.#nest(piece)
  }

  #close(at: number) {
    this.#depth -= 1
    const piece = this.#piece
    if (piece !== this.around && this.#depth === this.#base - 2) {
      if (this.recordCount > 0 || !this.#isBlank) this.#endRecord(at)
      this.listEnd = at
      this.#piece = this.around
      this.#base = 1
    }
    this.#isBlank = false
  }

  /** Whether an array that has just begun is the list of records: the body itself, or its member `employees`. */
  #beginsRecords() {
    if (!this.#limits.hasRecords) return false
    if (this.#depth === 1) return this.around.values === 0
    if (this.#depth !== 2 || this.around.members === 0) return false
    return readTextAt(this.#bytes, this.#textAt, MAX_NAME_BYTES) === LIST
  }

  #beginRecord(start: number) {
    this.#piece = newPiece(start)
    this.#isBlank = true
    this.#textAt = -1
  }

  #endRecord(end: number) {
    const piece = this.#piece
    piece.end = end
    this.recordCount += 1
    this.membersOfRecords += piece.members
    if (this.recordCount > this.#limits.maxRecords) return this.#count(1)
    this.records.push(piece)
    if (this.#limits.isParsed(piece)) this.#count(piece.values + 1)
  }

  #nest(piece: Piece) {
    piece.nested += 1
    if (piece.nested > this.#limits.maxNested && piece.excessAt === -1) piece.excessAt = this.#textAt
  }

  #count(values: number) {
    this.#values += values
    if (this.#values > this.#limits.maxValues) this.#refuse('too many values', -1)
  }

  #refuse(fault: ScanFault, at: number) {
    this.fault = fault
    this.faultAt = at
  }

  /** Scans the number that starts here, and returns its end. What looks like a number may turn out to be invalid JSON. */
  #number(start: number) {
    const bytes = this.#bytes
    this.#isBlank = false
    let end = start + 1
    let hasExponent = false
    for (; end < bytes.length && end - start <= MAX_NUMBER_CHARACTERS; end += 1) {
      const byte = bytes[end]!
      if (!isOfNumber(byte)) break
      hasExponent ||= byte === 0x45 || byte === 0x65
    }
    if (!hasExponent && end - start < MANY_CHARACTERS) return end
    const literal = bytes.toString('latin1', start, end)
    const value = Number(literal)
    if (end - start > MAX_NUMBER_CHARACTERS) this.#refuse('altered number', start)
    else if (value === Infinity || value === -Infinity) {
      if (this.infinityAt === -1) this.infinityAt = start
    } else if (!Number.isNaN(value) && !isExact(literal, value)) this.#refuse('altered number', start)
    return end
  }
}

function isOfNumber(byte: number) {
  return (
    (byte >= 0x30 && byte <= 0x39) || byte === 0x2e || byte === 0x45 || byte === 0x65 || byte === 0x2b || byte === 0x2d
  )
}

/**
 * Whether a double represents a literal well enough. Fractions may be rounded, whole numbers may not, and only zero may
 * become zero.
 */
function isExact(literal: string, value: number) {
  if (!WHOLE_NUMBER.test(literal)) return value !== 0 || ZERO.test(literal)
  // The shortest digits of a double need not be its exact value, but they return as they were sent.
  return String(value) === literal || BigInt(literal) === BigInt(value)
}

/** The text that begins at a byte, unless it takes more bytes than these or is not JSON. */
export function readTextAt(bytes: Buffer, start: number, maxBytes: number) {
  const value = readScalarAt(bytes, start, maxBytes)
  return typeof value === 'string' ? value : null
}

/** What may stand before a value. */
const SPACE_OR_COLON = /[\s:]*/y
const TEXT_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[-+.\deE]*/y

/** The text or number behind a byte, unless it takes more bytes than these, or is neither. */
export function readScalarAt(bytes: Buffer, start: number, maxBytes: number) {
  const json = bytes.toString('utf8', start, start + maxBytes)
  SPACE_OR_COLON.lastIndex = 0
  TEXT_OR_NUMBER.lastIndex = SPACE_OR_COLON.exec(json)![0].length
  const [literal] = TEXT_OR_NUMBER.exec(json) ?? []
  try {
    return literal === undefined ? null : (JSON.parse(literal) as string | number)
  } catch {
    return null
  }
}
