const STEP_WITHIN_MS = 150_000

/** Steps to run at the end, last one first, whatever happened. It replaces a test's teardown outside of tests. */
export class Cleanup {
  readonly #steps: { name: string; step: () => unknown }[] = []

  teardown(step: () => unknown, name = 'a step'): void {
    this.#steps.push({ name, step })
  }

  /** Throws when a step fails or does not end, after all the others were done. */
  async run(): Promise<void> {
    const faults: unknown[] = []
    for (const { name, step } of this.#steps.splice(0).toReversed())
      await bounded(name, step).catch((error: unknown) => faults.push(error))
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
