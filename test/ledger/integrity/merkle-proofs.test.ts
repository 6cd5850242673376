import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { appendLeaves, EMPTY_FRONTIER, joinRoots, leafHash, rootOf } from '../../../src/ledger/integrity/merkle.ts'
import type { LeafRange } from '../../../src/ledger/integrity/merkle-proofs.ts'
import {
  consistencyRanges,
  inclusionRanges,
  isConsistent,
  isIncluded,
  subtreesOf,
} from '../../../src/ledger/integrity/merkle-proofs.ts'

const LARGEST = 40

function sha256(...parts: Uint8Array[]): Buffer {
  const digest = createHash('sha256')
  for (const part of parts) digest.update(part)
  return digest.digest()
}

/* RFC 6962 section 2.1 word for word, over the hashes of leaves. */

function splitOf(size: number): number {
  let split = 1
  while (split * 2 < size) split *= 2
  return split
}

function naiveRoot(leaves: Buffer[]): Buffer {
  if (leaves.length === 1) return leaves[0]!
  const k = splitOf(leaves.length)
  return sha256(Buffer.of(1), naiveRoot(leaves.slice(0, k)), naiveRoot(leaves.slice(k)))
}

function naivePath(m: number, leaves: Buffer[]): Buffer[] {
  if (leaves.length === 1) return []
  const k = splitOf(leaves.length)
  if (m < k) return [...naivePath(m, leaves.slice(0, k)), naiveRoot(leaves.slice(k))]
  return [...naivePath(m - k, leaves.slice(k)), naiveRoot(leaves.slice(0, k))]
}

function naiveProof(m: number, leaves: Buffer[], isWhole = true): Buffer[] {
  if (m === leaves.length) return isWhole ? [] : [naiveRoot(leaves)]
  const k = splitOf(leaves.length)
  if (m <= k) return [...naiveProof(m, leaves.slice(0, k), isWhole), naiveRoot(leaves.slice(k))]
  return [...naiveProof(m - k, leaves.slice(k), false), naiveRoot(leaves.slice(0, k))]
}

const leavesOf = (size: number): Buffer[] => Array.from({ length: size }, (_, at) => leafHash(`entry ${at}`))
const hashesOf = (ranges: LeafRange[], leaves: Buffer[]): Buffer[] =>
  ranges.map(({ from, to }) => naiveRoot(leaves.slice(from, to)))

/** Every way to spoil a proof a little. */
function* spoilt(proof: Buffer[]): Generator<Buffer[]> {
  for (const at of proof.keys()) {
    yield proof.with(at, leafHash('another'))
    yield proof.toSpliced(at, 1)
    if (at > 0 && !proof[at]!.equals(proof[at - 1]!)) yield proof.with(at, proof[at - 1]!).with(at - 1, proof[at]!)
  }
  yield [...proof, leafHash('more')]
  yield [leafHash('more'), ...proof]
}

await t.test(
  `inclusion proofs up to ${LARGEST} leaves match RFC 6962 and hold only for their leaf and tree`,
  async (t) => {
    let proofs = 0
    for (let size = 1; size <= LARGEST; size += 1) {
      const leaves = leavesOf(size)
      const tree = { size, root: naiveRoot(leaves) }
      for (const [number, hash] of leaves.entries()) {
        const proof = hashesOf(inclusionRanges(number, size), leaves)
        assert.deepEqual(proof, naivePath(number, leaves))
        assert.ok(isIncluded({ number, hash }, tree, proof))
        for (const wrong of spoilt(proof)) assert.ok(!isIncluded({ number, hash }, tree, wrong))
        assert.ok(!isIncluded({ number, hash: leafHash('another') }, tree, proof))
        assert.ok(!isIncluded({ number, hash }, { size, root: leafHash('another') }, proof))
        for (const other of leaves.keys())
          assert.equal(isIncluded({ number: other, hash }, tree, proof), other === number)
        for (const outside of [-1, size, size + 1]) assert.ok(!isIncluded({ number: outside, hash }, tree, proof))
        proofs += 1
      }
    }
    t.equal(proofs, (LARGEST * (LARGEST + 1)) / 2)
  },
)

