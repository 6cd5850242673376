/** The service cannot take this on for the moment; trying again later is safe. */
export class UnavailableError extends Error {
  override name = 'UnavailableError'
}

export interface GatherBounds<Item> {
  /** How much one run may take on; a heavier item goes alone. */
  maxWeight: number
  weightOf(item: Item): number
  /** Items of different groups do not share a run; without it all may. */
  groupOf?(item: Item): string
  /** How many items may wait. */
  maxWaiting: number
  /** How long an item may wait for its run, in milliseconds. */
  maxWaitMs: number
}

interface Waiting<Item, Answer> {
  item: Item
  /** Turns it away when it has waited too long. */
  timer: NodeJS.Timeout
  resolve(answer: Answer | Promise<Answer>): void
  reject(error: unknown): void
}

export interface Gatherer<Item, Answer> {
  /** Hands an item to the next run. Rejects with UnavailableError when too many wait or it waited too long. */
  submit(item: Item): Promise<Answer>
  /** Resolves once nothing waits and nothing runs. */
  idle(): Promise<void>
}

/**
 * Runs `work` on all that arrived while the run before was under way: one round of work is shared by whoever waits.
 * `work` gives an answer, or the promise of one, for each item in order; when it throws, all of its items are rejected.
 */
export function gather<Item, Answer>(
  work: (items: Item[]) => Promise<(Answer | Promise<Answer>)[]>,
  bounds: GatherBounds<Item>,
): Gatherer<Item, Answer> {
  const waiting = new Set<Waiting<Item, Answer>>()
  let running: Promise<void> | undefined

  async function run(): Promise<void> {
    while (waiting.size > 0) {
      const taken = take(waiting, bounds)
      try {
        const answers = await work(taken.map(({ item }) => item))
        taken.forEach(({ resolve }, at) => resolve(answers[at]!))
      } catch (error) {
        for (const { reject } of taken) reject(error)
      }
    }
    running = undefined
  }

  return {
    submit(item) {
      if (waiting.size >= bounds.maxWaiting) return Promise.reject(new UnavailableError('too many calls are waiting'))
      return new Promise((resolve, reject) => {
        const entry: Waiting<Item, Answer> = { item, resolve, reject, timer: setTimeout(turnAway, bounds.maxWaitMs) }
        function turnAway(): void {
          waiting.delete(entry)
          reject(new UnavailableError('the call waited too long for its turn'))
        }
        waiting.add(entry)
        // Deferred by one turn, so that calls that arrive together go together.
        running ??= new Promise<void>((next) => setImmediate(next)).then(run)
      })
    },
    async idle() {
      for (let run = running; run; run = running) await run
    },
  }
}

/** Takes as many as fit, from the one that has waited longest on, of its group alone where there are groups. */
function take<Item, Answer>(waiting: Set<Waiting<Item, Answer>>, bounds: GatherBounds<Item>): Waiting<Item, Answer>[] {
  const taken: Waiting<Item, Answer>[] = []
  let weight = 0
  for (const entry of waiting) {
    if (taken[0] && bounds.groupOf && bounds.groupOf(taken[0].item) !== bounds.groupOf(entry.item)) continue
    weight += bounds.weightOf(entry.item)
    if (taken.length > 0 && weight > bounds.maxWeight) break
    clearTimeout(entry.timer)
    waiting.delete(entry)
    taken.push(entry)
  }
  return taken
}
