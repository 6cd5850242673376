const STEP_WITHIN_MS = 150_000

/** Steps to run at the end, last one first, whatever happened. It replaces a test's teardown outside of tests. */
export class Cleanup {
  readonly #steps: { name: string; step: () => unknown }[] = []

  #running: Promise<void> | null = null

  /** Adds a step. Throws once the steps run, so that whoever opens something stops there; its step runs, too. */
  teardown(step: () => unknown, name = 'a step'): void {
    this.#steps.push({ name, step })
    if (this.#running) throw new Error('everything ends')
  }

  /** Throws when a step fails or does not end, after all the others were done. Called again, it waits for the first. */
  run(): Promise<void> {
    this.#running ??= this.#runAll()
    return this.#running
  }

  async #runAll(): Promise<void> {
    const faults: unknown[] = []
    for (let last = this.#steps.pop(); last; last = this.#steps.pop())
      await bounded(last.name, last.step).catch((error: unknown) => faults.push(error))
    if (faults.length > 0) throw new AggregateError(faults, `the clean-up has failed: ${faults.map(String).join('; ')}`)
  }
}

async function bounded(name: string, step: () => unknown): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`${name} has not ended within ${STEP_WITHIN_MS} ms`)), STEP_WITHIN_MS)
  try {
    await Promise.race([step(), promise])
  } finally {
    clearTimeout(timer)
  }
}
