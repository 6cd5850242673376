import type { Kysely } from 'kysely'
import type { Projection } from '../../projections/projection.ts'
import { schemaOf } from '../../projections/projection.ts'
import type { RecordedEvent } from '../domain/events.ts'
import { closesCall } from '../domain/events.ts'
import { UnreadableEventError } from '../ledger/codec.ts'
import { isOfTheServer } from '../ledger/database-errors.ts'
import { readEvents } from '../ledger/read.ts'
import type { LedgerTables } from '../ledger/tables.ts'
import { findCheckpoint, moveCheckpoint } from './checkpoints.ts'

/** How many events one transaction folds; a larger call is folded whole. */
const BATCH_EVENTS = 2_000

/** Events cannot be folded: a fault of the ledger's content or of the program, which trying again does not mend. */
export class UnfoldableError extends Error {
  override name = 'UnfoldableError'
}

/**
 * Folds all events of a company that a projection has not folded yet. Any number of workers may do this at once, and
 * any of them may die anywhere: the checkpoint moves from the old value to the new in the transaction of the rows, and
 * whoever finds it moved starts again from where it is. Returns the position that is reached.
 * Throws UnfoldableError when an event stops it; other errors (a lost connection) pass by themselves.
 */
export async function catchUp(db: Kysely<LedgerTables>, projection: Projection, companyId: string): Promise<number> {
  for (;;) {
    const checkpoint = await findCheckpoint(db, projection, companyId)
    if (checkpoint.isHeld) return checkpoint.position
    const events = await nextBatch(db, companyId, checkpoint.position)
    if (events.length === 0) return checkpoint.position
    await foldBatch(db, projection, companyId, checkpoint.position, events)
  }
}

/** Reads events that end with a call's end; more than usual when one call alone is larger than that. */
async function nextBatch(db: Kysely<LedgerTables>, companyId: string, after: number): Promise<RecordedEvent[]> {
  for (let limit = BATCH_EVENTS; ; limit *= 2) {
    const events = await readBatch(db, companyId, after, limit)
    assertContiguous(events, after, companyId)
    const end = events.findLastIndex(closesCall)
    if (end >= 0) return events.slice(0, end + 1)
    if (events.length < limit && events.length > 0) {
      throw new UnfoldableError(`the call at position ${after + 1} of ${companyId} is not closed`)
    }
    if (events.length === 0) return events
  }
}

async function readBatch(db: Kysely<LedgerTables>, companyId: string, after: number, limit: number) {
  try {
    return await readEvents(db, companyId, { after, limit })
  } catch (error) {
    if (error instanceof UnreadableEventError) throw new UnfoldableError(error.message, { cause: error })
    throw error
  }
}

function assertContiguous(events: RecordedEvent[], after: number, companyId: string): void {
  const gap = events.findIndex(({ position }, at) => position !== after + at + 1)
  if (gap >= 0) throw new UnfoldableError(`the event at position ${after + gap + 1} of ${companyId} is missing`)
}

async function foldBatch(
  db: Kysely<LedgerTables>,
  projection: Projection,
  companyId: string,
  from: number,
  events: RecordedEvent[],
): Promise<void> {
  const to = events.at(-1)!.position
  try {
    await db.transaction().execute(async (transaction) => {
      // First of all: a twin waits here, and then sees that it was overtaken.
      if (!(await moveCheckpoint(transaction, projection, companyId, from, to))) return
      await projection.fold(transaction as never, schemaOf(projection), companyId, events)
    })
  } catch (error) {
    if (isOfTheServer(error)) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new UnfoldableError(`positions ${from + 1} to ${to} of ${companyId}: ${reason}`, { cause: error })
  }
}
