import { hash } from 'node:crypto'

export const HASH_BYTES = 32

const LEAF = '\0'
/** Scratch space for what is hashed into a node: 0x01, left, and right. */
const node = Buffer.alloc(1 + 2 * HASH_BYTES, 1)

/**
 * The state of a Merkle tree that appending needs: its size, and the roots of its complete subtrees from the largest
 * (leftmost) to the smallest. There is one root per one-bit of `size`, at most 53.
 */
export interface Frontier {
  readonly size: number
  readonly hashes: readonly Buffer[]
}

export const EMPTY_FRONTIER: Frontier = { size: 0, hashes: [] }

/** Whether two frontiers are of the same history. The last subtree includes the last leaf, which is unique. */
export function isSameHistory(one: Frontier, other: Frontier) {
  if (one.size !== other.size) return false
  const [last, otherLast] = [one.hashes.at(-1), other.hashes.at(-1)]
  return last !== undefined && otherLast !== undefined && last.equals(otherLast)
}

/** The hash of a leaf: SHA-256(0x00 ‖ entry), RFC 6962 section 2.1. */
export function leafHash(entry: string | Uint8Array): Buffer {
  return sha256(typeof entry === 'string' ? LEAF + entry : Buffer.concat([Buffer.from(LEAF), entry]))
}

/** A complete subtree of 2^level leaves, and its number among those of its level, from 0. */
export interface Subtree {
  level: number
  number: number
}

/**
 * Appends leaves, given by their hashes in order. Does not modify `before`. Calls `onComplete` with the root of every
 * subtree that becomes complete, single leaves included, from the bottom up.
 */
export function appendLeaves(
  before: Frontier,
  leaves: readonly Buffer[],
  onComplete?: (subtree: Subtree, root: Buffer) => void,
): Frontier {
  const hashes = [...before.hashes]
  let size = before.size
  for (const leaf of leaves) {
    push(hashes, { level: 0, number: size }, leaf, onComplete)
    size += 1
  }
  return { size, hashes }
}

/** Appends a complete subtree by its root. The size before must be a multiple of its 2^level leaves. */
export function appendSubtree(before: Frontier, level: number, root: Buffer): Frontier {
  const hashes = [...before.hashes]
  push(hashes, { level, number: before.size / 2 ** level }, root)
  return { size: before.size + 2 ** level, hashes }
}

/** Each trailing one-bit of the number is a complete subtree, which the new one extends to twice its width. */
function push(
  hashes: Buffer[],
  { level, number }: Subtree,
  root: Buffer,
  onComplete?: (subtree: Subtree, root: Buffer) => void,
) {
  let node = root
  onComplete?.({ level, number }, node)
  while (number % 2 === 1) {
    node = nodeHash(hashes.pop()!, node)
    level += 1
    number = (number - 1) / 2
    onComplete?.({ level, number }, node)
  }
  hashes.push(node)
}

/** The root of the tree, RFC 6962 section 2.1. The root of the empty tree is the SHA-256 of the empty string. */
export function rootOf(frontier: Frontier) {
  const { hashes } = frontier
  if (hashes.length === 0) return sha256(Buffer.alloc(0))
  return joinRoots(hashes)
}

/** Joins the roots of adjacent subtrees that get smaller from left to right, as the complete subtrees of a tree do. */
export function joinRoots(roots: readonly Buffer[]) {
  return roots.reduceRight((right, left) => nodeHash(left, right))
}

/** Packs a frontier for the head row: its hashes, concatenated. */
export function packFrontier(frontier: Frontier): Buffer {
  return Buffer.concat(frontier.hashes)
}

/** Unpacks a frontier. Throws if the bytes do not match a tree of this size. */
export function unpackFrontier(size: number, packed: Buffer): Frontier {
  const hashes: Buffer[] = []
  for (let at = 0; at < packed.length; at += HASH_BYTES) hashes.push(packed.subarray(at, at + HASH_BYTES))
  if (packed.length % HASH_BYTES !== 0 || hashes.length !== onesIn(size)) {
    throw new Error(`the frontier of ${packed.length} bytes does not belong to a tree of ${size} leaves`)
  }
  return { size, hashes }
}

/** The hash of a node: SHA-256(0x01 ‖ left ‖ right), RFC 6962 section 2.1. */
export function nodeHash(left: Buffer, right: Buffer): Buffer {
  // What somebody has meddled with may have any length.
  if (left.length !== HASH_BYTES || right.length !== HASH_BYTES)
    return sha256(Buffer.concat([Buffer.of(1), left, right]))
  node.set(left, 1)
  node.set(right, 1 + HASH_BYTES)
  return sha256(node)
}

/** SHA-256 of bytes, or of the UTF-8 of a text. Goes through a text, which is faster than a buffer from `hash`. */
function sha256(of: string | Uint8Array): Buffer {
  return Buffer.from(hash('sha256', of, 'binary'), 'binary')
}

function onesIn(size: number) {
  let ones = 0
  for (let rest = size; rest > 0; rest = Math.floor(rest / 2)) ones += rest % 2
  return ones
}
