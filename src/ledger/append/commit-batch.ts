import type { Pool } from 'pg'
import { UnavailableError } from '#admission/batcher'
import type { WriteCall } from '#domain/calls/commands'
import { isCausedByData, isRetryable } from '#postgres/database-errors'
import { withClient, type WhenLocked } from '#postgres/pool'
import type { EmployeeCache } from './employee-cache.ts'
import { findUncheckedCreations, isNameTaken, type RecentConflicts } from './unchecked-creations.ts'
import { commitTogether } from './commit.ts'
import { DecisionError, type Committed } from './decide-next.ts'
import type { StoredCall } from './recent-events.ts'
import { registerOf } from './actor-clients.ts'
import type { UnchangedOnce } from './unchanged-once.ts'
import { settleOutcome, UnknownOutcomeError } from './settle-outcome.ts'

export interface CommitOptions {
  /** Connections for appends; each statement that they run looks rows up by their keys. */
  pool: Pool
  /** How many companies may share a transaction. Default: any number. */
  companiesTogether?: number
  /** Employees of earlier calls, to decide on without loading them. */
  cache: EmployeeCache
  /** Companies whose creations load employees first. */
  conflicts: RecentConflicts
  /** The records that have changed nothing once. */
  unchangedOnce: UnchangedOnce
  /** Called after each commit with the companies that have new events. */
  onCommitted(companyIds: string[]): void
  /** Called with what a transaction appended, once it is known to be committed. */
  onStored?(calls: StoredCall[]): void
  /** Called after each transaction with the number of its calls and records, and how long it took. */
  onTransaction?(calls: number, records: number, seconds: number): void
  /** Called with the error of each transaction that failed. */
  onFailed?(error: unknown): void
  /** Called when a transaction begins. The function that it returns is called at the end, with the error or null. */
  onBegin?(calls: WriteCall[]): ((error: unknown) => void) | null
  /** Called for a call that cannot be decided or stored, with the error; its caller appends it as failed. */
  onUnstorable(error: unknown, call: WriteCall): void
}

/** This call cannot be decided or stored. Nothing of it was stored, and the calls beside it were not affected. */
export class UnstorableCallError extends Error {
  override name = 'UnstorableCallError'
}

const MAX_RETRIES = 3
const NOBODY: ReadonlySet<WriteCall> = new Set()

/**
 * Commits calls in one transaction and gives the outcome of each. `held` marks calls of a company whose head another
 * transaction holds; with `wait`, the transaction waits for it instead. If a call cannot be stored, the calls are
 * split in halves until it is alone, so that only this call fails.
 */
export async function commitBatch(
  options: CommitOptions,
  calls: WriteCall[],
  whenLocked: WhenLocked,
): Promise<PromiseSettledResult<Committed | 'held'>[]> {
  try {
    const results = await commitWithRetries(options, calls, whenLocked)
    return results.map((value) => ({ status: 'fulfilled', value }))
  } catch (error) {
    const isUnstorable = error instanceof DecisionError || isCausedByData(error)
    if (isUnstorable && calls.length > 1) {
      const middle = calls.length >> 1
      // One after the other, because the calls of a company stay in order.
      const first = await commitBatch(options, calls.slice(0, middle), whenLocked)
      return [...first, ...(await commitBatch(options, calls.slice(middle), whenLocked))]
    }
    if (isUnstorable) options.onUnstorable(error, calls[0]!)
    const reason = isUnstorable
      ? new UnstorableCallError('the call could not be stored', { cause: error })
      : unavailable(error)
    return calls.map(() => ({ status: 'rejected', reason }))
  }
}

function unavailable(error: unknown) {
  if (error instanceof UnavailableError) return error
  return new UnavailableError('the ledger could not be written', { cause: error })
}

async function commitWithRetries(
  options: CommitOptions,
  calls: WriteCall[],
  whenLocked: WhenLocked,
): Promise<(Committed | 'held')[]> {
  let unchecked = findUncheckedCreations(calls, options.conflicts)
  for (let attempt = 1; ; attempt += 1) {
    const began = performance.now()
    const end = options.onBegin?.(calls)
    try {
      const results = await commitOnConnection(options, calls, { whenLocked, unchecked })
      end?.(null)
      const records = calls.reduce((sum, { command }) => sum + command.count, 0)
      options.onTransaction?.(calls.length, records, (performance.now() - began) / 1_000)
      const changed = calls.filter((_, at) => hasEvents(results[at]!)).map(({ companyId }) => companyId)
      options.onCommitted([...new Set(changed)])
      return results
    } catch (error) {
      end?.(error)
      options.onFailed?.(error)
      const isTaken = unchecked.size > 0 && isNameTaken(error)
      if (isTaken) for (const { companyId } of unchecked) options.conflicts.set(companyId, true)
      else if (!isRetryable(error) || attempt > MAX_RETRIES) throw error
      // A machine of a cluster hides which constraint another one refused.
      unchecked = NOBODY
    }
  }
}

function hasEvents(result: Committed | 'held') {
  return result !== 'held' && result.position !== null
}

async function commitOnConnection(
  { pool, cache, onStored, unchangedOnce, companiesTogether }: CommitOptions,
  calls: WriteCall[],
  options: { whenLocked: WhenLocked; unchecked: ReadonlySet<WriteCall> },
): Promise<(Committed | 'held')[]> {
  const clients = registerOf(pool)
  try {
    const shared = { cache, onStored, clients, unchangedOnce, companiesTogether }
    return await withClient(pool, (client) => commitTogether(client, calls, { ...options, ...shared }))
  } catch (error) {
    if (!(error instanceof UnknownOutcomeError)) throw error
    return settleOutcome(pool, error as UnknownOutcomeError<(Committed | 'held')[]>)
  }
}
