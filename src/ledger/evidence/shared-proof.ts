import { hash } from 'node:crypto'
import { UnavailableError } from '#admission/batcher'
import { inTurns } from '#admission/turns'
import { divide } from '#domain/pieces'
import type { TreeHead } from '../audit/signed-note.ts'
import { appendSubtree, EMPTY_FRONTIER, joinRoots, rootOf, type Frontier } from '../integrity/merkle.ts'
import { subtreesOf } from '../integrity/merkle-proofs.ts'
import { forgetSubtrees, readLeaves, readSubtrees, readWithSubtrees } from '../read/merkle-subtrees.ts'
import type { PositionRange } from '../read/read-events.ts'
import type { LedgerDb } from '../tables.ts'

/*
 * One proof that all events of a file are in a ledger. It has the roots of the complete subtrees that hold none of them:
 * together with the leaves of the events, they lead to the root of the whole ledger. Proofs of single events would
 * repeat most of these hashes for each event.
 */

/** Leaves that are read, and that are written, at once. */
const LEAVES_PER_PAGE = 10_000
const LEAVES_AT_ONCE = 500
const SUM_DIGITS = 64

/**
 * Stores the roots of subtrees that a proof for a ledger of this size needs. Throws if the events do not match the
 * root, as far as the stored subtrees tell.
 */
export async function prepareProof(db: LedgerDb, companyId: string, tree: TreeHead): Promise<void> {
  const subtrees = subtreesOf({ from: 0, to: tree.size })
  const readRight = async () => {
    const roots = await readSubtrees(db, companyId, subtrees)
    return roots && joinRoots(roots).equals(tree.root) ? roots : null
  }
  await readWithSubtrees(db, companyId, tree.size, readRight, Infinity)
}

/**
 * Yields the lines of the proof, page by page: one for each event in the ranges, with its leaf and the roots of the
 * subtrees between it and the event before, and one for what follows the last event. Throws UnavailableError if stored
 * subtrees were damaged; they are then rebuilt the next time.
 */
export async function* proofPages(
  db: LedgerDb,
  companyId: string,
  ranges: readonly PositionRange[],
  tree: TreeHead,
): AsyncGenerator<string> {
  let frontier = EMPTY_FRONTIER
  const skipTo = async (size: number) => {
    const subtrees = subtreesOf({ from: frontier.size, to: size })
    const roots = await readSubtrees(db, companyId, subtrees)
    if (!roots) throw new UnavailableError('subtrees are being stored again')
    for (const [at, { level }] of subtrees.entries()) frontier = appendSubtree(frontier, level, roots[at]!)
    return roots
  }
  for (const { first, last } of ranges) {
    let before = await skipTo(first - 1)
    while (frontier.size < last) {
      const leaves = await readLeaves(db, companyId, frontier.size, Math.min(LEAVES_PER_PAGE, last - frontier.size))
      for await (const some of inTurns(divide(leaves, LEAVES_AT_ONCE))) {
        const lines = some.map((leaf) => {
          frontier = appendSubtree(frontier, 0, leaf)
          const line = formatProofRow(frontier.size, leaf, before)
          before = []
          return line
        })
        yield lines.join('')
      }
    }
  }
  const after = await skipTo(tree.size)
  await assertRoot(db, companyId, frontier, tree)
  yield formatProofRow(tree.size + 1, null, after)
}

async function assertRoot(db: LedgerDb, companyId: string, frontier: Frontier, tree: TreeHead) {
  if (rootOf(frontier).equals(tree.root)) return
  await forgetSubtrees(db, companyId)
  throw new UnavailableError('stored subtrees were damaged, and are being stored again')
}

function formatProofRow(position: number, leaf: Buffer | null, before: readonly Buffer[]) {
  const row = {
    position,
    leaf: leaf?.toString('base64') ?? null,
    before: before.map((root) => root.toString('base64')),
  }
  return `${addSum(JSON.stringify(row))}\n`
}

/**
 * Adds a last member `sum` to the text of an object: the SHA-256 of what precedes its comma, in hexadecimal. It tells
 * where a file was damaged, and protects against nobody who knows it.
 */
export function addSum(text: string): string {
  const [, content, space] = /^(.*[^\s])(\s*)\}$/s.exec(text)!
  const sum = hash('sha256', content!).slice(0, SUM_DIGITS)
  return `${content},${space === '' ? '' : '\n  '}"sum":${space === '' ? '' : ' '}"${sum}"${space}}`
}
