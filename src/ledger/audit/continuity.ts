import { LRUCache } from 'lru-cache'
import { toUuid } from '../../domain/ids.ts'
import { appendLeaves, EMPTY_FRONTIER, rootOf, type Frontier } from '../integrity/merkle.ts'
import { readStoredFrontier } from '../read/merkle-subtrees.ts'
import type { LedgerDb } from '../tables.ts'
import type { Checkpoint } from './checkpoint-note.ts'

const LEAVES_PER_PAGE = 10_000
/** The number of companies whose last verified frontier a process caches, about 2 kB each. */
const COMPANIES_REMEMBERED = 10_000

/**
 * The ledger does not continue the last external checkpoint. Nothing is signed until an operator resolves this.
 */
export class RefusedToSignError extends Error {
  override name = 'RefusedToSignError'
}

/** Throws RefusedToSignError unless the ledger of a company continues its last note, and agrees with its own head. */
type AssertContinues = (db: LedgerDb, companyId: string, last: Checkpoint, head: Frontier) => Promise<void>

/** Creates the check of whether ledgers continue their last external checkpoints. It remembers what it has verified. */
export function createContinuityCheck(): AssertContinues {
  /** By company, the verified frontier at the last external checkpoint. */
  const remembered = new LRUCache<string, Frontier>({ max: COMPANIES_REMEMBERED })

  return async function assertContinues(db, companyId, last, head) {
    const refuse = (what: string) => {
      const fault = `The ledger of ${companyId} ${what}: it was rolled back or changed`
      return new RefusedToSignError(`${fault}. Nothing is signed until an operator resolves this`)
    }
    if (head.size < last.size)
      throw refuse(`ends at position ${head.size}, but its last external checkpoint is at position ${last.size}`)
    const isOfNote = (frontier: Frontier) => rootOf(frontier).equals(last.root)
    const isOfHead = (frontier: Frontier) => rootOf(frontier).equals(rootOf(head))
    const frontier = remembered.get(companyId) ?? (await readStoredFrontier(db, companyId, last.size))
    if (frontier.size > 0 && frontier.size <= last.size) {
      const then = await extend(db, companyId, frontier, last.size)
      if (isOfNote(then) && isOfHead(await extend(db, companyId, then, head.size))) {
        remembered.set(companyId, then)
        return
      }
    }
    // That frontier may be wrong, or that of another ledger: only all events show what the fault is.
    const then = await extend(db, companyId, EMPTY_FRONTIER, last.size)
    if (!isOfNote(then)) throw refuse(`differs from its last external checkpoint at position ${last.size}`)
    if (!isOfHead(await extend(db, companyId, then, head.size))) throw refuse('has events that do not match its head')
    remembered.set(companyId, then)
  }
}

/** Extends a frontier to a size by the leaves in between; stops early if leaves are missing. */
async function extend(db: LedgerDb, companyId: string, from: Frontier, size: number): Promise<Frontier> {
  let frontier = from
  while (frontier.size < size) {
    const after = frontier.size
    const rows = await db
      .selectFrom('events')
      .select(['position', 'leaf_hash'])
      .where('company_id', '=', toUuid(companyId))
      .where('position', '>', after)
      .where('position', '<=', size)
      .orderBy('position')
      .limit(LEAVES_PER_PAGE)
      .execute()
    const isWhole = rows.every(({ position }, at) => position === after + at + 1)
    if (rows.length === 0 || !isWhole) return frontier
    frontier = appendLeaves(
      frontier,
      rows.map((row) => row.leaf_hash),
    )
  }
  return frontier
}
