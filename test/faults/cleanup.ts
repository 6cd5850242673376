/** What has to be done at the end of a run, last things first, whatever happened. */
export class Cleanup {
  readonly #steps: (() => unknown)[] = []

  add(step: () => unknown): void {
    this.#steps.push(step)
  }

  async run(): Promise<void> {
    for (const step of this.#steps.splice(0).toReversed()) await step()
  }
}
