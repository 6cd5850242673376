/** Collects the steps of a command for its result, and prints each at once unless the result is printed as JSON. */
export function collectSteps(json = false) {
  const steps: string[] = []
  return {
    steps,
    /** Adds a step. */
    onStep(line: string): void {
      steps.push(line)
      if (!json) process.stdout.write(`${line}\n`)
    },
  }
}
