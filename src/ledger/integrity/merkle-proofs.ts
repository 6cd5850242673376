import { nodeHash, type Subtree } from './merkle.ts'

/*
 * Proofs about a Merkle tree, RFC 6962 section 2.1. A proof is a list of hashes, each the root of a range of leaves.
 * The ranges follow from the tree sizes alone, so prover and verifier share the code that computes them. Leaves are
 * counted from 0.
 */

/** A range of leaves, including `from` and excluding `to`. */
export interface LeafRange {
  from: number
  to: number
}

/** The ranges of a leaf's audit path, from the bottom up: `PATH(m, D[n])`, section 2.1.1. */
export function inclusionRanges(leaf: number, size: number) {
  return descend(leaf + 1, size, ({ from, to }) => to - from === 1).beside
}

/**
 * The ranges of the proof that the tree of the first `before` leaves is a prefix of the tree of `size` leaves, from the
 * bottom up: `PROOF(m, D[n])`, section 2.1.2. `before` is at least 1.
 */
export function consistencyRanges(before: number, size: number) {
  const { end, beside } = descend(before, size, ({ to }) => to === before)
  // If the smaller tree is a complete subtree at the left edge, the verifier already knows its root.
  return end.from > 0 ? [end, ...beside] : beside
}

/**
 * Descends from the root to the leaf before a number. Returns the first range on the way that is the end, and the
 * ranges beside the way, from the bottom up.
 */
function descend(number: number, size: number, isEnd: (range: LeafRange) => boolean) {
  let end: LeafRange = { from: 0, to: size }
  const beside: LeafRange[] = []
  while (!isEnd(end)) {
    const middle = end.from + splitOf(end.to - end.from)
    const [left, right] = [
      { ...end, to: middle },
      { ...end, from: middle },
    ]
    const [way, other] = number <= middle ? [left, right] : [right, left]
    beside.unshift(other)
    end = way
  }
  return { end, beside }
}

/** The largest power of two smaller than `size`, which is at least 2. */
function splitOf(size: number) {
  let split = 1
  while (split * 2 < size) split *= 2
  return split
}

/** Splits a range into complete subtrees, from left to right. Their roots join to the root of the range. */
export function subtreesOf({ from, to }: LeafRange): Subtree[] {
  const subtrees: Subtree[] = []
  let at = from
  while (at < to) {
    let [level, width] = [0, 1]
    while (at % (width * 2) === 0 && at + width * 2 <= to) {
      level += 1
      width *= 2
    }
    subtrees.push({ level, number: at / width })
    at += width
  }
  return subtrees
}

/** Verifies an inclusion proof: that a leaf with this number and hash is in a tree with this size and root. */
export function isIncluded(
  leaf: { number: number; hash: Buffer },
  tree: { size: number; root: Buffer },
  proof: readonly Buffer[],
) {
  if (!(leaf.number >= 0 && leaf.number < tree.size)) return false
  const ranges = inclusionRanges(leaf.number, tree.size)
  if (proof.length !== ranges.length) return false
  let node = leaf.hash
  for (const [at, { from }] of ranges.entries()) {
    node = from > leaf.number ? nodeHash(node, proof[at]!) : nodeHash(proof[at]!, node)
  }
  return node.equals(tree.root)
}

/** Verifies a consistency proof: that one tree is a prefix of the other. An empty tree has no proof. */
export function isConsistent(
  before: { size: number; root: Buffer },
  after: { size: number; root: Buffer },
  proof: readonly Buffer[],
) {
  if (!(before.size >= 1 && before.size <= after.size)) return false
  const ranges = consistencyRanges(before.size, after.size)
  if (proof.length !== ranges.length) return false
  // Both trees start from the range that ends with the smaller tree, or else from the whole smaller tree.
  const isSeeded = ranges[0]?.to === before.size
  const seed = isSeeded ? proof[0]! : before.root
  let [old, now] = [seed, seed]
  for (const [at, { from }] of ranges.entries()) {
    if (isSeeded && at === 0) continue
    const hash = proof[at]!
    if (from < before.size) old = nodeHash(hash, old)
    now = from < before.size ? nodeHash(hash, now) : nodeHash(now, hash)
  }
  return old.equals(before.root) && now.equals(after.root)
}
