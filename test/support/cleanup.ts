/** What has to be done at the end of a run, last things first, whatever happened: a test's teardown where there is no test. */
export class Cleanup {
  readonly #steps: (() => unknown)[] = []

  teardown(step: () => unknown): void {
    this.#steps.push(step)
  }

  async run(): Promise<void> {
    for (const step of this.#steps.splice(0).toReversed()) await step()
  }
}
