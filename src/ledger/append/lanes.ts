import type { Pool } from 'pg'
import { openBudget } from '../../admission/budget.ts'
import { commitTogether, DecisionError } from './commit.ts'
import { isCausedByRecord, isRetryable } from '../../postgres/database-errors.ts'
import { openContended } from '../../admission/contended.ts'
import type { GatherBounds } from '../../admission/batcher.ts'
import { gather, UnavailableError } from '../../admission/batcher.ts'
import type { Committed, LedgerCall } from './ledger-call.ts'
import type { StoredCall } from './recent-events.ts'
import { settleOutcome, UnknownOutcomeError } from './settle-outcome.ts'
import { isOnShards, turnsOfCompanies } from '../../postgres/shards.ts'

export interface LaneOptions {
  /** Connections for appends; each statement that they run looks rows up by their keys. */
  pool: Pool
  /** How many transactions run side by side in this process beside the one that is shared by small calls. */
  lanes: number
  /** How much the calls that share one commit may weigh; a heavier call goes alone. */
  maxRecordsPerCommit: number
  /** How many calls this process takes on at once; as many again may wait to be taken on. */
  maxWaiting: number
  /** How much all calls that it has taken on may weigh together. */
  maxRecordsWaiting: number
  /** How long a call may wait for its turn, in milliseconds. */
  maxWaitMs: number
  /** Told after each commit which companies have new events. */
  onCommitted(companyIds: string[]): void
  /** Told what each transaction appended that is known to be committed. */
  onStored?(calls: StoredCall[]): void
  /** Told after each transaction how many calls shared it, with how many records, and how long it took. */
  onTransaction?(calls: number, records: number, seconds: number): void
  /** Told when a transaction of these calls begins; what it gives is told when that has ended, with its error or null. */
  onBegin?(calls: LedgerCall<unknown>[]): ((error: unknown) => void) | null
  /** Told of a call that could not be decided or stored through its own fault; its caller appends the failure. */
  onFault(error: unknown, call: LedgerCall<unknown>): void
}

/** A call brought on an error of its own; the calls beside it were not disturbed. Nothing of it was stored. */
export class FaultyCallError extends Error {
  override name = 'FaultyCallError'
}

export interface Lanes {
  /**
   * Appends a call. Resolves once it is durable. Rejects with UnavailableError when it could not be appended or its
   * outcome could not be learnt, and with FaultyCallError when the call itself cannot be decided or stored.
   */
  append<Answer>(call: LedgerCall<Answer>): Promise<Committed<Answer>>
  /** Resolves once all calls that were handed in are answered. */
  idle(): Promise<void>
}

type Call = LedgerCall<unknown>
type Answer = Committed<unknown>
type Wait = (call: Call) => Promise<Answer>

const PASSING_RETRIES = 3
/** A heavier call has a lane of its company's, where small calls of others do not wait for it. */
const SMALL_CALL_WEIGHT = 20

/**
 * Queues the calls of this process, so that those that arrive while a transaction runs share the next one. Companies
 * take turns, one call each. Small calls of all companies share one lane: a statement costs much the same for one row
 * as for thirty. A company with a larger call goes to a lane of its own, with all that it sends, until nothing of it is
 * left there. A company that another process holds up, or that is still busy in the other lane, gets a queue of its own
 * until that is empty, so that it waits alone and holds nobody up.
 *
 * No company may have more than a quarter of the calls and records that this process takes on. Beyond that its calls
 * wait in a line of its own, and beyond the bound of that line they are refused; other companies notice neither.
 */
