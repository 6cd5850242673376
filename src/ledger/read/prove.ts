import { joinRoots, rootOf, type Subtree } from '#ledger/integrity/merkle'
import {
  type LeafRange,
  consistencyRanges,
  inclusionRanges,
  isConsistent,
  isIncluded,
  subtreesOf,
} from '#ledger/integrity/merkle-proofs'
import { readSubtrees, readWithSubtrees } from './merkle-subtrees.ts'
import { type SeenHead, readHead } from './read-head.ts'
import type { LedgerDb } from '#ledger/tables'
import { deriveEnvelope } from '#ledger/integrity/codec'
import { storedEventPages } from './read-events.ts'

/** An inclusion proof: the leaf, the root, and the audit path between them from the bottom up. */
interface InclusionProof {
  leaf: Buffer
  root: Buffer
  hashes: Buffer[]
}

/** A consistency proof: both roots, and the hashes that connect them. */
interface ConsistencyProof {
  fromRoot: Buffer
  toRoot: Buffer
  hashes: Buffer[]
}

/**
 * Proves that the event at a position is in the ledger of the first `size` events, RFC 6962 section 2.1.1. Requires
 * position ≤ size ≤ head. Throws UnavailableError while too many subtrees have yet to be stored.
 */
export function proveInclusion(
  db: LedgerDb,
  companyId: string,
  head: SeenHead,
  { position, size }: { position: number; size: number },
): Promise<InclusionProof> {
  const number = position - 1
  const leafAlone = { from: number, to: position }
  const path = inclusionRanges(number, size)
  return proveAgainstHead(db, companyId, head, size, [leafAlone, ...path], (root, [leaf, ...hashes]) => {
    return isIncluded({ number, hash: leaf! }, { size, root }, hashes) ? { leaf: leaf!, root, hashes } : null
  })
}

/**
 * Proves that the ledger of the first `from` events is a prefix of the first `to`, RFC 6962 section 2.1.2. Requires 1 ≤
 * from ≤ to ≤ head. Throws UnavailableError like `proveInclusion`.
 */
export function proveConsistency(
  db: LedgerDb,
  companyId: string,
  head: SeenHead,
  { from, to }: { from: number; to: number },
): Promise<ConsistencyProof> {
  const smaller = { from: 0, to: from }
  const path = consistencyRanges(from, to)
  return proveAgainstHead(db, companyId, head, to, [smaller, ...path], (toRoot, [fromRoot, ...hashes]) => {
    const isProof = isConsistent({ size: from, root: fromRoot! }, { size: to, root: toRoot }, hashes)
    return isProof ? { fromRoot: fromRoot!, toRoot, hashes } : null
  })
}

/**
 * Passes the root of the first `size` leaves and the roots of `ranges` to `make`, which builds a proof. The root is
 * checked against the head's frontier, which every append updates in its transaction.
 */
function proveAgainstHead<Proof>(
  db: LedgerDb,
  companyId: string,
  head: SeenHead,
  size: number,
  ranges: LeafRange[],
  make: (root: Buffer, roots: Buffer[]) => Proof | null,
): Promise<Proof> {
  const whole = { from: 0, to: size }
  const toHead = consistencyRanges(size, head.position)
  return readWithSubtrees(db, companyId, head.position, async () => {
    const [root, ...rest] = (await readRoots(db, companyId, [whole, ...toHead, ...ranges])) ?? []
    const isOfHead =
      root !== undefined &&
      isConsistent({ size, root }, { size: head.position, root: rootOf(head.frontier) }, rest.slice(0, toHead.length))
    return isOfHead ? make(root, rest.slice(toHead.length)) : null
  })
}

/** The roots of ranges, read in one query; null if the stored subtrees do not suffice. */
async function readRoots(db: LedgerDb, companyId: string, ranges: LeafRange[]) {
  const parts = ranges.map(subtreesOf)
  const subtrees = new Map<string, Subtree>(parts.flat().map((subtree) => [subtreeKey(subtree), subtree]))
  const hashes = await readSubtrees(db, companyId, [...subtrees.values()])
  if (!hashes) return null
  const roots = new Map([...subtrees.keys()].map((name, at) => [name, hashes[at]!]))
  return parts.map((subtrees) => joinRoots(subtrees.map((subtree) => roots.get(subtreeKey(subtree))!)))
}

function subtreeKey({ level, number }: Subtree) {
  return `${level} ${number}`
}

/*
 * Tiles of the Merkle tree (https://c2sp.org/tlog-tiles). Nothing is stored for them: the leaves are in the events, and
 * the roots of all complete subtrees of 256 leaves and more are cached for proofs.
 */

/** The binary logarithm of the hashes in a full tile, and of the leaves under a hash of the next level. */
const HEIGHT = 8
export const FULL_WIDTH = 2 ** HEIGHT

/** The first `width` hashes or entries of a tile: 256 if it is full. */
export interface TilePlace {
  number: number
  width: number
}

/**
 * Reads the hashes of a tile, one after the other: each is the root of a complete subtree of 256^level leaves. Null if
 * the ledger is shorter. Throws UnavailableError while too many subtrees have yet to be stored.
 */
export async function readTile(
  db: LedgerDb,
  companyId: string,
  level: number,
  { number, width }: TilePlace,
): Promise<Buffer | null> {
  const first = number * FULL_WIDTH
  const { position } = await readHead(db, companyId)
  if ((first + width) * FULL_WIDTH ** level > position) return null
  const subtrees = Array.from({ length: width }, (_, at) => ({ level: HEIGHT * level, number: first + at }))
  // Leaves are in the events.
  const stored = level === 0 ? 0 : position
  return Buffer.concat(await readWithSubtrees(db, companyId, stored, () => readSubtrees(db, companyId, subtrees)))
}

/** Reads the entries of a bundle: envelopes, each after its length in two bytes. Null if the ledger is shorter. */
export async function readEntries(
  db: LedgerDb,
  companyId: string,
  { number, width }: TilePlace,
): Promise<Buffer | null> {
  const after = number * FULL_WIDTH
  const upTo = after + width
  const { position } = await readHead(db, companyId)
  if (upTo > position) return null
  const parts: Buffer[] = []
  for await (const page of storedEventPages(db, companyId, { after, upTo })) {
    for (const event of page) {
      const entry = Buffer.from(deriveEnvelope(event))
      const length = Buffer.alloc(2)
      length.writeUInt16BE(entry.length)
      parts.push(length, entry)
    }
  }
  if (parts.length !== 2 * width) throw new Error(`events between ${after + 1} and ${upTo} of ${companyId} are missing`)
  return Buffer.concat(parts)
}
