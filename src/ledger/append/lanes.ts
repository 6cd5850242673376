import { UnavailableError, type GatherBounds } from '#admission/batcher'
import { createBudget } from '#admission/budget'
import { createContended, gatherCompanies } from '#admission/contended'
import { isSmall, weightOf, type WriteCall } from '#domain/calls/commands'
import { commitBatch, type CommitOptions } from './commit-batch.ts'
import type { Committed } from './decide-next.ts'
import { UnchangedOnce } from './unchanged-once.ts'
import { createRecentConflicts } from './unchecked-creations.ts'

export interface LaneOptions extends Omit<CommitOptions, 'conflicts' | 'unchangedOnce'> {
  /**
   * The number of lanes for large calls, in addition to the lane that small calls share. As many companies that another
   * process holds up may also run at once.
   */
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
   * outcome could not be learned, and with UnstorableCallError when the call itself cannot be decided or stored.
   */
  append(call: WriteCall): Promise<Committed>
  /** Resolves once all calls have been answered. */
  idle(): Promise<void>
}

/**
 * Queues the calls of this process, so that those that arrive while a transaction runs share the next one (group
 * commit). Companies take turns, one call each, and delay nobody else. A company's calls wait in one of these:
 *
 *     shared     the lane of small calls of all companies. A statement costs much the same for one row as for thirty.
 *     large      one of the other lanes. The company sent a large call, and has calls there until all are answered.
 *     contended  a queue of its own. Another process or the other lane holds the company's head; once the queue is
 *                empty, the company's next call goes to one of the lanes again.
 *
 * A company moves from shared to large with a large call, and from either to contended when a transaction finds its
 * head held.
 *
 * A company may have at most a quarter of the calls and records that this process accepts. Its further calls wait in a
 * line of its own, and are refused if that line is full. Other companies do not notice.
 */
export function createLanes(given: LaneOptions): Lanes {
  const {
    lanes,
    companiesTogether = Infinity,
    maxRecordsPerCommit: maxWeight,
    maxWaiting,
    maxWaitMs,
    maxRecordsWaiting,
  } = given
  const options: CommitOptions = {
    ...given,
    conflicts: createRecentConflicts(),
    unchangedOnce: new UnchangedOnce(),
  }
  const holderOf = ({ companyId }: WriteCall) => companyId
  const bounds: GatherBounds<WriteCall> = { maxWeight, maxWaitMs, weightOf, holderOf }
  const contended = createContended<WriteCall, Committed>((calls) => commitWaiting(options, calls), bounds, lanes)
  const createLane = () => gatherCompanies<WriteCall, Committed>(commitFree, bounds, companiesTogether)
  const shared = createLane()
  const largeLanes = Array.from({ length: lanes }, createLane)
  // A call keeps its records in memory until it is answered, so this limits their number and not just that of the
  // calls.
  const callsTaken = createBudget({ total: maxWaiting, maxWaiting, maxWaitMs })
  const recordsTaken = createBudget({ total: maxRecordsWaiting, maxWaiting, maxWaitMs })
  /** The number of calls of a company in a large lane. */
  const largeCalls = new Map<string, number>()

  /** Commits the calls of companies that nobody holds up. The others get a queue of their own. */
  async function commitFree(calls: WriteCall[]): Promise<Promise<Committed>[]> {
    const outcomes = await commitBatch(options, calls, 'skip locked')
    return outcomes.map(async (outcome, at) => {
      if (outcome.status === 'rejected') throw outcome.reason
      return outcome.value === 'held' ? contended.submit(calls[at]!, calls[at]!.waitsUntil) : outcome.value
    })
  }

  async function submit(call: WriteCall): Promise<Committed> {
    if (contended.has(call.companyId)) return contended.submit(call, call.waitsUntil)
    const isShared = isSmall(call) && !largeCalls.has(call.companyId)
    return isShared ? shared(call, call.waitsUntil) : submitLarge(call)
  }

  async function submitLarge(call: WriteCall): Promise<Committed> {
    const { companyId, waitsUntil } = call
    largeCalls.set(companyId, (largeCalls.get(companyId) ?? 0) + 1)
    try {
      return await largeLanes[laneOf(companyId, lanes)]!(call, waitsUntil)
    } finally {
      const left = largeCalls.get(companyId)! - 1
      if (left > 0) largeCalls.set(companyId, left)
      else largeCalls.delete(companyId)
    }
  }

  const unanswered = new Set<Promise<unknown>>()
  return {
    async append(call) {
      const answer = callsTaken.hold(call.companyId, 1, call.waitsUntil, () =>
        recordsTaken.hold(call.companyId, weightOf(call), call.waitsUntil, () => submit(call)),
      )
      unanswered.add(answer)
      try {
        return await answer
      } finally {
        unanswered.delete(answer)
      }
    },
    async idle() {
      while (unanswered.size > 0) await Promise.allSettled(unanswered)
    },
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
function laneOf(companyId: string, lanes: number) {
  let sum = 0
  for (let at = companyId.length - 8; at < companyId.length; at += 1) sum += companyId.charCodeAt(at)
  return sum % lanes
}
