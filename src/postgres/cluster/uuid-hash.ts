import { UUID_BYTES } from '../../domain/ids.ts'

/*
 * Citus puts a row into a shard by the hash of its company's UUID. This is that hash: `uuid_hash` of PostgreSQL, which
 * is Bob Jenkins's lookup3 on a little-endian machine (src/common/hashfn.c). Computing it here saves a query.
 * `readPlacements` checks it against the server.
 */

const INITIAL = 0x9e3779b9 + UUID_BYTES + 3923095

const rotate = (value: number, bits: number) => (value << bits) | (value >>> (32 - bits))

/** The hash of a UUID's 16 bytes, as a signed 32-bit integer. */
export function hashUuid(bytes: Buffer): number {
  let a = (INITIAL + bytes.readInt32LE(0)) | 0
  let b = (INITIAL + bytes.readInt32LE(4)) | 0
  let c = (INITIAL + bytes.readInt32LE(8)) | 0
  const mix = (minuend: number, other: number, bits: number) => ((minuend - other) | 0) ^ rotate(other, bits)
  a = mix(a, c, 4)
  c = (c + b) | 0
  b = mix(b, a, 6)
  a = (a + c) | 0
  c = mix(c, b, 8)
  b = (b + a) | 0
  a = mix(a, c, 16)
  c = (c + b) | 0
  b = mix(b, a, 19)
  a = (a + c) | 0
  c = mix(c, b, 4)
  b = (b + a) | 0
  a = (a + bytes.readInt32LE(12)) | 0
  const finish = (value: number, other: number, bits: number) => ((value ^ other) - rotate(other, bits)) | 0
  c = finish(c, b, 14)
  a = finish(a, c, 11)
  b = finish(b, a, 25)
  c = finish(c, b, 16)
  a = finish(a, c, 4)
  b = finish(b, a, 14)
  return finish(c, b, 24)
}
