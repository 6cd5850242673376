import { isOfCall } from '#domain/event-types'
import type { CallCounts } from '#domain/events'
import { isOperation, isSingle, rulesOf, type Operation } from '#domain/operations'
import { isCount, parse, type ExportedEvent, assertValid } from './verify-line.ts'

/** The events of an open call so far. */
interface OpenCall {
  id: string
  /** The record of the last event. */
  index: number
  /** The employees with an event. */
  changed: Set<string>
  created: Set<number>
  /** By record index: whether the record was deactivated. */
  updated: Map<number, boolean>
  rejected: Set<number>
}

/**
 * Checks the calls of a ledger: the events of a call are contiguous, its last event closes it, and the counts in that
 * event match the call's events.
 */
export class CallChecker {
  #open: OpenCall | null = null
  /** The number of calls closed so far. */
  closed = 0

  /** Checks the next event. Throws VerificationError. */
  take(event: ExportedEvent): void {
    const { position, call_id: callId, type } = event
    const open = this.#open
    assertValid(open === null || callId === open.id, position, `the call ${open?.id} is not closed`)
    assertValid(
      (callId !== null) === isOfCall(type),
      position,
      `${type} occurs ${callId === null ? 'outside a call' : 'within a call'}`,
    )
    if (callId === null) return
    this.#open = open ?? {
      id: callId,
      index: 0,
      changed: new Set(),
      created: new Set(),
      updated: new Map(),
      rejected: new Set(),
    }
    if (type === 'ApiCallCompleted' || type === 'ApiCallFailed') this.#close(event, this.#open)
    else addRecord(event, this.#open)
  }

  /** Checks the end of the ledger. Throws VerificationError if a call is still open. */
  end(position: number): void {
    assertValid(this.#open === null, position, `the call ${this.#open?.id} is not closed`)
  }

  #close(event: ExportedEvent, call: OpenCall) {
    const { position, type } = event
    // A second closing event would have the next version in the call's stream.
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
      'the counts of the call do not match its events',
    )
    this.#open = null
    this.closed += 1
  }
}

function addRecord({ position, type, index, stream }: ExportedEvent, call: OpenCall) {
  assertValid(index !== null, position, 'the event names no record of its call')
  assertValid(index >= call.index, position, 'the events are not in the order of the records')
  call.index = index
  call.changed.add(stream)
  const isNew = !call.created.has(index) && !call.rejected.has(index)
  if (type === 'EmployeeCreated' || type === 'EmployeeRecordRejected') {
    assertValid(isNew && !call.updated.has(index), position, 'a record occurs twice in the call')
    assertValid(
      type === 'EmployeeCreated' || stream === call.id,
      position,
      'the event is not in the stream of its call',
    )
    if (type === 'EmployeeCreated') call.created.add(index)
    else call.rejected.add(index)
  } else {
    assertValid(isNew, position, 'a record occurs twice in the call')
    call.updated.set(index, call.updated.get(index) === true || DEACTIVATING.has(type))
  }
}

const DEACTIVATING = new Set(['EmployeeDeactivated', 'EmployeeDeprovisioned'])

interface Closing {
  operation: Operation
  counts: CallCounts
  /** The employees of the records that changed nothing. */
  unchanged: string[]
}

function readClosing({ position, type, schema_version: version, data }: ExportedEvent): Closing {
  const { operation, counts, unchanged } = (parse(data!) ?? {}) as Partial<Record<keyof Closing, unknown>>
  const employees = type === 'ApiCallFailed' ? [] : unchanged
  assertValid(
    isOperation(operation) && isOfVersion(operation, type, version) && isCounts(counts) && isListOfIds(employees),
    position,
    `the data of ${type} do not match its schema`,
  )
  return { operation, counts, unchanged: employees }
}

/** Whether the events of a schema version may have an operation. */
function isOfVersion(operation: Operation, type: string, version: number) {
  const { since } = rulesOf(operation)
  return version >= (type === 'ApiCallFailed' ? since.ApiCallFailed : since.ApiCallCompleted)
}

const EMPLOYEE_ID = /^emp_[0-9a-hjkmnp-tv-z]{26}$/

function isListOfIds(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((id) => typeof id === 'string' && EMPLOYEE_ID.test(id))
}

const COUNTS = ['total', 'updated', 'deactivated', 'failed', 'no_updates'] satisfies (keyof CallCounts)[]

function isCounts(value: unknown): value is CallCounts {
  const counts = value as Record<string, unknown> | null | undefined
  return typeof counts === 'object' && counts !== null && COUNTS.every((name) => isCount(counts[name]))
}

function sameCounts(a: CallCounts, b: CallCounts) {
  return COUNTS.every((name) => a[name] === b[name])
}

const NONE: CallCounts = { total: 0, updated: 0, deactivated: 0, failed: 0, no_updates: 0 }

/**
 * The counts of a successful call, in which every record has an outcome: some may have been refused, if the client asked
 * for that, but not all. Null if its events contradict one.
 */
function countCompleted(call: OpenCall, { operation, unchanged }: Closing): CallCounts | null {
  const { created, updated, rejected, changed, index } = call
  const [applied, failed] = [created.size + updated.size + unchanged.length, rejected.size]
  const total = applied + failed
  // Then the records without events are as many as those that changed nothing.
  const isComplete = total === 0 || index < total
  const isEachOnce = new Set(unchanged).size === unchanged.length && !unchanged.some((id) => changed.has(id))
  if (!isComplete || !isEachOnce || (failed > 0 && applied === 0)) return null
  const { creates } = rulesOf(operation)
  if (creates === 'all' ? created.size !== applied : creates === 'none' && created.size > 0) return null
  if (isSingle(operation) && total !== 1) return null
  const deactivated = [...updated.values()].filter((isDeactivated) => isDeactivated).length
  return { total, updated: updated.size - deactivated, deactivated, failed, no_updates: unchanged.length }
}

/** The counts of a failed call, none of which was applied. Only the event itself knows the total. */
function countFailed(call: OpenCall, { operation, counts: { total } }: Closing): CallCounts | null {
  const { created, updated, rejected } = call
  if (created.size > 0 || updated.size > 0 || [...rejected].some((index) => index >= total)) return null
  if (isSingle(operation) && total !== 1) return null
  // A failed creation names its bad records. A call that was refused as a whole names none: all its records failed.
  const namesFailed = rulesOf(operation).failing === 'refused' && rejected.size > 0
  return { ...NONE, total, failed: namesFailed ? rejected.size : total }
}
