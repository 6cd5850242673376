import { hash } from 'node:crypto'

export const HASH_BYTES = 32

const LEAF = '\0'
const NODE = Buffer.of(1)

/**
 * A Merkle tree as far as appending needs it: how many leaves it has, and the roots of the complete subtrees that
 * they fill, from the largest (leftmost) to the smallest. There are as many as `size` has binary ones, at most 53.
 */
export interface Frontier {
  readonly size: number
  readonly hashes: readonly Buffer[]
}

export const EMPTY_FRONTIER: Frontier = { size: 0, hashes: [] }

/** The hash of a leaf: SHA-256(0x00 ‖ entry), RFC 6962 section 2.1. */
export function leafHash(entry: string | Uint8Array): Buffer {
  return sha256(typeof entry === 'string' ? LEAF + entry : Buffer.concat([Buffer.from(LEAF), entry]))
}

/** A subtree of 2^level leaves, all of which are there; its number among those of its level, from 0. */
export interface Subtree {
  level: number
  number: number
}

/**
 * The frontier after more leaves, given by their hashes in order. The one before is left as it is. `onComplete` is told
 * the root of every subtree that they complete, single leaves included, from the bottom to the top.
 */
export function appendLeaves(
  before: Frontier,
  leaves: readonly Buffer[],
  onComplete?: (subtree: Subtree, root: Buffer) => void,
): Frontier {
  const hashes = [...before.hashes]
  let size = before.size
  for (const leaf of leaves) {
    let [node, level, number] = [leaf, 0, size]
    onComplete?.({ level, number }, node)
    // Each trailing one of the size is a complete subtree that the new one completes to twice its width.
    while (number % 2 === 1) {
      node = nodeHash(hashes.pop()!, node)
      level += 1
      number = (number - 1) / 2
      onComplete?.({ level, number }, node)
    }
    hashes.push(node)
    size += 1
  }
  return { size, hashes }
}

/** The root of the tree, RFC 6962 section 2.1; that of the empty tree is SHA-256 of nothing. */
export function rootOf(frontier: Frontier): Buffer {
  const { hashes } = frontier
  if (hashes.length === 0) return sha256(Buffer.alloc(0))
  return joinRoots(hashes)
}

/** The root of neighbours that become narrower from left to right, as the complete subtrees of a tree do. */
export function joinRoots(roots: readonly Buffer[]): Buffer {
  return roots.reduceRight((right, left) => nodeHash(left, right))
}

/** The frontier as the head row stores it: its hashes one after the other. */
export function packFrontier(frontier: Frontier): Buffer {
  return Buffer.concat(frontier.hashes)
}

/** Reads what `packFrontier` wrote. Throws when the bytes do not belong to a tree of this size. */
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
  return sha256(Buffer.concat([NODE, left, right]))
}

/** SHA-256 of bytes, or of the UTF-8 of a text. By way of hexadecimal: a buffer straight from the hash costs twice as much. */
function sha256(of: string | Uint8Array): Buffer {
  return Buffer.from(hash('sha256', of, 'hex'), 'hex')
}

function onesIn(size: number): number {
  let ones = 0
  for (let rest = size; rest > 0; rest = Math.floor(rest / 2)) ones += rest % 2
  return ones
}
