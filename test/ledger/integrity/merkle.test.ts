import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import type { Frontier } from '../../../src/ledger/integrity/merkle.ts'
import {
  appendLeaves,
  EMPTY_FRONTIER,
  leafHash,
  packFrontier,
  rootOf,
  unpackFrontier,
} from '../../../src/ledger/integrity/merkle.ts'

/** The leaves and roots in the tests of Certificate Transparency. */
const LEAVES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f']
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]

await t.test('roots of 0 to 8 leaves match the published ones', async (t) => {
  const leaves = LEAVES.map((hex) => leafHash(Buffer.from(hex, 'hex')))
  for (const [size, root] of ROOTS.entries()) {
    t.equal(rootOf(appendLeaves(EMPTY_FRONTIER, leaves.slice(0, size))).toString('hex'), root, `${size} leaves`)
  }
})

await t.test('a text leaf is hashed as UTF-8', async (t) => {
  t.strictSame(leafHash('é😀'), leafHash(Buffer.from('c3a9f09f9880', 'hex')))
  t.strictSame(leafHash(''), leafHash(new Uint8Array(0)))
})

function sha256(...parts: Uint8Array[]): Buffer {
  const digest = createHash('sha256')
  for (const part of parts) digest.update(part)
  return digest.digest()
}

/** RFC 6962 section 2.1 word for word: the left part has the largest power of two that is smaller than the whole. */
function naiveRoot(entries: Uint8Array[]): Buffer {
  if (entries.length === 0) return sha256()
  if (entries.length === 1) return sha256(Buffer.of(0), entries[0]!)
  let left = 1
  while (left * 2 < entries.length) left *= 2
  return sha256(Buffer.of(1), naiveRoot(entries.slice(0, left)), naiveRoot(entries.slice(left)))
}

const entriesOf = (size: number): Buffer[] => Array.from({ length: size }, (_, at) => Buffer.from(`entry ${at}`))
const hashesOf = (size: number): Buffer[] => entriesOf(size).map(leafHash)

await t.test('the roots of all sizes up to 130 match RFC 6962', async (t) => {
  let frontier = EMPTY_FRONTIER
  for (let size = 0; size <= 130; size += 1) {
    assert.deepEqual(rootOf(frontier), naiveRoot(entriesOf(size)), `${size} leaves`)
    frontier = appendLeaves(frontier, [leafHash(`entry ${size}`)])
  }
  t.equal(frontier.size, 131)
})

const anySize = fc.integer({ min: 0, max: 3000 })

await t.test('larger roots match too, and a frontier has a hash for each 1 bit of its size', async () => {
  fc.assert(
    fc.property(anySize, (size) => {
      const frontier = appendLeaves(EMPTY_FRONTIER, hashesOf(size))
      assert.deepEqual(rootOf(frontier), naiveRoot(entriesOf(size)))
      assert.equal(frontier.hashes.length, size.toString(2).replaceAll('0', '').length)
    }),
    { numRuns: 20 },
  )
})

await t.test('appending at once, one by one or in any split gives the same frontier', async () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 40 }), { maxLength: 12 }), (parts) => {
      const leaves = hashesOf(parts.reduce((sum, part) => sum + part, 0))
      let [frontier, at]: [Frontier, number] = [EMPTY_FRONTIER, 0]
      for (const part of parts) {
        frontier = appendLeaves(frontier, leaves.slice(at, at + part))
        at += part
      }
      assert.deepEqual(frontier, appendLeaves(EMPTY_FRONTIER, leaves))
    }),
  )
})

await t.test('appending does not change the old frontier', async (t) => {
  const before = appendLeaves(EMPTY_FRONTIER, hashesOf(7))
  const packed = packFrontier(before).toString('hex')
  appendLeaves(before, hashesOf(9))
  t.equal(packFrontier(before).toString('hex'), packed)
  t.strictSame(EMPTY_FRONTIER, { size: 0, hashes: [] })
})

await t.test('a different leaf gives a different root', async () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 300 }), fc.nat(), (size, number) => {
      const leaves = hashesOf(size)
      const others = leaves.with(number % size, leafHash('another'))
      assert.notDeepEqual(rootOf(appendLeaves(EMPTY_FRONTIER, others)), rootOf(appendLeaves(EMPTY_FRONTIER, leaves)))
    }),
  )
})

await t.test('a frontier survives packing and unpacking', async () => {
  fc.assert(
    fc.property(anySize, fc.nat({ max: 50 }), (size, more) => {
      const frontier = appendLeaves(EMPTY_FRONTIER, hashesOf(size))
      const unpacked = unpackFrontier(size, packFrontier(frontier))
      assert.deepEqual(unpacked, frontier)
      assert.deepEqual(appendLeaves(unpacked, hashesOf(more)), appendLeaves(frontier, hashesOf(more)))
    }),
    { numRuns: 20 },
  )
})

await t.test('sizes beyond 32 bits work', async (t) => {
  const size = 2 ** 40 + 2 ** 33 + 1
  const packed = Buffer.concat(hashesOf(3))
  t.equal(unpackFrontier(size, packed).hashes.length, 3)
  const after = appendLeaves(unpackFrontier(size, packed), hashesOf(1))
  t.equal(after.size, size + 1)
  t.strictSame(after.hashes.slice(0, 2), hashesOf(3).slice(0, 2))
  t.strictSame(after.hashes[2], sha256(Buffer.of(1), hashesOf(3)[2]!, hashesOf(1)[0]!))
  t.equal(after.hashes.length, 3)
})

await t.test('bytes that do not fit the size are refused', async (t) => {
  for (const [size, bytes] of [
    [0, 32],
    [1, 0],
    [1, 31],
    [1, 33],
    [1, 64],
    [2, 64],
    [3, 32],
    [7, 64],
    [2 ** 33, 64],
  ] as const) {
    t.throws(
      () => unpackFrontier(size, Buffer.alloc(bytes)),
      { message: /does not belong/ },
      `${bytes} bytes, ${size} leaves`,
    )
  }
})
