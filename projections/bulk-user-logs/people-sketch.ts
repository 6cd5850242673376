/*
 * How many people there are, from digests of few of them. A sketch has the least digests of a set of people, in order,
 * one behind the other: up to 64 people they are all, and beyond, how small they are tells how many there must be (the k
 * minimum values, within about 12 %). Two sketches make that of both sets, so that nobody is counted twice.
 */

/** The bytes of a digest, and the most digests of a sketch. */
const [BYTES, MOST] = [8, 64]
export const MAX_SKETCH_BYTES = BYTES * MOST

/** Makes the sketch of several sketches, or of digests. */
export function mergeSketches(sketches: readonly Buffer[]): Buffer {
  const digests = new Set<string>()
  for (const sketch of sketches)
    for (let at = 0; at < sketch.length; at += BYTES) digests.add(sketch.toString('hex', at, at + BYTES))
  return Buffer.from([...digests].toSorted().slice(0, MOST).join(''), 'hex')
}

/** Counts the people of a sketch: exactly, or about. */
export function countPeople(sketch: Buffer): { count: number; isEstimate: boolean } {
  const kept = sketch.length / BYTES
  if (kept < MOST) return { count: kept, isEstimate: false }
  const largest = Number(sketch.readBigUInt64BE(sketch.length - BYTES)) / 2 ** 64
  return { count: Math.round((MOST - 1) / largest), isEstimate: true }
}
