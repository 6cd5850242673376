import type { Kysely, Transaction } from 'kysely'
import type { CallPart, CompanyEvents, Projection } from '../../projections/projection.ts'
import { schemaOf } from '../../projections/projection.ts'
import type { RecordedEvent } from '../domain/events.ts'
import { isErasing } from '../domain/erasure.ts'
import { closesCall } from '../domain/events.ts'
import { isOfTheServer } from '../postgres/database-errors.ts'
import type { EventPage, PositionRange } from '../ledger/read/read-events.ts'
import { readEventPage, readLastOfStream } from '../ledger/read/read-events.ts'
import type { RecentEvents } from '../ledger/append/recent-events.ts'
import type { LedgerTables } from '../ledger/tables.ts'
import type { Checkpoint, CheckpointMove } from './checkpoints.ts'
import { findCheckpoint, moveCheckpoint, moveCheckpoints } from './checkpoints.ts'
import { emptyReplaced, isShadowBefore, shadowOf } from './copies.ts'

/** How many events are folded at once; a larger call is folded in parts, by one transaction. */
const BATCH_EVENTS = 2_000
/** How many bytes of them, whatever their number. */
const BATCH_BYTES = 4 * 1024 * 1024

/** Events cannot be folded: a fault of the ledger's content or of the program, which trying again does not mend. */
export class UnfoldableError extends Error {
  override name = 'UnfoldableError'
  /** The checkpoint behind which it failed, as `foldNext` saw it. */
  checkpoint: Checkpoint | undefined
}

export interface FoldOptions {
  /** At most so many events at once; a larger call is folded in parts, by one transaction. */
  batchEvents?: number
  /** What this process has just committed. */
  recent?: RecentEvents | undefined
}

/** Folds all events of a company that a projection has not folded yet. Returns the position that is reached. */
export async function catchUp(db: Kysely<LedgerTables>, projection: Projection, companyId: string): Promise<number> {
  for (;;) {
    const { position, isDone } = await foldNext(db, projection, companyId)
    if (isDone) return position
  }
}

/**
 * Folds the next batch of events of a company. Any number of workers may do this at once, and any of them may die
 * anywhere: the checkpoint moves from the old value to the new in the transaction of the rows, and whoever finds it
 * moved starts again from where it is. An erasure reaches the shadow of a rebuild before the live tables: what folds that
 * may have been killed long ago, and the person must not stay there. Returns the positions behind which it folded and up
 * to which; they are one when it folded nothing. Events that `recent` has are not read. Throws UnfoldableError when an event stops it; other errors (a lost
 * connection) pass by themselves.
 */
export async function foldNext(
  db: Kysely<LedgerTables>,
  projection: Projection,
  companyId: string,
  { batchEvents: limit = BATCH_EVENTS, recent }: FoldOptions = {},
): Promise<{ after: number; position: number; isDone: boolean }> {
  const checkpoint = await findCheckpoint(db, projection, companyId)
  const { position, head, isHeld } = checkpoint
  const unmoved = { after: position, position }
  if (isHeld) return { ...unmoved, isDone: true }
  try {
    const kept = recent?.callsBehind(companyId, { after: position, head, limit })
    const next = kept ?? (await nextCalls(db, companyId, { after: position, limit }))
    if (next === null) return { ...unmoved, isDone: true }
    const { events, upTo } = next
    if (events.some(isErasing) && (await isShadowBefore(db, projection, companyId, upTo))) {
      await foldNext(db, shadowOf(projection), companyId, { batchEvents: limit })
      return { ...unmoved, isDone: false }
    }
    const isMoved = await foldBatch(db, projection, { companyId, after: position, leaf: null, ...next })
    if (isMoved) recent?.folded(companyId, { after: position, upTo })
    // Either another worker was here, or the ledger is not what is remembered: it is read next.
    else recent?.forget([companyId])
    return isMoved ? { after: position, position: upTo, isDone: next.isEnd } : { ...unmoved, isDone: false }
  } catch (error) {
    if (error instanceof UnfoldableError) error.checkpoint = checkpoint
    throw error
  }
}

