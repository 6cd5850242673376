import { setTimeout as pause } from 'node:timers/promises'
import { createBudget } from '#admission/budget'
import { problem } from '#domain/errors'
import { readProgress, readReached } from '#ledger/read/read-progress'
import type { LedgerDb } from '#ledger/tables'
import { createCompanyWatch } from './company-watch.ts'
import { ProblemError } from '../server/problem.ts'

/** How long a call waits, in milliseconds. */
const WAIT_MS = 10_000
const POLL_MS = 20
/** How many calls of one company may wait in this process. */
const MAX_WAITING = 200

interface WaitOptions {
  waitMs?: number
  /** How many calls of a company may wait. */
  maxWaiting?: number
  companiesTogether?: number | undefined
}

/**
 * Lets calls wait until a read model has folded a position, or the head as they arrive, so that a client reads its own write. One query serves all
 * waiting calls. Resolves once the position is reached. Throws a ProblemError with `invalid_query` for a position beyond
 * the head, and with `unavailable` after 10 s, or at once if too many calls of the company wait. Calls `onError` when
 * the query fails; it is repeated.
 */
export function createPositionWaits(
  db: LedgerDb,
  projection: { name: string; version: number },
  onError: (error: unknown) => void,
  { waitMs = WAIT_MS, maxWaiting = MAX_WAITING, companiesTogether }: WaitOptions = {},
): (companyId: string, position: number | 'head') => Promise<number> {
  const watch = createCompanyWatch((companyIds) => readReached(db, companyIds, projection), {
    intervalMs: POLL_MS,
    onError,
    companiesTogether,
  })
  const waiting = createBudget({ share: maxWaiting })

  async function waitInLine(companyId: string, position: number): Promise<void> {
    const { promise: isReached, resolve } = Promise.withResolvers<true>()
    const stop = watch.listen(companyId, (reached) => {
      if (reached >= position) resolve(true)
    })
    const end = new AbortController()
    try {
      const tooLate = pause(waitMs, false, { signal: end.signal, ref: false }).catch(() => false)
      if (!(await Promise.race([isReached, tooLate]))) throw late()
    } finally {
      stop()
      end.abort()
    }
  }

  return async (companyId, wanted) => {
    const { head, reached } = await readProgress(db, companyId, projection)
    const position = wanted === 'head' ? head : wanted
    if (position > head) {
      throw new ProblemError(problem('invalid_query', 'The query parameter min_position is beyond the last position'))
    }
    if (reached >= position) return position
    const release = waiting.tryAcquire(companyId, 1)
    if (!release) throw late()
    try {
      await waitInLine(companyId, position)
      return position
    } finally {
      release()
    }
  }
}

function late(): ProblemError {
  return new ProblemError(problem('unavailable', 'The read model has not reached this position yet; try again'))
}
