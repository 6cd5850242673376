import type { GatherBounds } from '../../admission/batcher.ts'
import { gather, UnavailableError } from '../../admission/batcher.ts'
import { createBudget } from '../../admission/budget.ts'
import { createContended } from '../../admission/contended.ts'
import type { WriteCall } from '../../domain/calls/write-call.ts'
import { isSmall, weightOf } from '../../domain/calls/write-call.ts'
import type { CommitOptions } from './commit-batch.ts'
import { commitBatch } from './commit-batch.ts'
import type { Committed } from './commit.ts'
import { createRecentConflicts } from './unchecked-creations.ts'

export interface LaneOptions extends Omit<CommitOptions, 'conflicts'> {
  /** How many transactions run side by side in this process beside the one that is shared by small calls. */
  lanes: number
  /** How much the calls that share one commit may weigh; a heavier call goes alone. */
  maxRecordsPerCommit: number
  /** How many calls this process accepts at once; as many again may wait to be accepted. */
  maxWaiting: number
  /** How much all accepted calls may weigh together. */
  maxRecordsWaiting: number
  /** How long a company that another process holds up may wait for a lane, in milliseconds. */
  maxWaitMs: number
}

export interface Lanes {
  /**
   * Appends a call. Resolves once it is durable. Rejects with UnavailableError when it could not be appended or its
   * outcome could not be learned, and with FaultyCallError when the call itself cannot be decided or stored.
   */
  append(call: WriteCall): Promise<Committed>
}

/**
 * Queues the calls of this process, so that those that arrive while a transaction runs share the next one (group
 * commit). Companies take turns, one call each. Small calls of all companies share one lane: a statement costs much the
 * same for one row as for thirty. A company with a larger call goes to a lane of its own, with all that it sends, until
 * nothing of it is left there. A company that another process holds up, or that is still busy in the other lane, gets a
 * queue of its own until that is empty, so that it delays nobody else.
 *
 * A company may have at most a quarter of the calls and records that this process accepts. Its further calls wait in a
 * line of its own, and are refused if that line is full. Other companies do not notice.
 */
export function createLanes(given: LaneOptions): Lanes {
  const { lanes, maxRecordsPerCommit: maxWeight, maxWaiting, maxWaitMs, maxRecordsWaiting } = given
  const options: CommitOptions = { ...given, conflicts: createRecentConflicts() }
  const holderOf = ({ companyId }: WriteCall) => companyId
  const bounds: GatherBounds<WriteCall> = { maxWeight, maxWaitMs, weightOf, holderOf }
  const contended = createContended<WriteCall, Committed>((calls) => commitWaiting(options, calls), bounds, lanes)
  const createLane = () => gather<WriteCall, Committed>(commitFree, bounds)
  const shared = createLane()
  const largeLanes = Array.from({ length: lanes }, createLane)
  // A call keeps its records in memory until it is answered, so this limits their number and not just that of the
  // calls.
  const callsTaken = createBudget({ total: maxWaiting, maxWaiting, maxWaitMs })
  const recordsTaken = createBudget({ total: maxRecordsWaiting, maxWaiting, maxWaitMs })
  // The number of calls of a company in its own lane.
  const inOwnLane = new Map<string, number>()

  /** Commits the calls of companies that nobody holds up. The others get a queue of their own. */
  async function commitFree(calls: WriteCall[]): Promise<Promise<Committed>[]> {
    const outcomes = await commitBatch(options, calls, 'skip locked')
    return outcomes.map(async (outcome, at) => {
      if (outcome.status === 'rejected') throw outcome.reason
      return outcome.value === 'held' ? contended.submit(calls[at]!, calls[at]!.waitsUntil) : outcome.value
    })
  }

  async function submit(call: WriteCall): Promise<Committed> {
    const { companyId, waitsUntil } = call
    if (contended.has(companyId)) return contended.submit(call, waitsUntil)
    const before = inOwnLane.get(companyId) ?? 0
    if (before === 0 && isSmall(call)) return shared.submit(call, waitsUntil)
    inOwnLane.set(companyId, before + 1)
    try {
      return await largeLanes[laneOf(companyId, lanes)]!.submit(call, waitsUntil)
    } finally {
      const left = inOwnLane.get(companyId)! - 1
      if (left > 0) inOwnLane.set(companyId, left)
      else inOwnLane.delete(companyId)
    }
  }

  return {
    append: (call) =>
      callsTaken.hold(call.companyId, 1, call.waitsUntil, () =>
        recordsTaken.hold(call.companyId, weightOf(call), call.waitsUntil, () => submit(call)),
      ),
  }
}

/** Commits the calls of a company that another transaction holds up, once that transaction has ended. */
async function commitWaiting(options: CommitOptions, calls: WriteCall[]): Promise<Promise<Committed>[]> {
  const outcomes = await commitBatch(options, calls, 'wait')
  return outcomes.map(async (outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason
    // With `wait`, only a missing head is held.
    if (outcome.value === 'held') throw new UnavailableError('the company has no ledger')
    return outcome.value
  })
}

/** The last characters of a TypeID are random. */
function laneOf(companyId: string, lanes: number): number {
  let sum = 0
  for (let at = companyId.length - 8; at < companyId.length; at += 1) sum += companyId.charCodeAt(at)
  return sum % lanes
}