/**
 * Folds a company up to a position at least, as `foldNext` does, but in large batches and reading each while the one
 * before is folded: for long ways. `onReached` is told each position that is reached, by this worker or by a twin.
 */
export async function foldFar(
  db: Kysely<LedgerTables>,
  projection: Projection,
  companyId: string,
  options: { upTo: number; batchEvents: number; signal: AbortSignal; onReached(position: number): void },
): Promise<void> {
  const { upTo, batchEvents: limit, signal, onReached } = options
  const read = (after: number) => {
    const reading = after < upTo ? nextCalls(db, companyId, { after, limit }) : Promise.resolve(null)
    // Whoever waits for it gets the error; until then nobody does.
    reading.catch(() => undefined)
    return reading
  }
  let { position } = await findCheckpoint(db, projection, companyId)
  let reading = read(position)
  while (!signal.aborted) {
    const next = await reading
    if (next === null) return
    reading = read(next.upTo)
    if (await foldBatch(db, projection, { companyId, after: position, leaf: null, ...next })) {
      position = next.upTo
    } else {
      const overtakenAt = position
      position = (await findCheckpoint(db, projection, companyId)).position
      if (position === overtakenAt)
        throw new Error(`the checkpoint of ${projection.name} in ${companyId} cannot be moved`)
      reading = read(position)
    }
    onReached(position)
  }
}

/**
 * Folds the events between two positions, the ends of calls, within a transaction of somebody who sees to it that nobody
 * else does. Throws UnfoldableError when an event stops it.
 */
export async function foldBetween(
  transaction: Transaction<LedgerTables>,
  projection: Projection,
  schema: string,
  companyId: string,
  range: { after: number; upTo: number; batchEvents: number },
): Promise<void> {
  let { after } = range
  while (after < range.upTo) after = await foldCalls(transaction, projection, schema, companyId, { ...range, after })
}

/** Folds one batch as `foldBetween` does. Returns the position that is reached. */
export async function foldCalls(
  transaction: Transaction<LedgerTables>,
  projection: Projection,
  schema: string,
  companyId: string,
  { after, upTo, batchEvents }: { after: number; upTo: number; batchEvents: number },
): Promise<number> {
  const next = await nextCalls(transaction, companyId, { after, upTo, limit: batchEvents })
  if (next === null) throw new UnfoldableError(`the event at position ${after + 1} of ${companyId} is missing`)
  await foldEvents(transaction, projection, schema, [{ companyId, ...next }])
  return next.upTo
}

/** Whole calls, or the first part of one that is too large to be read at once. */
interface NextCalls {
  events: RecordedEvent[]
  /** The position of the last event of these calls. */
  upTo: number
  /** Of the one whose first part this is. */
  call?: CallPart
  /** No event stood behind them. */
  isEnd: boolean
}

/** Reads what is to be folded behind a position; null when nothing stands there. */
async function nextCalls(
  db: Kysely<LedgerTables>,
  companyId: string,
  range: PositionRange & { limit: number },
): Promise<NextCalls | null> {
  const { after } = range
  const { events, isEnd } = await readBatch(db, companyId, range)
  if (events.length === 0) return null
  const end = events.findLastIndex(closesCall)
  if (end >= 0) {
    return { events: events.slice(0, end + 1), upTo: after + end + 1, isEnd: isEnd && end === events.length - 1 }
  }
  const callId = events[0]!.call_id!
  const closing = isEnd ? null : await readable(() => readLastOfStream(db, companyId, callId))
  if (!closing || !closesCall(closing) || closing.position <= after) {
    throw new UnfoldableError(`the call at position ${after + 1} of ${companyId} is not closed`)
  }
  return { events, upTo: closing.position, call: { first: after + 1, closing }, isEnd: false }
}

/** Reads the events behind a position, as many as are folded at once. */
async function readBatch(
  db: Kysely<LedgerTables>,
  companyId: string,
  range: PositionRange & { limit: number },
): Promise<EventPage> {
  const page = await readable(() => readEventPage(db, companyId, range, { limit: range.limit, bytes: BATCH_BYTES }))
  assertContiguous(page.events, range.after, companyId)
  return page
}