await t.test(`consistency proofs up to ${LARGEST} leaves match RFC 6962 and hold only for their trees`, async (t) => {
  let proofs = 0
  for (let size = 1; size <= LARGEST; size += 1) {
    const leaves = leavesOf(size)
    const after = { size, root: naiveRoot(leaves) }
    for (let m = 1; m <= size; m += 1) {
      const before = { size: m, root: naiveRoot(leaves.slice(0, m)) }
      const proof = hashesOf(consistencyRanges(m, size), leaves)
      assert.deepEqual(proof, naiveProof(m, leaves))
      assert.ok(isConsistent(before, after, proof))
      for (const wrong of spoilt(proof)) assert.ok(!isConsistent(before, after, wrong))
      assert.ok(!isConsistent({ ...before, root: leafHash('another') }, after, proof))
      assert.ok(!isConsistent(before, { ...after, root: leafHash('another') }, proof))
      assert.ok(!isConsistent({ ...before, size: 0 }, after, proof))
      assert.ok(!isConsistent({ ...before, size: size + 1 }, after, proof))
      proofs += 1
    }
  }
  t.equal(proofs, (LARGEST * (LARGEST + 1)) / 2)
})

await t.test('a rewritten ledger has no consistency proof from the original', async () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 200 }), fc.nat(), fc.nat(), (size, cut, spot) => {
      const m = 1 + (cut % (size - 1))
      const leaves = leavesOf(size)
      const rewritten = leaves.with(spot % m, leafHash('rewritten'))
      const before = { size: m, root: naiveRoot(leaves.slice(0, m)) }
      const proof = hashesOf(consistencyRanges(m, size), rewritten)
      assert.ok(!isConsistent(before, { size, root: naiveRoot(rewritten) }, proof))
    }),
  )
})

/** The entries and proofs in the tests of Certificate Transparency. */
const ENTRIES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f']
const PATH_0_OF_8 = [
  '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
  '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
  '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
]
const PROOF_6_TO_8 = [
  '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
  'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
]

await t.test('proofs of a tree of 8 leaves match the published ones', async (t) => {
  const leaves = ENTRIES.map((hex) => leafHash(Buffer.from(hex, 'hex')))
  const hex = (hashes: Buffer[]) => hashes.map((hash) => hash.toString('hex'))
  t.strictSame(hex(hashesOf(inclusionRanges(0, 8), leaves)), PATH_0_OF_8)
  t.strictSame(hex(hashesOf(consistencyRanges(1, 8), leaves)), PATH_0_OF_8)
  t.strictSame(hex(hashesOf(consistencyRanges(6, 8), leaves)), PROOF_6_TO_8)
})

await t.test('the complete subtrees of a range join to its root', async () => {
  for (let size = 1; size <= LARGEST; size += 1) {
    const leaves = leavesOf(size)
    for (let number = 0; number < size; number += 1) {
      for (const range of [
        { from: 0, to: size },
        ...inclusionRanges(number, size),
        ...consistencyRanges(number + 1, size),
      ]) {
        const roots = subtreesOf(range).map(({ level, number: at }) => {
          const part = leaves.slice(at * 2 ** level, (at + 1) * 2 ** level)
          assert.equal(part.length, 2 ** level)
          return naiveRoot(part)
        })
        assert.deepEqual(joinRoots(roots), naiveRoot(leaves.slice(range.from, range.to)))
      }
    }
  }
})

await t.test('appending reports each complete subtree once, with its root', async (t) => {
  const leaves = leavesOf(100)
  const reported = new Map<string, Buffer>()
  const middle = appendLeaves(EMPTY_FRONTIER, leaves.slice(0, 37), ({ level, number }, root) =>
    reported.set(`${level} ${number}`, root),
  )
  let more = 0
  appendLeaves(middle, leaves.slice(37), ({ level, number }, root) => {
    assert.ok(!reported.has(`${level} ${number}`))
    reported.set(`${level} ${number}`, root)
    more += 1
  })
  t.ok(more > 0)
  const complete = [0, 1, 2, 3, 4, 5, 6].flatMap((level) =>
    Array.from({ length: Math.floor(100 / 2 ** level) }, (_, number) => ({ level, number })),
  )
  t.equal(reported.size, complete.length)
  for (const { level, number } of complete) {
    const part = leaves.slice(number * 2 ** level, (number + 1) * 2 ** level)
    t.strictSame(reported.get(`${level} ${number}`), rootOf(appendLeaves(EMPTY_FRONTIER, part)), `${level} ${number}`)
  }
})

await t.test('proofs for sizes beyond 32 bits are as long as the tree is high', async (t) => {
  const size = 2 ** 40 + 5
  t.equal(inclusionRanges(2 ** 39 + 3, size).length, 41)
  t.ok(consistencyRanges(2 ** 33 + 1, size).length <= 42)
  t.strictSame(subtreesOf({ from: 0, to: size }), [
    { level: 40, number: 0 },
    { level: 2, number: 2 ** 38 },
    { level: 0, number: 2 ** 40 + 4 },
  ])
})
