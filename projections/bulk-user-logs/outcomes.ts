import type { RecordEventType } from '#domain/event-types'
import type { RecordedEvent } from '#domain/events'

/*
 * The outcomes of a call: one byte for each of its records, in the order of the call, with a flag for each event of the
 * record. The events of a call are in the order of its records, so these bytes and the position of the first event give
 * the positions of all of them. In a completed call, 0 is a record that changed nothing; some records may be refused.
 */

const FLAGS = {
  EmployeeCreated: 1,
  EmployeeUpdated: 2,
  EmployeeDeactivated: 4,
  EmployeeReactivated: 8,
  EmployeeRecordRejected: 16,
  EmployeeDeprovisioned: 32,
} as const satisfies Record<RecordEventType, number>

/** The status of a record that was applied to an employee who existed. */
export type RecordStatus = 'Synced' | 'No Updates' | 'Reactivated' | 'Deactivated'

/** A record of a call, and where its events are. */
export interface PlacedRecord {
  index: number
  /** Null for a created employee or a refused record. */
  status: RecordStatus | null
  isRefused: boolean
  /** The positions of its first and last event; null if there are none. */
  first: number | null
  last: number | null
  /** Its number among the records that changed nothing, from 0; null if it did. */
  unchangedAt: number | null
}

/** Adds the flags of events. Throws if the events are not in the order of the call's records. */
export function markOutcomes(outcomes: Buffer, events: readonly RecordedEvent[]) {
  let last = 0
  for (const { type, index, position } of events) {
    const flag = (FLAGS as Readonly<Record<string, number>>)[type]
    if (flag === undefined) continue
    if (index === null || index < last || index >= outcomes.length || (outcomes[index]! & flag) !== 0)
      throw new Error(`the event at position ${position} is not in the order of its call's records`)
    outcomes[index]! |= flag
    last = index
  }
}

/** The records of a call whose first event is at a position. Of a failed call, only those that were refused. */
export function placeRecords(outcomes: Uint8Array, firstPosition: number, isFailed: boolean): PlacedRecord[] {
  const records: PlacedRecord[] = []
  let next = firstPosition
  let unchanged = 0
  for (const [index, flags] of outcomes.entries()) {
    const status = getStatus(flags)
    const isRefused = (flags & FLAGS.EmployeeRecordRejected) !== 0
    if (flags !== 0) {
      const first = next
      next += countEvents(flags)
      records.push({ index, status, isRefused, first, last: next - 1, unchangedAt: null })
    } else if (!isFailed) {
      records.push({ index, status, isRefused, first: null, last: null, unchangedAt: unchanged })
      unchanged += 1
    }
  }
  return records
}

function countEvents(flags: number) {
  let count = 0
  for (let rest = flags; rest !== 0; rest >>= 1) count += rest & 1
  return count
}

/** A change of the employee's status takes precedence over other changes. */
function getStatus(flags: number): RecordStatus | null {
  if (flags === 0) return 'No Updates'
  if (flags & (FLAGS.EmployeeDeactivated | FLAGS.EmployeeDeprovisioned)) return 'Deactivated'
  if (flags & FLAGS.EmployeeReactivated) return 'Reactivated'
  return flags & FLAGS.EmployeeUpdated ? 'Synced' : null
}
