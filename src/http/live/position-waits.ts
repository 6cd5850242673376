import { setTimeout as pause } from 'node:timers/promises'
import { createBudget } from '#admission/budget'
import { readProgress, readReached } from '#ledger/read/read-progress'
import type { LedgerDb } from '#ledger/tables'
import { problemError } from '#http/server/problem'
import { divide } from '#domain/pieces'
import { inCompany, outsideCompany } from '#postgres/company-scope'

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

  async function waitInLine(companyId: string, position: number) {
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
      throw problemError('invalid_query', 'The query parameter min_position is beyond the last position')
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

function late() {
  return problemError('unavailable', 'The read model has not reached this position yet; try again')
}

/** Notifies listeners when a company's position moves. Shared by all listeners of a process. */
interface CompanyWatch {
  /** Calls back with the company's position: once soon, then whenever it moves. Returns a function to stop listening. */
  listen(companyId: string, onMoved: (position: number) => void): () => void
}

interface CompanyWatchOptions {
  intervalMs: number
  onError(error: unknown): void
  /** How many companies are read, and fail, together. Default: any number. */
  companiesTogether?: number | undefined
}

/**
 * Watches a position of each company, whichever process moves it, by polling with one small query for all companies
 * that have listeners. Does not poll while there are none.
 */
export function createCompanyWatch(
  readReached: (companyIds: string[]) => Promise<Map<string, number>>,
  { intervalMs, onError, companiesTogether = Infinity }: CompanyWatchOptions,
): CompanyWatch {
  const listeners = new Map<string, Set<(position: number) => void>>()
  const reached = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined

  async function poll() {
    // The last listener may have left since the timer was set.
    await Promise.all(
      divide([...listeners.keys()], companiesTogether).map((companyIds) => pollTogether(companyIds).catch(onError)),
    )
    timer = undefined
    schedule()
  }

  async function pollTogether(companyIds: string[]) {
    const positions = await inCompany(companyIds[0]!, () => readReached(companyIds))
    for (const [companyId, position] of positions) {
      if (reached.get(companyId) === position) continue
      reached.set(companyId, position)
      for (const onMoved of listeners.get(companyId) ?? []) onMoved(position)
    }
  }

  function schedule() {
    if (listeners.size > 0) timer ??= outsideCompany(() => setTimeout(() => void poll(), intervalMs).unref())
  }

  return {
    listen(companyId, onMoved) {
      const group = listeners.get(companyId) ?? new Set()
      listeners.set(companyId, group.add(onMoved))
      // A new listener must be told the current position.
      reached.delete(companyId)
      schedule()
      return () => {
        group.delete(onMoved)
        if (group.size > 0 || listeners.get(companyId) !== group) return
        listeners.delete(companyId)
        reached.delete(companyId)
      }
    },
  }
}
