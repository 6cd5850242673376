import { randomUUID } from 'node:crypto'
import { fromUuid, type IdPrefix } from '../domain/ids.ts'

/** The largest value of the 12 bits that count. */
const MAX_COUNT = 0xfff

let [lastMs, time, count] = [0, '', 0]

/**
 * Makes an id: a TypeID with a UUIDv7 (RFC 9562, section 5.7). Ids of a process sort in the order in which they were
 * made: by the millisecond, and within it by a counter (section 6.2, method 1), which stops at 4,095.
 */
export function newId(prefix: IdPrefix): string {
  const now = Date.now()
  // Also while the clock is set back.
  if (now <= lastMs) count = Math.min(count + 1, MAX_COUNT)
  else {
    const hex = now.toString(16).padStart(12, '0')
    ;[lastMs, time, count] = [now, `${hex.slice(0, 8)}-${hex.slice(8)}`, 0]
  }
  // The last 62 bits of a UUIDv4 are random, too, and have the same variant before them.
  return fromUuid(prefix, `${time}-7${count.toString(16).padStart(3, '0')}${randomUUID().slice(18)}`)
}