async function readable<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch (error) {
    if (isOfTheServer(error)) throw error
    // What is stored cannot be read, or what reads it is at fault: the same will happen again.
    throw new UnfoldableError(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

export function assertContiguous(events: RecordedEvent[], after: number, companyId: string): void {
  const gap = events.findIndex(({ position }, at) => position !== after + at + 1)
  if (gap >= 0) throw new UnfoldableError(`the event at position ${after + gap + 1} of ${companyId} is missing`)
}

/** Events of a company behind a position, which end with a call, or the first part of one that is larger. */
export interface Batch extends CompanyEvents {
  after: number
  /** Where they end, or the call does. */
  upTo: number
  /** The leaf hash of the last event, by which the ledger must know it; null when they were read there. */
  leaf: Buffer | null
}

/** Returns false when another worker has moved the checkpoint meanwhile; then nothing is folded. */
async function foldBatch(db: Kysely<LedgerTables>, projection: Projection, batch: Batch): Promise<boolean> {
  return (await foldBatches(db, projection, [batch])).length > 0
}

/**
 * Folds batches of different companies in one transaction. Returns those that were: nothing is folded of a company whose
 * checkpoint another worker has moved meanwhile, or holds, when there are several; nor where the ledger has not the leaf.
 */
export async function foldBatches(
  db: Kysely<LedgerTables>,
  projection: Projection,
  batches: Batch[],
): Promise<Batch[]> {
  return db.transaction().execute(async (transaction) => {
    // First of all: a twin waits here, and then sees that it was overtaken.
    const moved = await moveAll(transaction, projection, batches)
    if (moved.length === 0) return moved
    await foldEvents(transaction, projection, schemaOf(projection), moved)
    for (const { companyId, events } of moved) {
      if (events.some(isErasing)) await emptyReplaced(transaction, projection, companyId)
    }
    return moved
  })
}

async function moveAll(
  transaction: Transaction<LedgerTables>,
  projection: Projection,
  batches: Batch[],
): Promise<Batch[]> {
  const moves = batches.map(({ companyId, after, upTo, leaf }) => ({ companyId, from: after, to: upTo, leaf }))
  if (moves[1]) {
    const moved = await moveCheckpoints(transaction, projection, moves)
    return batches.filter(({ companyId }) => moved.has(companyId))
  }
  const [move] = moves as [CheckpointMove]
  return (await moveCheckpoint(transaction, projection, move)) ? batches : []
}

/** Folds batches; of a call that is too large to be read at once, one part after the other. */
async function foldEvents(
  transaction: Transaction<LedgerTables>,
  projection: Projection,
  schema: string,
  batches: CompanyEvents[],
): Promise<void> {
  await foldParts(transaction, projection, schema, batches)
  for (const { companyId, events, call } of batches) {
    if (!call) continue
    const upTo = call.closing.position
    for (let after = events.at(-1)!.position; after < upTo;) {
      const { events: part } = await readBatch(transaction, companyId, { after, upTo, limit: BATCH_EVENTS })
      if (part.length === 0) throw new UnfoldableError(`the event at position ${after + 1} of ${companyId} is missing`)
      await foldParts(transaction, projection, schema, [{ companyId, events: part, call }])
      after = part.at(-1)!.position
    }
  }
}

async function foldParts(
  transaction: Transaction<LedgerTables>,
  projection: Projection,
  schema: string,
  parts: CompanyEvents[],
): Promise<void> {
  try {
    await projection.fold(transaction as never, schema, parts)
  } catch (error) {
    if (isOfTheServer(error)) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new UnfoldableError(`${parts.map(describePositions).join(', ')}: ${reason}`, { cause: error })
  }
}

function describePositions({ companyId, events }: CompanyEvents): string {
  return `positions ${events[0]!.position} to ${events.at(-1)!.position} of ${companyId}`
}
