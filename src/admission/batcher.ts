import { openFairQueue } from './fair-queue.ts'

/** The service cannot do this at the moment; a retry is safe. */
export class UnavailableError extends Error {
  override name: string = 'UnavailableError'
}

/** The line that a request waits in is full, or the wait was too long. */
export class NoTurnError extends UnavailableError {
  override name = 'NoTurnError'
}

export interface GatherBounds<Item> {
  /** Maximum weight of a batch; a heavier item runs alone. */
  maxWeight: number
  weightOf(item: Item): number
  /** The holder of an item. Holders take turns, one item each. Without it, all items have the same holder. */
  holderOf?(item: Item): string
  /** Whether items of different holders may share a batch. Default: true. */
  isShared?: boolean
  /** How long an item may wait for its batch, in milliseconds. */
  maxWaitMs: number
}

interface Waiting<Item, Answer> {
  item: Item
  holder: string
  /** Turns it away when it has waited too long. */
  timer: NodeJS.Timeout
  resolve(answer: Answer | Promise<Answer>): void
  reject(error: unknown): void
}

export interface Gatherer<Item, Answer> {
  /**
   * Hands an item to one of the next runs. Rejects with UnavailableError when it has waited too long: until `until`, by
   * `performance.now()`, where that is given. How many wait is for the caller to bound.
   */
  submit(item: Item, until?: number): Promise<Answer>
  /** Resolves once nothing waits and nothing runs. */
  idle(): Promise<void>
}

/**
 * Runs `work` on what arrived while the run before was under way: one round of work is shared by whoever waits. Where
 * more waits than a run takes on, its holders are served in turns, so that one with many items delays the single item
 * of another by no more than the run under way. The items of one holder stay in order.
 * `work` gives an answer, or the promise of one, for each item in order; when it throws, all of its items are rejected.
 */
export function gather<Item, Answer>(
  work: (items: Item[]) => Promise<(Answer | Promise<Answer>)[]>,
  bounds: GatherBounds<Item>,
): Gatherer<Item, Answer> {
  const queue = openFairQueue<Waiting<Item, Answer>>()
  let running: Promise<void> | undefined

  async function run(): Promise<void> {
    while (queue.size > 0) {
      const taken = takeRun()
      try {
        const answers = await work(taken.map(({ item }) => item))
        taken.forEach(({ resolve }, at) => resolve(answers[at]!))
      } catch (error) {
        for (const { reject } of taken) reject(error)
      }
    }
    running = undefined
  }

  /** Takes as many items as fit, of one holder alone where they do not share. */
  function takeRun(): Waiting<Item, Answer>[] {
    const { maxWeight, weightOf, isShared = true } = bounds
    const taken: Waiting<Item, Answer>[] = []
    let weight = 0
    for (let entry = queue.first(); entry; entry = queue.first()) {
      if (!isShared && taken[0] && taken[0].holder !== entry.holder) break
      weight += weightOf(entry.item)
      if (taken.length > 0 && weight > maxWeight) break
      clearTimeout(entry.timer)
      queue.take()
      taken.push(entry)
      if (isShared) queue.pass(entry.holder)
    }
    if (!isShared && taken[0]) queue.pass(taken[0].holder)
    return taken
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
        // Deferred by one turn, so that calls that arrive together go together.
        running ??= new Promise<void>((next) => setImmediate(next)).then(run)
      })
    },
    async idle() {
      for (let run = running; run; run = running) await run
    },
  }
}
