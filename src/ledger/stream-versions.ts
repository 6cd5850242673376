/** The versions of the streams of a ledger: 1, 2, 3 … in each of them. */
export class StreamVersions {
  readonly #versions = new Map<string, number>()

  /** Takes the next event of a stream; the version it must have. */
  next(stream: string): number {
    const version = (this.#versions.get(stream) ?? 0) + 1
    this.#versions.set(stream, version)
    return version
  }
}
