import t from 'tap'

type Step = () => unknown

let held: Step[] | undefined

/** Runs a step after all tests of this process, for what its files share. */
export function afterAll(step: Step): void {
  if (held) held.push(step)
  else t.teardown(step)
}

/** Holds these steps back while several files run. Returns a function that runs them, the last one first. */
export function holdBack(): () => Promise<void> {
  const steps: Step[] = (held = [])
  return async () => {
    for (const step of steps.toReversed()) await step()
  }
}
