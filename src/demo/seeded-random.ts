/** Numbers that look random and are the same on every run with the same seed. */
export interface SeededRandom {
  /** A whole number from 0 up to, and without, the limit. */
  below(limit: number): number
  /** True about so often, from 0 (never) to 1 (always). */
  chance(probability: number): boolean
  pick<Item>(items: readonly Item[]): Item
  /** So many different items, in random order; all of them when there are fewer. */
  sample<Item>(items: readonly Item[], count: number): Item[]
}

/** Makes a generator: Mulberry32 by Tommy Ettinger, in the public domain; good enough for invented people. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0
  function next(): number {
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
