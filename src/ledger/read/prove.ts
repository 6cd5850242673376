import type { Kysely } from 'kysely'
import { UnavailableError } from '../../admission/batcher.ts'
import type { Subtree } from '../integrity/merkle.ts'
import { joinRoots, rootOf } from '../integrity/merkle.ts'
import type { LeafRange } from '../integrity/merkle-proofs.ts'
import { consistencyRanges, inclusionRanges, isConsistent, isIncluded, subtreesOf } from '../integrity/merkle-proofs.ts'
import { forgetSubtrees, readSubtrees, storeSubtrees } from './merkle-subtrees.ts'
import type { SeenHead } from './read-head.ts'
import type { LedgerTables } from '../tables.ts'

/** That an event is in the ledger of a size: its leaf, the root, and the audit path between them from the leaf up. */
export interface InclusionProof {
  leaf: Buffer
  root: Buffer
  hashes: Buffer[]
}

/** That a ledger of one size is the beginning of one of another: both roots, and the proof between them. */
export interface ConsistencyProof {
  fromRoot: Buffer
  toRoot: Buffer
  hashes: Buffer[]
}

/**
 * Proves that the event at a position is in the ledger of the first `size` events, RFC 6962 section 2.1.1. The position
 * is at most the size, and the size at most that of the head. Throws UnavailableError while too much has to be prepared.
 */
export function proveInclusion(
  db: Kysely<LedgerTables>,
  companyId: string,
  head: SeenHead,
  { position, size }: { position: number; size: number },
): Promise<InclusionProof> {
  const number = position - 1
  const leafAlone = { from: number, to: position }
  const path = inclusionRanges(number, size)
  return provenByHead(db, companyId, head, size, [leafAlone, ...path], (root, [leaf, ...hashes]) => {
    return isIncluded({ number, hash: leaf! }, { size, root }, hashes) ? { leaf: leaf!, root, hashes } : null
  })
}

/**
 * Proves that the ledger of the first `from` events is the beginning of that of the first `to`, RFC 6962 section 2.1.2.
 * `from` is 1 or more and at most `to`, which is at most the size of the head. Throws as `proveInclusion` does.
 */
export function proveConsistency(
  db: Kysely<LedgerTables>,
  companyId: string,
  head: SeenHead,
  { from, to }: { from: number; to: number },
): Promise<ConsistencyProof> {
  const smaller = { from: 0, to: from }
  const path = consistencyRanges(from, to)
  return provenByHead(db, companyId, head, to, [smaller, ...path], (toRoot, [fromRoot, ...hashes]) => {
    const isProof = isConsistent({ size: from, root: fromRoot! }, { size: to, root: toRoot }, hashes)
    return isProof ? { fromRoot: fromRoot!, toRoot, hashes } : null
  })
}

/**
 * Hands the root of the tree of `size` leaves, and those of some ranges of them, to what makes a proof of them. The root
 * is held against the head, whose frontier moves in the transaction of every append. Stored subtrees that do not agree
 * with it are forgotten and made again, once; then it is the ledger itself that does not agree.
 */
async function provenByHead<Proof>(
  db: Kysely<LedgerTables>,
  companyId: string,
  head: SeenHead,
  size: number,
  ranges: LeafRange[],
  make: (root: Buffer, roots: Buffer[]) => Proof | null,
): Promise<Proof> {
  const whole = { from: 0, to: size }
  const toHead = consistencyRanges(size, head.position)
  for (const isLastTry of [false, true]) {
    const isReady = await storeSubtrees(db, companyId, head.position)
    if (!isReady) throw new UnavailableError('subtrees are still being stored')
    const roots = await rootsOf(db, companyId, [whole, ...toHead, ...ranges])
    const [root, ...rest] = roots ?? []
    const isOfHead =
      root !== undefined &&
      isConsistent({ size, root }, { size: head.position, root: rootOf(head.frontier) }, rest.slice(0, toHead.length))
    const proof = isOfHead ? make(root, rest.slice(toHead.length)) : null
    if (proof) return proof
    if (!isLastTry) await forgetSubtrees(db, companyId)
  }
  throw new Error(`the events of ${companyId} do not have the root that its head has`)
}

/** The roots of ranges, read together; null when one of them cannot be made from what is stored. */
async function rootsOf(db: Kysely<LedgerTables>, companyId: string, ranges: LeafRange[]): Promise<Buffer[] | null> {
  const parts = ranges.map(subtreesOf)
  const subtrees = new Map<string, Subtree>(parts.flat().map((subtree) => [subtreeKey(subtree), subtree]))
  const found = await readSubtrees(db, companyId, [...subtrees.values()])
  if (!found) return null
  const roots = new Map([...subtrees.keys()].map((name, at) => [name, found[at]!]))
  return parts.map((subtrees) => joinRoots(subtrees.map((subtree) => roots.get(subtreeKey(subtree))!)))
}

function subtreeKey({ level, number }: Subtree): string {
  return `${level} ${number}`
}
