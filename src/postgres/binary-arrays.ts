import { UUID_BYTES, writeUuid } from '#domain/ids'

/*
 * Encodes columns of many rows as statement parameters: arrays in PostgreSQL's binary format, which `unnest` turns into
 * rows. Nothing is escaped, and neither side handles JSON or hexadecimal, which makes large inserts considerably
 * cheaper than JSON parameters.
 */

/** The OIDs of the element types. */
const BOOLEAN = 16
const BIGINT = 20
const INTEGER = 23
const TEXT = 25
const JSON_TEXT = 114
const BYTEA = 17
const TIMESTAMPTZ = 1184
const UUID = 2950

/** The epoch of PostgreSQL's timestamps. */
const EPOCH_MS = Date.UTC(2000, 0, 1)

const HEADER_BYTES = 20
const LENGTH_BYTES = 4
/** The length that encodes a null. */
const IS_NULL = -1

/** An array of `uuid`, from TypeIDs. */
export function uuidArray(ids: readonly (string | null)[]): Buffer {
  return arrayOfFixed(UUID, UUID_BYTES, ids, writeUuid)
}

/** An array of `boolean`. */
export function booleanArray(values: readonly (boolean | null)[]): Buffer {
  return arrayOfFixed(BOOLEAN, 1, values, (value, into, at) => into.writeUInt8(value ? 1 : 0, at))
}

/** An array of `integer`. */
export function integerArray(values: readonly (number | null)[]): Buffer {
  return arrayOfFixed(INTEGER, 4, values, (value, into, at) => into.writeInt32BE(value, at))
}

/** An array of `bigint`, from safe integers. */
export function bigintArray(values: readonly (number | null)[]): Buffer {
  return arrayOfFixed(BIGINT, 8, values, (value, into, at) => into.writeBigInt64BE(BigInt(value), at))
}

/** An array of `timestamptz`, from RFC 3339 texts; digits beyond milliseconds are cut off. */
export function timestamptzArray(values: readonly (string | null)[]): Buffer {
  return arrayOfFixed(TIMESTAMPTZ, 8, values, (value, into, at) =>
    into.writeBigInt64BE(BigInt(Date.parse(value) - EPOCH_MS) * 1_000n, at),
  )
}

/** An array of `text`. Must not contain U+0000. */
export function textArray(values: readonly (string | null)[]): Buffer {
  return arrayOfTexts(TEXT, values)
}

/** An array of `json`, from JSON texts. */
export function jsonArray(values: readonly (string | null)[]): Buffer {
  return arrayOfTexts(JSON_TEXT, values)
}

function arrayOfTexts(type: number, values: readonly (string | null)[]): Buffer {
  return arrayOf(type, values, Buffer.byteLength, (text, into, at, length) =>
    // ASCII is copied as it is.
    into.write(text, at, length === text.length ? 'latin1' : 'utf8'),
  )
}

/** An array of `bytea`. */
export function byteaArray(values: readonly (Buffer | null)[]): Buffer {
  return arrayOfBytes(BYTEA, values)
}

/** An array of `text`, from texts in UTF-8. They must not contain U+0000. */
export function utf8Array(values: readonly (Buffer | null)[]): Buffer {
  return arrayOfBytes(TEXT, values)
}

function arrayOfBytes(type: number, values: readonly (Buffer | null)[]): Buffer {
  return arrayOf(
    type,
    values,
    (bytes) => bytes.length,
    (bytes, into, at) => into.set(bytes, at),
  )
}

type Write<Value> = (value: Value, into: Buffer, at: number, length: number) => void

function arrayOfFixed<Value>(
  type: number,
  length: number,
  values: readonly (Value | null)[],
  write: Write<Value>,
): Buffer {
  return arrayOf(type, values, () => length, write)
}

/** Encodes the format of `array_recv`: dimensions, null flag, type, size, lower bound, then each length and value. */
function arrayOf<Value>(
  type: number,
  values: readonly (Value | null)[],
  lengthOf: (value: Value) => number,
  write: Write<Value>,
): Buffer {
  const count = values.length
  const lengths = new Int32Array(count)
  let size = HEADER_BYTES + count * LENGTH_BYTES
  let hasNull = false
  for (let index = 0; index < count; index += 1) {
    const value = values[index]!
    const isRepeated = index > 0 && value === values[index - 1]
    const length = isRepeated ? lengths[index - 1]! : value === null ? IS_NULL : lengthOf(value)
    lengths[index] = length
    if (length === IS_NULL) hasNull = true
    else size += length
  }
  const array = Buffer.allocUnsafe(size)
  const header = [1, hasNull ? 1 : 0, type, count, 1]
  let at = 0
  for (const word of header) at = array.writeInt32BE(word, at)
  for (let index = 0; index < count;) {
    const value = values[index]!
    const length = lengths[index]!
    const start = at
    at = array.writeInt32BE(length, at)
    if (value !== null) {
      write(value, array, at, length)
      at += length
    }
    // Neighbors often have the same id, time, or name, which is copied faster than it is encoded.
    let next = index + 1
    while (next < count && values[next] === value) next += 1
    const end = at + (next - index - 1) * (at - start)
    if (end > at) array.fill(array.subarray(start, at), at, end)
    at = end
    index = next
  }
  return array
}
