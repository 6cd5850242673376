import { inCompany } from '#postgres/company-scope'
import { createBudget } from './budget.ts'
import { gather, type GatherBounds, type Gatherer } from './batcher.ts'

/** Queues for companies that another transaction holds up: each waits alone, and only a few run at once. */
interface Contended<Item, Answer> {
  /** Whether this company has a queue here. */
  has(companyId: string): boolean
  submit(item: Item, until?: number): Promise<Answer>
}

/**
 * Opens queues for contended companies. `work` may wait for a lock. Only `slots` queues run at once, so that they do
 * not use up the connections of other companies. An item that waits too long for a slot is rejected.
 */
export function createContended<Item extends { companyId: string }, Answer>(
  work: (items: Item[]) => Promise<(Answer | Promise<Answer>)[]>,
  bounds: GatherBounds<Item>,
  slots: number,
): Contended<Item, Answer> {
  const queues = new Map<string, Gatherer<Item, Answer>>()
  // One queue has one run at a time: there are no more requests than companies with a call.
  const running = createBudget({ total: slots, maxWaiting: Infinity, maxWaitMs: bounds.maxWaitMs })

  return {
    has: (companyId) => queues.has(companyId),
    submit(item, until) {
      const { companyId } = item
      const openQueue = queues.get(companyId)
      if (openQueue) return openQueue.submit(item, until)
      const runNext = (items: Item[]) =>
        running.hold(companyId, 1, undefined, () => inCompany(companyId, () => work(items)))
      const queue = gather<Item, Answer>(runNext, bounds)
      queues.set(companyId, queue)
      const answer = queue.submit(item, until)
      void queue.idle().then(() => queues.delete(companyId))
      return answer
    },
  }
}

/**
 * Runs `work` on batches of items that arrive together: of any number of companies, one batch after another, or of one
 * company each, side by side.
 */
export function gatherCompanies<Item extends { companyId: string }, Answer>(
  work: (items: Item[]) => Promise<(Answer | Promise<Answer>)[]>,
  bounds: GatherBounds<Item>,
  companiesTogether: number,
): (item: Item, until?: number) => Promise<Answer> {
  return (companiesTogether === 1 ? createContended(work, bounds, Infinity) : gather(work, bounds)).submit
}
