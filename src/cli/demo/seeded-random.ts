/** A pseudorandom generator that repeats its numbers for the same seed. */
export interface SeededRandom {
  /** A whole number from 0 (inclusive) to `limit` (exclusive). */
  below(limit: number): number
  /** True with this probability, from 0 to 1. */
  chance(probability: number): boolean
  pick<Item>(items: readonly Item[]): Item
  /** Up to `count` different items, in random order. */
  sample<Item>(items: readonly Item[], count: number): Item[]
}

/** Makes a Mulberry32 generator (Tommy Ettinger, public domain). Not for secrets. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0
  function next() {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    chance: (probability) => next() < probability,
    pick: (items) => items[below(items.length)]!,
    sample(items, count) {
      const rest = [...items]
      return Array.from({ length: Math.min(count, rest.length) }, () => rest.splice(below(rest.length), 1)[0]!)
    },
  }
}
