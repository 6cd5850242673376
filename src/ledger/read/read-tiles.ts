import { deriveEnvelope } from '../integrity/codec.ts'
import type { LedgerDb } from '../tables.ts'
import { readSubtrees, readWithSubtrees } from './merkle-subtrees.ts'
import { readHead } from './read-head.ts'
import { storedEventPages } from './read-events.ts'

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
