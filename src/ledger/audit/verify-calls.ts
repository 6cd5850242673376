import type { CallCounts, EventType, Operation } from '../../domain/events.ts'
import { assertValid } from './verify-fault.ts'
import type { ExportedEvent } from './verify-line.ts'
import { isCount, parse } from './verify-line.ts'

/** What the events of one call have come to so far. */
interface OpenCall {
  id: string
  created: Set<number>
  /** By the index of the record: whether it was deactivated. */
  updated: Map<number, boolean>
  rejected: Set<number>
}

/** Types of events that stand in a call, and nowhere else. */
const OF_CALLS = new Set<EventType>([
  'EmployeeCreated',
  'EmployeeUpdated',
  'EmployeeDeactivated',
  'EmployeeReactivated',
  'EmployeeRecordRejected',
  'ApiCallCompleted',
  'ApiCallFailed',
])

/**
 * Watches over the calls of a ledger: the events of each stand next to each other, its last one closes it, and the
 * counts there are those of its events.
 */
export class CallChecker {
  #open: OpenCall | null = null
  /** Calls that were closed so far. */
  closed = 0

  /** Takes the next event. Throws a LedgerFault when it does not fit. */
  take(event: ExportedEvent): void {
    const { position, call_id: callId, type } = event
    const open = this.#open
    assertValid(open === null || callId === open.id, position, `the call ${open?.id} is not closed`)
    assertValid(
      (callId !== null) === OF_CALLS.has(type as EventType),
      position,
      `${type} stands ${callId === null ? 'outside of any call' : 'in a call'}`,
    )
    if (callId === null) return
    this.#open = open ?? { id: callId, created: new Set(), updated: new Map(), rejected: new Set() }
    if (type === 'ApiCallCompleted' || type === 'ApiCallFailed') this.#close(event, this.#open)
    else addRecord(event, this.#open)
  }

  /** The ledger ends here. Throws a LedgerFault when a call is still open. */
  end(position: number): void {
    assertValid(this.#open === null, position, `the call ${this.#open?.id} is not closed`)
  }

  #close(event: ExportedEvent, call: OpenCall): void {
    const { position, type } = event
    // A call that was closed before has a closing event in its stream already.
    assertValid(
      event.stream === call.id && event.version === call.rejected.size + 1,
      position,
      'the call is not closed exactly once',
    )
    const data = readClosing(event)
    const counts = type === 'ApiCallCompleted' ? countCompleted(call, data) : countFailed(call, data)
    assertValid(
      counts !== null && sameCounts(counts, data.counts),
      position,
      'the counts of the call are not those of its events',
    )
    this.#open = null
    this.closed += 1
  }
}

function addRecord({ position, type, index, stream }: ExportedEvent, call: OpenCall): void {
  assertValid(index !== null, position, 'the event names no record of its call')
  const isNew = !call.created.has(index) && !call.rejected.has(index)
  if (type === 'EmployeeCreated' || type === 'EmployeeRecordRejected') {
    assertValid(isNew && !call.updated.has(index), position, 'a record of the call stands in it twice')
    assertValid(type === 'EmployeeCreated' || stream === call.id, position, 'the stream is not that of the call')
    if (type === 'EmployeeCreated') call.created.add(index)
    else call.rejected.add(index)
  } else {
    assertValid(isNew, position, 'a record of the call stands in it twice')
    call.updated.set(index, call.updated.get(index) === true || type === 'EmployeeDeactivated')
  }
}

interface Closing {
  operation: Operation
  counts: CallCounts
  /** Indexes of the records that changed nothing. */
  unchanged: number[]
}

const OPERATIONS: readonly unknown[] = ['create', 'update_one', 'update_many'] satisfies Operation[]

function readClosing({ position, type, data }: ExportedEvent): Closing {
  const { operation, counts, unchanged } = (parse(data!) ?? {}) as Partial<Record<keyof Closing, unknown>>
  const indexes = type === 'ApiCallFailed' ? [] : indexesOf(unchanged)
  assertValid(
    OPERATIONS.includes(operation) && isCounts(counts) && indexes !== null,
    position,
    `the data of ${type} are not of its schema`,
  )
  return { operation: operation as Operation, counts, unchanged: indexes }
}

function indexesOf(unchanged: unknown): number[] | null {
  if (!Array.isArray(unchanged)) return null
  const indexes = unchanged.map((record: unknown) => (record as { index?: unknown } | null)?.index)
  return indexes.every(isCount) ? indexes : null
}

const COUNTS = ['total', 'updated', 'deactivated', 'failed', 'no_updates'] satisfies (keyof CallCounts)[]

function isCounts(value: unknown): value is CallCounts {
  const counts = value as Record<string, unknown> | null | undefined
  return typeof counts === 'object' && counts !== null && COUNTS.every((name) => isCount(counts[name]))
}

function sameCounts(a: CallCounts, b: CallCounts): boolean {
  return COUNTS.every((name) => a[name] === b[name])
}

const NONE: CallCounts = { total: 0, updated: 0, deactivated: 0, failed: 0, no_updates: 0 }

/** The counts of a call that succeeded: each record has an outcome. Null when its events cannot be those of one. */
function countCompleted(call: OpenCall, { operation, unchanged }: Closing): CallCounts | null {
  const { created, updated, rejected } = call
  const indexes = new Set([...created, ...updated.keys(), ...unchanged])
  const total = created.size + updated.size + unchanged.length
  // So many different indexes below their number are all of them.
  const isEachOnce = indexes.size === total && [...indexes].every((index) => index < total)
  if (!isEachOnce || rejected.size > 0) return null
  if (operation === 'create') return created.size === total ? { ...NONE, total } : null
  if (created.size > 0 || (operation === 'update_one' && total !== 1)) return null
  const deactivated = [...updated.values()].filter((isDeactivated) => isDeactivated).length
  return { ...NONE, total, updated: updated.size - deactivated, deactivated, no_updates: unchanged.length }
}

/** The counts of a call that failed: nothing of it was applied. How many records it had, it alone can tell. */
function countFailed(call: OpenCall, { operation, counts: { total } }: Closing): CallCounts | null {
  const { created, updated, rejected } = call
  if (created.size > 0 || updated.size > 0 || [...rejected].some((index) => index >= total)) return null
  if (operation === 'update_one' && total !== 1) return null
  // A creation names the records that are bad; a call that was refused as a whole names none, and all of them failed.
  return { ...NONE, total, failed: operation === 'create' && rejected.size > 0 ? rejected.size : total }
}
