import type { Projection } from '#projections/projection'
import { doInTurns } from '#admission/turns'
import { isErasing, closesCall } from '#domain/event-types'
import { mapInPieces } from '#domain/pieces'
import { readEvent } from '#ledger/integrity/codec'
import { readStoredBehind, type StoredPage } from '#ledger/read/read-events'
import type { RecentEvents } from '#ledger/append/recent-events'
import type { LedgerDb } from '#ledger/tables'
import { findFreeCheckpoints } from './checkpoints.ts'
import { assertContiguous, foldBatches, type Batch } from './project.ts'

/** How many companies share a transaction, and what each may fold in it. A company with a larger call is left out. */
export interface Share {
  companies: number
  events: number
  bytes: number
}

/** Many companies with small calls. */
export const SMALL_CALLS: Share = { companies: 64, events: 50, bytes: 64 * 1024 }
/** Some companies with a large call, such as `MAX_RECORDS` creations and the event that closes the call. */
export function largeCalls(maxRecords: number): Share {
  return { companies: 4, events: maxRecords + 1, bytes: 1024 * 1024 }
}

interface TogetherOptions {
  share?: Share
  /** Events that this process has just committed. */
  recent?: RecentEvents | undefined
}

/** A folded company, from which position up to which; they are equal if there was nothing to fold. */
type FoldedTogether = Pick<EndingBatch, 'companyId' | 'after' | 'upTo' | 'isEnd'>

/**
 * Folds new events of several companies in one transaction: reading, moving checkpoints, writing rows and committing
 * cost little more for many companies than for one.
 *
 * Companies missing in the result are left to a larger share or to `foldNext`: those with a call that exceeds their
 * share, an erasure, a held checkpoint or unreadable events, and those that another worker is folding; also all of
 * them, if the events of one cannot be folded. Throws if the database cannot be read.
 */
export async function foldTogether(
  db: LedgerDb,
  projection: Projection,
  companyIds: string[],
  { share = SMALL_CALLS, recent }: TogetherOptions = {},
): Promise<FoldedTogether[]> {
  const batches = await readNextBatches(db, projection, companyIds, { share, recent })
  const idle = batches.filter(({ events }) => events.length === 0)
  const folded = await foldAll(
    db,
    projection,
    batches.filter(({ events }) => events.length > 0),
    recent,
  )
  return [...idle, ...folded].map(({ companyId, after, upTo, isEnd }) => ({ companyId, after, upTo, isEnd }))
}

interface EndingBatch extends Batch {
  /** No further event followed. */
  isEnd: boolean
}

/** The next batches of these companies that can be folded together, from recent events or the ledger. */
async function readNextBatches(
  db: LedgerDb,
  projection: Projection,
  companyIds: string[],
  { share: { events: limit, bytes }, recent }: TogetherOptions & { share: Share },
) {
  const batches: EndingBatch[] = []
  const behind: { companyId: string; after: number; head: number }[] = []
  for (const { companyId, position: after, head } of await findFreeCheckpoints(db, projection, companyIds)) {
    const remembered = recent?.callsBehind(companyId, { after, head, limit })
    if (!remembered) behind.push({ companyId, after, head })
    else if (remembered.events.length <= limit) batches.push({ companyId, after, ...remembered })
  }
  if (behind.length === 0) return batches
  const stored = await readStoredBehind(db, behind, { limit, bytes })
  for (const { companyId, after, head } of behind) {
    const page = stored.get(companyId)
    if (page) for (const batch of await buildBatch(companyId, after, page)) batches.push(batch)
    // Otherwise, its next event alone is too large.
    else if (head <= after) batches.push({ companyId, after, upTo: after, events: [], leaf: null, isEnd: true })
  }
  return batches
}

/** The complete calls in these events; none if the company has to be folded alone. */
async function buildBatch(companyId: string, after: number, stored: StoredPage): Promise<EndingBatch[]> {
  try {
    const read = await doInTurns(mapInPieces(stored.events, readEvent, 1))
    assertContiguous(read, after, companyId)
    const events = read.slice(0, read.findLastIndex(closesCall) + 1)
    const isOfOneCall = events.length === 0
    if (isOfOneCall || events.some(isErasing)) return []
    return [
      {
        companyId,
        after,
        upTo: after + events.length,
        events,
        leaf: null,
        isEnd: stored.isEnd && events.length === read.length,
      },
    ]
  } catch {
    // Folding it alone fails the same way, and counts the failure.
    return []
  }
}

async function foldAll(db: LedgerDb, projection: Projection, batches: EndingBatch[], recent: RecentEvents | undefined) {
  if (batches.length === 0) return []
  try {
    const folded = new Set<Batch>(await foldBatches(db, projection, batches))
    // The ledger may differ from the recent events: read it next time.
    recent?.forget(batches.filter((batch) => !folded.has(batch)).map(({ companyId }) => companyId))
    for (const { companyId, after, upTo } of folded) recent?.folded(companyId, { after, upTo })
    return batches.filter((batch) => folded.has(batch))
  } catch {
    // Folding them one by one shows which company is at fault, if any.
    return []
  }
}
