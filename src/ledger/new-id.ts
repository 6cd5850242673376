import { randomFillSync } from 'node:crypto'
import { TEN_BITS, type IdPrefix } from '#domain/ids'

/** The largest value of the 12 bits that count. */
const MAX_COUNT = 0xfff
const VERSION = 7
const VARIANT = 0b10

let [lastMs, time, count] = [0, '', 0]

/**
 * Makes an id: a TypeID with a UUIDv7 (RFC 9562, section 5.7). Ids of a process sort in the order in which they were
 * made: by the millisecond, and within it by a counter (section 6.2, method 1), which stops at 4,095.
 */
export function newId(prefix: IdPrefix): string {
  const now = Date.now()
  // Also while the clock is set back.
  if (now <= lastMs) count = Math.min(count + 1, MAX_COUNT)
  else [lastMs, time, count] = [now, formatTime(now), 0]
  const [high, low] = [drawWord(), drawWord()]
  // A text for every ten bits: the version, the count, the variant, and 62 random bits, of which `low` has 30.
  const middle = (VERSION << 16) | (count << 4) | (VARIANT << 2) | (high >>> 30)
  return `${prefix}_${time}${twenty(middle)}${thirty(high)}${thirty(low)}`
}

/** The 48 bits of a time in milliseconds, behind the two zero bits with which the suffix of a TypeID begins. */
function formatTime(ms: number) {
  return twenty(Math.floor(ms / 2 ** 30)) + thirty(ms)
}

/** The last 20 bits of a number in base 32. */
function twenty(bits: number) {
  return TEN_BITS[(bits >>> 10) & 0x3ff]! + TEN_BITS[bits & 0x3ff]!
}

/** The last 30 bits of a number in base 32. */
function thirty(bits: number) {
  return TEN_BITS[(bits >>> 20) & 0x3ff]! + twenty(bits)
}

/** Draws 32 random bits. They are drawn in batches, because a call for random bytes costs more than an id. */
function drawWord() {
  if (nextWord === words.length) {
    randomFillSync(words)
    nextWord = 0
  }
  return words[nextWord++]!
}

const words = new Uint32Array(1024)
let nextWord = words.length
