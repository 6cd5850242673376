import { FairQueue } from './fair-queue.ts'

/** The service cannot do this at the moment. A retry is safe. */
export class UnavailableError extends Error {
  override name: string = 'UnavailableError'
}

/** The line that a request would wait in is full, or the wait was too long. */
export class NoTurnError extends UnavailableError {
  override name = 'NoTurnError'
}

export interface GatherBounds<Item> {
  /** Maximum weight of a batch; a heavier item runs alone. */
  maxWeight: number
  weightOf(item: Item): number
  /** The holder of an item. Holders take turns, one item each. Without it, all items have the same holder. */
  holderOf?(item: Item): string
  /** How long an item may wait for its batch, in milliseconds. */
  maxWaitMs: number
}

interface Waiting<Item, Answer> {
  item: Item
  holder: string
  /** Rejects it when it has waited too long. */
  timer: NodeJS.Timeout
  resolve(answer: Answer | Promise<Answer>): void
  reject(error: unknown): void
}

export interface Gatherer<Item, Answer> {
  /**
   * Adds an item to one of the next batches. Rejects with NoTurnError if it waits beyond `until` (by
   * `performance.now()`), or beyond `maxWaitMs` without it. The caller limits how many items wait.
   */
  submit(item: Item, until?: number): Promise<Answer>
  /** Resolves once no item waits and no batch runs. */
  idle(): Promise<void>
}

/**
 * Runs `work` on batches: on the items that arrived while the previous batch was running. If more items wait than a
 * batch takes, their holders take turns, so that a holder with many items delays the single item of another by the
 * running batch at most. The items of one holder stay in order. `work` returns an answer, or a promise of one, for each
 * item in order; if it throws, all of its items are rejected.
 */
export function gather<Item, Answer>(
  work: (items: Item[]) => Promise<(Answer | Promise<Answer>)[]>,
  bounds: GatherBounds<Item>,
): Gatherer<Item, Answer> {
  const queue = new FairQueue<Waiting<Item, Answer>>()
  let running: Promise<void> | undefined

  async function run() {
    while (queue.size > 0) {
      const batch = takeRun()
      try {
        const answers = await work(batch.map(({ item }) => item))
        batch.forEach(({ resolve }, at) => resolve(answers[at]!))
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    running = undefined
  }

  /** Takes as many items as fit. */
  function takeRun() {
    const { maxWeight, weightOf } = bounds
    const run: Waiting<Item, Answer>[] = []
    let weight = 0
    for (let entry = queue.first(); entry; entry = queue.first()) {
      weight += weightOf(entry.item)
      if (run.length > 0 && weight > maxWeight) break
      clearTimeout(entry.timer)
      queue.take()
      run.push(entry)
      queue.pass(entry.holder)
    }
    return run
  }

  return {
    submit(item, until = performance.now() + bounds.maxWaitMs) {
      return new Promise((resolve, reject) => {
        const holder = bounds.holderOf?.(item) ?? ''
        const timer = setTimeout(
          () => {
            leave()
            reject(new NoTurnError('the call waited too long for its turn'))
          },
          Math.max(0, until - performance.now()),
        )
        const leave = queue.push(holder, { item, holder, resolve, reject, timer })
        // Deferred by one turn of the event loop, so that items that arrive together share a batch.
        running ??= new Promise<void>((next) => setImmediate(next)).then(run)
      })
    },
    async idle() {
      for (let run = running; run; run = running) await run
    },
  }
}
