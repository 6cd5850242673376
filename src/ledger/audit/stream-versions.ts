import { hash } from 'node:crypto'

/** 32-bit words per entry: four that identify a stream, and one for its version. */
const WORDS = 5
const FIRST_CAPACITY = 1024

/**
 * Tracks the version of each stream of a ledger. It is a hash table in one typed array, because a ledger may have
 * millions of streams, and a Map would take several times the memory.
 */
export class StreamVersions {
  #table = new Uint32Array(WORDS * FIRST_CAPACITY)
  #count = 0

  /** Records the next event of a stream. Returns the version that it must have. */
  next(stream: string): number {
    const digest = hash('sha256', stream, 'buffer')
    const key = [0, 4, 8, 12].map((at) => digest.readUInt32LE(at))
    const at = findSlot(this.#table, key)
    const version = this.#table[at + WORDS - 1]! + 1
    this.#table.set([...key, version], at)
    if (version === 1) this.#count += 1
    // At most half full, so that probing stays short.
    if (this.#count * 2 * WORDS > this.#table.length) this.#grow()
    return version
  }

  #grow() {
    const larger = new Uint32Array(2 * this.#table.length)
    for (let from = 0; from < this.#table.length; from += WORDS) {
      const entry = this.#table.subarray(from, from + WORDS)
      if (entry[WORDS - 1] !== 0) larger.set(entry, findSlot(larger, entry))
    }
    this.#table = larger
  }
}

/** The offset of a stream's entry, or of the free slot where it belongs. */
function findSlot(table: Uint32Array, key: ArrayLike<number>) {
  const capacity = table.length / WORDS
  for (let slot = key[0]! % capacity; ; slot = (slot + 1) % capacity) {
    const at = slot * WORDS
    const isFree = table[at + WORDS - 1] === 0
    if (
      isFree ||
      (table[at] === key[0] && table[at + 1] === key[1] && table[at + 2] === key[2] && table[at + 3] === key[3])
    )
      return at
  }
}
