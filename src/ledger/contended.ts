import type { GatherBounds, Gatherer } from './gather.ts'
import { gather, UnavailableError } from './gather.ts'

/** Queues for companies that somebody else holds up: each waits alone, and no more than a few at once. */
export interface Contended<Item, Answer> {
  /** Whether items of this company wait here. */
  has(companyId: string): boolean
  submit(item: Item): Promise<Answer>
  idle(): Promise<void>
}

/**
 * Makes queues for contended companies. `work` may wait for what is held. Only `slots` of them run at once, so that
 * those who wait do not use up the connections of everybody else; who waits too long for a slot is turned away.
 */
export function openContended<Item extends { companyId: string }, Answer>(
  work: (items: Item[]) => Promise<(Answer | Promise<Answer>)[]>,
  bounds: GatherBounds<Item>,
  slots: number,
): Contended<Item, Answer> {
  const queues = new Map<string, Gatherer<Item, Answer>>()
  const { acquire, release } = openSlots(slots, bounds.maxWaitMs)

  async function workInSlot(items: Item[]): Promise<(Answer | Promise<Answer>)[]> {
    await acquire()
    try {
      return await work(items)
    } finally {
      release()
    }
  }

  return {
    has: (companyId) => queues.has(companyId),
    submit(item) {
      const known = queues.get(item.companyId)
      if (known) return known.submit(item)
      const queue = gather(workInSlot, bounds)
      queues.set(item.companyId, queue)
      const answer = queue.submit(item)
      void queue.idle().then(() => queues.delete(item.companyId))
      return answer
    },
    async idle() {
      for (const queue of queues.values()) await queue.idle()
    },
  }
}

/** A counting semaphore, first come first served. */
function openSlots(slots: number, maxWaitMs: number): { acquire(): Promise<void>; release(): void } {
  const waiting = new Set<() => void>()
  let free = slots
  return {
    acquire() {
      if (free > 0) {
        free -= 1
        return Promise.resolve()
      }
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(enter)
          reject(new UnavailableError('too many companies are held up'))
        }, maxWaitMs)
        const enter = () => {
          clearTimeout(timer)
          waiting.delete(enter)
          resolve()
        }
        waiting.add(enter)
      })
    },
    release() {
      const [next] = waiting
      // The slot passes from hand to hand.
      if (next) next()
      else free += 1
    },
  }
}
