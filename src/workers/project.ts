import { channel } from 'node:diagnostics_channel'
import type { Transaction } from 'kysely'
import { schemaOf, type CallPart, type CompanyEvents, type Projection } from '#projections/projection'
import { doInTurns } from '#admission/turns'
import type { RecordedEvent } from '#domain/events'
import { isErasing, closesCall } from '#domain/event-types'
import { isPermanent } from '#postgres/database-errors'
import { errorReason } from '#postgres/startup-error'
import { readEventPage, readLastOfStream, type EventPage, type PositionsAfter } from '#ledger/read/read-events'
import type { RecentEvents } from '#ledger/append/recent-events'
import type { LedgerDb, LedgerTables } from '#ledger/tables'
import {
  type ProjectionCheckpoint,
  type CheckpointMove,
  findCheckpoint,
  moveCheckpoint,
  moveCheckpoints,
} from './checkpoints.ts'
import { emptyReplaced, isShadowBefore, shadowOf } from './copies.ts'

/**
 * Maximum events folded at once, such as four calls of 1,000. It bounds what a process holds, so it doesn't follow
 * `MAX_RECORDS`: a larger call is folded in parts, in one transaction.
 */
const BATCH_EVENTS = 4 * 1_001
/** The maximum size of these events, in bytes. */
const BATCH_BYTES = 4 * 1024 * 1024

const stage = (name: string) => channel(`employee-ledger.fold.${name}`)
const STAGES = { moved: stage('moved'), folded: stage('folded'), committed: stage('committed') }

/** Events cannot be folded because of the ledger's content or a bug; retrying does not help. */
export class UnfoldableError extends Error {
  override name = 'UnfoldableError'
  /** The checkpoint at which it failed, as seen by `foldNext`. */
  checkpoint: ProjectionCheckpoint | undefined
}

interface FoldOptions {
  /** The maximum number of events at once; a larger call is folded in parts, in one transaction. */
  batchEvents?: number
  /** Events that this process has just committed. */
  recent?: RecentEvents | undefined
}

/** Folds all unfolded events of a company. Returns the position reached. */
export async function catchUp(db: LedgerDb, projection: Projection, companyId: string): Promise<number> {
  for (;;) {
    const { position, isDone } = await foldNext(db, projection, companyId)
    if (isDone) return position
  }
}

/**
 * Folds the next batch of a company's events. Any number of workers may do this at once and die at any point: the
 * checkpoint moves in the same transaction as the rows, and a worker that finds it moved continues from there.
 *
 * An erasure is folded into the shadow of a rebuild before the live tables, because the rebuild may have been killed
 * long ago, and the person's data must not stay in its tables. Returns the positions after which and up to which it
 * folded; they are equal if it folded nothing. Uses `recent` events instead of reading them. Throws UnfoldableError if an
 * event stops it; other errors, such as a lost connection, are transient.
 */
export async function foldNext(
  db: LedgerDb,
  projection: Projection,
  companyId: string,
  { batchEvents: limit = BATCH_EVENTS, recent }: FoldOptions = {},
): Promise<{ after: number; position: number; isDone: boolean }> {
  const checkpoint = await findCheckpoint(db, projection, companyId)
  const { position, head, isHeld } = checkpoint
  const unmoved = { after: position, position }
  if (isHeld) return { ...unmoved, isDone: true }
  try {
    const remembered = recent?.callsBehind(companyId, { after: position, head, limit })
    const next = remembered ?? (await readNextCalls(db, companyId, { after: position, limit }))
    if (next === null) return { ...unmoved, isDone: true }
    const { events, upTo } = next
    if (events.some(isErasing) && (await isShadowBefore(db, projection, companyId, upTo))) {
      await foldNext(db, shadowOf(projection), companyId, { batchEvents: limit })
      return { ...unmoved, isDone: false }
    }
    const isMoved = await foldBatch(db, projection, { companyId, after: position, leaf: null, ...next })
    if (isMoved) recent?.folded(companyId, { after: position, upTo })
    // Another worker was faster, or the ledger differs from the recent events: read it next time.
    else recent?.forget([companyId])
    return isMoved ? { after: position, position: upTo, isDone: next.isEnd } : { ...unmoved, isDone: false }
  } catch (error) {
    if (error instanceof UnfoldableError) error.checkpoint = checkpoint
    throw error
  }
}

/**
 * Folds the events between two ends of calls, in a transaction whose caller keeps other workers away. Throws
 * UnfoldableError if an event stops it.
 */
export async function foldBetween(
  transaction: Transaction<LedgerTables>,
  projection: Projection,
  schema: string,
  companyId: string,
  range: { after: number; upTo: number; batchEvents: number },
) {
  let { after } = range
  while (after < range.upTo) after = await foldCalls(transaction, projection, schema, companyId, { ...range, after })
}

/** Folds one batch, like `foldBetween`. Returns the position reached. */
export async function foldCalls(
  transaction: Transaction<LedgerTables>,
  projection: Projection,
  schema: string,
  companyId: string,
  { after, upTo, batchEvents }: { after: number; upTo: number; batchEvents: number },
) {
  const next = await readNextCalls(transaction, companyId, { after, upTo, limit: batchEvents })
  if (next === null) throw new UnfoldableError(`the event at position ${after + 1} of ${companyId} is missing`)
  await foldEvents(transaction, projection, schema, [{ companyId, ...next }])
  return next.upTo
}

