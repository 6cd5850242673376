import { UUID_BYTES, writeUuid } from '../domain/ids.ts'

/*
 * Encodes columns of many rows as statement parameters: arrays in PostgreSQL's binary format, which `unnest` turns into
 * rows. Nothing is escaped, and neither side handles JSON or hexadecimal, which makes large inserts considerably
 * cheaper than JSON parameters (see docs/performance.md).
 */

/** The OIDs of the element types. */
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
  return arrayOf(UUID, ids, () => UUID_BYTES, writeUuid)
}

/** An array of `integer`. */
export function integerArray(values: readonly (number | null)[]): Buffer {
  return arrayOf(
    INTEGER,
    values,
    () => 4,
    (value, into, at) => into.writeInt32BE(value, at),
  )
}

/** An array of `bigint`, from safe integers. */
export function bigintArray(values: readonly (number | null)[]): Buffer {
  return arrayOf(
    BIGINT,
    values,
    () => 8,
    (value, into, at) => into.writeBigInt64BE(BigInt(value), at),
  )
}

/** An array of `timestamptz`, from RFC 3339 texts; digits beyond milliseconds are cut off. */
export function timestamptzArray(values: readonly (string | null)[]): Buffer {
  return arrayOf(
    TIMESTAMPTZ,
    values,
    () => 8,
    (value, into, at) => into.writeBigInt64BE(BigInt(Date.parse(value) - EPOCH_MS) * 1_000n, at),
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
  return arrayOf(
    type,
    values,
    (text) => Buffer.byteLength(text),
    (text, into, at) => into.write(text, at),
  )
}

/** An array of `bytea`. */
export function byteaArray(values: readonly (Buffer | null)[]): Buffer {
  return arrayOf(
    BYTEA,
    values,
    (bytes) => bytes.length,
    (bytes, into, at) => into.set(bytes, at),
  )
}

/** Encodes the format of `array_recv`: dimensions, null flag, type, size, lower bound, then each length and value. */
function arrayOf<Value>(
  type: number,
  values: readonly (Value | null)[],
  lengthOf: (value: Value) => number,
  write: (value: Value, into: Buffer, at: number) => void,
): Buffer {
  const lengths = values.map((value) => (value === null ? IS_NULL : lengthOf(value)))
  const size = lengths.reduce((sum, length) => sum + LENGTH_BYTES + Math.max(0, length), HEADER_BYTES)
  const array = Buffer.allocUnsafe(size)
  const header = [1, values.includes(null) ? 1 : 0, type, values.length, 1]
  header.forEach((word, at) => array.writeInt32BE(word, at * 4))
  let at = HEADER_BYTES
  values.forEach((value, index) => {
    const length = lengths[index]!
    at = array.writeInt32BE(length, at)
    if (value === null) return
    // Neighbors often have the same id, time, or name, which is copied faster than it is encoded.
    if (value === values[index - 1]) array.copyWithin(at, at - LENGTH_BYTES - length, at - LENGTH_BYTES)
    else write(value, array, at)
    at += length
  })
  return array
}
