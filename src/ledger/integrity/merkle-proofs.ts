import type { Subtree } from './merkle.ts'
import { nodeHash } from './merkle.ts'

/*
 * Proofs about a Merkle tree, RFC 6962 section 2.1. A proof is a list of hashes, each the root of a range of leaves. Which
 * ranges these are follows from the numbers alone: the same list of ranges serves who makes a proof and who checks it.
 * Leaves are counted from 0.
 */

/** The leaves from one number up to, but without, another. */
export interface LeafRange {
  from: number
  to: number
}

/** The ranges of the audit path of a leaf, from the leaf up: `PATH(m, D[n])`, section 2.1.1. */
export function inclusionRanges(leaf: number, size: number): LeafRange[] {
  const ranges: LeafRange[] = []
  let { from, to } = { from: 0, to: size }
  while (to - from > 1) {
    const middle = from + splitOf(to - from)
    if (leaf < middle) {
      ranges.push({ from: middle, to })
      to = middle
    } else {
      ranges.push({ from, to: middle })
      from = middle
    }
  }
  return ranges.toReversed()
}

/**
 * The ranges of the proof that the tree of the first `before` leaves is a beginning of that of `size` leaves, from the
 * bottom up: `PROOF(m, D[n])`, section 2.1.2. `before` is 1 or more.
 */
export function consistencyRanges(before: number, size: number): LeafRange[] {
  const ranges: LeafRange[] = []
  let { from, to } = { from: 0, to: size }
  while (to > before) {
    const middle = from + splitOf(to - from)
    if (before <= middle) {
      ranges.push({ from: middle, to })
      to = middle
    } else {
      ranges.push({ from, to: middle })
      from = middle
    }
  }
  // Where the end of the smaller tree is one of its complete subtrees from the left on, its root is known already.
  if (from > 0) ranges.push({ from, to })
  return ranges.toReversed()
}

/** The largest power of two that is smaller than a size of 2 or more. */
function splitOf(size: number): number {
  let split = 1
  while (split * 2 < size) split *= 2
  return split
}

/** The complete subtrees that a range consists of, from left to right. Their roots join to that of the range. */
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

/** Whether a proof shows that the leaf with this number and hash is in the tree of this size and root. */
export function isIncluded(
  leaf: { number: number; hash: Buffer },
  tree: { size: number; root: Buffer },
  proof: readonly Buffer[],
): boolean {
  if (!(leaf.number >= 0 && leaf.number < tree.size)) return false
  const ranges = inclusionRanges(leaf.number, tree.size)
  if (proof.length !== ranges.length) return false
  let node = leaf.hash
  for (const [at, { from }] of ranges.entries()) {
    node = from > leaf.number ? nodeHash(node, proof[at]!) : nodeHash(proof[at]!, node)
  }
  return node.equals(tree.root)
}

/** Whether a proof shows that the one tree is a beginning of the other. An empty tree has no proof. */
export function isConsistent(
  before: { size: number; root: Buffer },
  after: { size: number; root: Buffer },
  proof: readonly Buffer[],
): boolean {
  if (!(before.size >= 1 && before.size <= after.size)) return false
  const ranges = consistencyRanges(before.size, after.size)
  if (proof.length !== ranges.length) return false
  // The range that ends where the smaller tree does begins both; without it the whole of the smaller tree does.
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