/** Complete calls, or the first part of a call that is too large to be read at once. */
interface NextCalls {
  events: RecordedEvent[]
  /** The position of the last event of these calls. */
  upTo: number
  /** The call whose first part this is. */
  call?: CallPart
  /** No further event followed. */
  isEnd: boolean
}

/** Reads the next events to fold after a position; null if there are none. */
async function readNextCalls(
  db: LedgerDb,
  companyId: string,
  range: PositionsAfter & { limit: number },
): Promise<NextCalls | null> {
  const { after } = range
  const { events, isEnd } = await readBatch(db, companyId, range)
  if (events.length === 0) return null
  const end = events.findLastIndex(closesCall)
  if (end >= 0) {
    return { events: events.slice(0, end + 1), upTo: after + end + 1, isEnd: isEnd && end === events.length - 1 }
  }
  const callId = events[0]!.call_id!
  const closing = isEnd ? null : await readOrUnfoldable(() => readLastOfStream(db, companyId, callId))
  if (!closing || !closesCall(closing) || closing.position <= after) {
    throw new UnfoldableError(`the call at position ${after + 1} of ${companyId} is not closed`)
  }
  return { events, upTo: closing.position, call: { first: after + 1, closing }, isEnd: false }
}

/** Reads the next batch of events after a position. */
async function readBatch(
  db: LedgerDb,
  companyId: string,
  range: PositionsAfter & { limit: number },
): Promise<EventPage> {
  const page = await readOrUnfoldable(() =>
    readEventPage(db, companyId, range, { limit: range.limit, bytes: BATCH_BYTES }),
  )
  assertContiguous(page.events, range.after, companyId)
  return page
}

async function readOrUnfoldable<Result>(read: () => Promise<Result>) {
  try {
    return await read()
  } catch (error) {
    if (!isPermanent(error)) throw error
    // The stored event or the code that reads it is at fault; a retry would fail the same way.
    throw new UnfoldableError(errorReason(error), { cause: error })
  }
}

/** Throws UnfoldableError if a position after `after` is missing. */
export function assertContiguous(events: RecordedEvent[], after: number, companyId: string) {
  const gap = events.findIndex(({ position }, at) => position !== after + at + 1)
  if (gap >= 0) throw new UnfoldableError(`the event at position ${after + gap + 1} of ${companyId} is missing`)
}

/** Consecutive events of a company that end with a call, or the first part of a larger call. */
export interface Batch extends CompanyEvents, CheckpointMove {}

/** Returns false, without folding, if another worker has moved the checkpoint. */
async function foldBatch(db: LedgerDb, projection: Projection, batch: Batch) {
  return (await foldBatches(db, projection, [batch])).length > 0
}

/**
 * Folds batches of different companies in one transaction. Returns those that were folded: skips companies whose
 * checkpoint another worker has moved (or holds, if there are several), or which no longer have what was expected.
 */
export async function foldBatches(db: LedgerDb, projection: Projection, batches: Batch[]): Promise<Batch[]> {
  const folded = await db.transaction().execute(async (transaction) => {
    // Move the checkpoints first: a concurrent worker waits here, and then sees that it was overtaken.
    const moved = await moveAll(transaction, projection, batches)
    if (moved.length === 0) return moved
    STAGES.moved.publish(moved)
    await foldEvents(transaction, projection, schemaOf(projection), moved)
    for (const { companyId, events } of moved) {
      if (events.some(isErasing)) await emptyReplaced(transaction, projection, companyId)
    }
    STAGES.folded.publish(moved)
    return moved
  })
  STAGES.committed.publish(folded)
  return folded
}

async function moveAll(transaction: Transaction<LedgerTables>, projection: Projection, batches: Batch[]) {
  const [first, second] = batches
  if (!second) return (await moveCheckpoint(transaction, projection, first!)) ? batches : []
  const moved = await moveCheckpoints(transaction, projection, batches)
  return batches.filter(({ companyId }) => moved.has(companyId))
}

/** Folds batches; a call that is too large to be read at once is folded part by part. */
async function foldEvents(
  transaction: Transaction<LedgerTables>,
  projection: Projection,
  schema: string,
  batches: CompanyEvents[],
) {
  await foldParts(transaction, projection, schema, batches)
  for (const { companyId, events, call } of batches) {
    if (!call) continue
    const upTo = call.closing.position
    for (let after = events.at(-1)!.position; after < upTo;) {
      const { events: batch } = await readBatch(transaction, companyId, { after, upTo, limit: BATCH_EVENTS })
      if (batch.length === 0) throw new UnfoldableError(`the event at position ${after + 1} of ${companyId} is missing`)
      await foldParts(transaction, projection, schema, [{ companyId, events: batch, call }])
      after = batch.at(-1)!.position
    }
  }
}

async function foldParts(
  transaction: Transaction<LedgerTables>,
  projection: Projection,
  schema: string,
  parts: CompanyEvents[],
) {
  try {
    await projection.fold(transaction as never, schema, parts, doInTurns)
  } catch (error) {
    if (!isPermanent(error)) throw error
    throw new UnfoldableError(`${parts.map(describePositions).join(', ')}: ${errorReason(error)}`, { cause: error })
  }
}

function describePositions({ companyId, events }: CompanyEvents) {
  return `positions ${events[0]!.position} to ${events.at(-1)!.position} of ${companyId}`
}