export function openLanes(options: LaneOptions): Lanes {
  const { maxRecordsPerCommit: maxWeight, maxWaiting, maxWaitMs, maxRecordsWaiting } = options
  const bounds: GatherBounds<Call> = {
    maxWeight,
    maxWaitMs,
    weightOf: ({ weight }) => weight,
    ...turnsOfCompanies(options.pool),
  }
  const contended = openContended<Call, Answer>(
    (calls) => share(options, calls, true, waitAlone),
    bounds,
    options.lanes,
  )
  const openLane = () => gather<Call, Answer>((calls) => share(options, calls, false, waitAlone), bounds)
  const shared = openLane()
  const own = Array.from({ length: options.lanes }, openLane)
  // A call keeps its records until it is answered: what all of them hold together is bounded, not just their number.
  const callsTaken = openBudget({ total: maxWaiting, maxWaiting, maxWaitMs })
  const recordsTaken = openBudget({ total: maxRecordsWaiting, maxWaiting, maxWaitMs })
  const unanswered = new Set<Promise<unknown>>()
  function waitAlone(call: Call): Promise<Answer> {
    return contended.submit(call)
  }
  // How many calls of a company are in its own lane.
  const inOwnLane = new Map<string, number>()
  // A transaction that holds one company alone is not shared.
  const sharesSmallCalls = !isOnShards(options.pool)

  async function submit(call: Call, until: number): Promise<Answer> {
    const { companyId, weight } = call
    if (contended.has(companyId)) return contended.submit(call, until)
    const before = inOwnLane.get(companyId) ?? 0
    if (sharesSmallCalls && weight <= SMALL_CALL_WEIGHT && before === 0) return shared.submit(call, until)
    inOwnLane.set(companyId, before + 1)
    try {
      return await own[laneOf(companyId, options.lanes)]!.submit(call, until)
    } finally {
      const left = inOwnLane.get(companyId)! - 1
      if (left > 0) inOwnLane.set(companyId, left)
      else inOwnLane.delete(companyId)
    }
  }

  function admit(call: Call): Promise<Answer> {
    const { companyId, weight } = call
    const until = performance.now() + maxWaitMs
    return callsTaken.hold(companyId, 1, until, () =>
      recordsTaken.hold(companyId, weight, until, () => submit(call, until)),
    )
  }

  return {
    async append<Result>(call: LedgerCall<Result>) {
      const answer = admit(call) as Promise<Committed<Result>>
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

/** The last characters of a TypeID are random. */
function laneOf(companyId: string, lanes: number): number {
  let sum = 0
  for (let at = companyId.length - 8; at < companyId.length; at += 1) sum += companyId.charCodeAt(at)
  return sum % lanes
}

type Answers = (Answer | Promise<Answer>)[]

/** Commits calls together; if one of them is at fault, each alone, so that only the guilty one fails. */
async function share(options: LaneOptions, calls: Call[], wait: boolean, waitAlone: Wait): Promise<Answers> {
  try {
    const results = await commit(options, calls, wait)
    return results.map((result, at) => {
      if (result !== 'held') return result
      // Whoever waits for a head gets it, if there is one.
      if (wait) return Promise.reject(new UnavailableError('the company has no ledger'))
      return waitAlone(calls[at]!)
    })
  } catch (error) {
    if (!(error instanceof DecisionError) && !isCausedByRecord(error)) {
      throw new UnavailableError('the ledger could not be written', { cause: error })
    }
    if (calls.length === 1) {
      options.onFault(error, calls[0]!)
      throw new FaultyCallError('the call could not be stored', { cause: error })
    }
    return eachAlone(options, calls, wait, waitAlone)
  }
}

async function eachAlone(options: LaneOptions, calls: Call[], wait: boolean, waitAlone: Wait): Promise<Answers> {
  const answers: Answers = []
  for (const call of calls) {
    try {
      answers.push(...(await share(options, [call], wait, waitAlone)))
    } catch (error) {
      const refused = Promise.reject<Answer>(error)
      // Its caller hears of it once all are through.
      refused.catch(() => undefined)
      answers.push(refused)
    }
  }
  return answers
}

async function commit(options: LaneOptions, calls: Call[], wait: boolean): Promise<(Answer | 'held')[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const began = performance.now()
      const results = await commitOnce(options, calls, wait)
      options.onTransaction?.(
        calls.length,
        calls.reduce((sum, { records }) => sum + records, 0),
        (performance.now() - began) / 1_000,
      )
      options.onCommitted([
        ...new Set(calls.filter((_, at) => hasEvents(results[at]!)).map(({ companyId }) => companyId)),
      ])
      return results
    } catch (error) {
      if (!isRetryable(error) || attempt > PASSING_RETRIES) throw error
    }
  }
}

function hasEvents(result: Answer | 'held'): boolean {
  return result !== 'held' && result.position !== null
}

async function commitOnce(options: LaneOptions, calls: Call[], wait: boolean): Promise<(Answer | 'held')[]> {
  const end = options.onBegin?.(calls)
  try {
    const results = await commitOn(options, calls, wait)
    end?.(null)
    return results
  } catch (error) {
    end?.(error)
    throw error
  }
}

async function commitOn({ pool, onStored }: LaneOptions, calls: Call[], wait: boolean): Promise<(Answer | 'held')[]> {
  const client = await pool.connect()
  try {
    const results = await commitTogether(client, calls, wait, onStored)
    client.release()
    return results
  } catch (error) {
    // A connection on which anything went wrong is not used again.
    client.release(true)
    if (!(error instanceof UnknownOutcomeError)) throw error
    return settleOutcome(pool, error as UnknownOutcomeError<(Answer | 'held')[]>)
  }
}
