import { FairQueue } from './fair-queue.ts'
import { NoTurnError } from './batcher.ts'

export interface BudgetBounds {
  /** How much all holders may have together; no limit unless it is given. */
  total?: number
  /** How much one holder may have; a quarter of the total unless it is given. A larger amount counts as this much. */
  share?: number
  /** How many requests may wait in all; those of one holder may be a quarter of them. None unless it is given. */
  maxWaiting?: number
  /** How long a request may wait, in milliseconds. */
  maxWaitMs?: number
}

/** A bounded resource that holders share, such as bytes of memory or places in a queue. */
export interface Budget {
  /** Takes an amount for a holder, if there is room. Returns the function that releases it, or null; never waits. */
  tryAcquire(holder: string, amount: number): (() => void) | null
  /**
   * Takes an amount for a holder. Resolves with the function that releases it; call it once. Without room, the request
   * waits in the holder's own line until `until` (by `performance.now()`). Rejects with NoTurnError when the wait
   * was too long or too many requests wait.
   */
  acquire(holder: string, amount: number, until?: number): Promise<() => void>
  /** Runs a task that has an amount for as long as it runs. */
  hold<Result>(holder: string, amount: number, until: number | undefined, task: () => Promise<Result>): Promise<Result>
}

interface Waiter {
  holder: string
  amount: number
  timer: NodeJS.Timeout
  resolve(release: () => void): void
}

/** A quarter: the share of a company in anything that companies share. */
export function quarterOf(total: number): number {
  return Math.max(1, Math.floor(total / 4))
}

/**
 * Opens a budget: a counting semaphore with weights and fair turns. A holder that exceeds its share waits for its own
 * releases and takes no turn of others. Holders that wait for the total are served in turns, one request each, and
 * nobody overtakes the first, so that small requests do not starve a large one.
 */
export function createBudget({
  total = Infinity,
  share = quarterOf(total),
  maxWaiting = 0,
  maxWaitMs = 0,
}: BudgetBounds): Budget {
  const queue = new FairQueue<Waiter>()
  const held = new Map<string, number>()
  let heldByAll = 0

  const isWithinShare = (holder: string, amount: number) => (held.get(holder) ?? 0) + amount <= share
  const isWithinTotal = (amount: number) => heldByAll + amount <= total

  function take(holder: string, amount: number) {
    held.set(holder, (held.get(holder) ?? 0) + amount)
    heldByAll += amount
    return () => {
      const left = held.get(holder)! - amount
      if (left > 0) held.set(holder, left)
      else held.delete(holder)
      heldByAll -= amount
      queue.resume(holder)
      serve()
    }
  }

  function serve() {
    for (let waiter = queue.first(); waiter; waiter = queue.first()) {
      const { holder, amount, timer, resolve } = waiter
      if (!isWithinShare(holder, amount)) {
        queue.setAside(holder)
        continue
      }
      if (!isWithinTotal(amount)) return
      clearTimeout(timer)
      queue.take()
      queue.pass(holder)
      resolve(take(holder, amount))
    }
  }

  function tryAcquire(holder: string, requested: number) {
    const amount = Math.min(requested, share)
    const isFirst = queue.lengthOf(holder) === 0 && queue.first() === undefined
    return isFirst && isWithinShare(holder, amount) && isWithinTotal(amount) ? take(holder, amount) : null
  }

  function acquire(holder: string, requested: number, until = performance.now() + maxWaitMs): Promise<() => void> {
    const release = tryAcquire(holder, requested)
    if (release) return Promise.resolve(release)
    const amount = Math.min(requested, share)
    if (queue.size >= maxWaiting || queue.lengthOf(holder) >= quarterOf(maxWaiting)) {
      return Promise.reject(new NoTurnError('too many requests are waiting'))
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => {
          leave()
          reject(new NoTurnError('the request waited too long for its turn'))
          // What waits behind it may need less.
          queue.resume(holder)
          serve()
        },
        Math.max(0, until - performance.now()),
      )
      const leave = queue.push(holder, { holder, amount, timer, resolve })
      serve()
    })
  }

  return {
    tryAcquire,
    acquire,
    async hold(holder, amount, until, task) {
      const release = await acquire(holder, amount, until)
      try {
        return await task()
      } finally {
        release()
      }
    },
  }
}
