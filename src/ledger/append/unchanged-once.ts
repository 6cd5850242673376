/*
 * The records that have changed nothing once, by their digests. Somebody may never send such a record again, and to
 * store its digest costs as much as the rest of it. So that is done when the record changes nothing again, and until
 * then this process remembers it. A process that has forgotten it starts again, and so does another one.
 */

/** How many are remembered, of all companies together, in 4 bytes each. */
const SLOTS = 2 ** 20
/** The digits of a number of 32 bits in base 16. */
const DIGITS = 8

/** Each digest has a place, where the next one with that place replaces it: whatever is sent, some of it is remembered. */
export class UnchangedOnce {
  readonly #slots: Uint32Array

  constructor(slots = SLOTS) {
    this.#slots = new Uint32Array(slots)
  }

  /** Whether the record with this digest (base 16) has changed nothing before. Remembers it from now on. */
  isAgain(digest: string): boolean {
    const at = Number.parseInt(digest.slice(0, DIGITS), 16) % this.#slots.length
    const rest = Number.parseInt(digest.slice(DIGITS, 2 * DIGITS), 16)
    const isKnown = this.#slots[at] === rest
    this.#slots[at] = rest
    return isKnown
  }
}
