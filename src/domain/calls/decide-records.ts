import type { Draft, EmployeeDirectory, UnchangedEmployee } from './call-draft.ts'
import { addCollision, locate } from './call-draft.ts'
import type { ReadRecord, NewIds } from './call-records.ts'
import { isReadable } from './call-records.ts'
import type { UserCaller } from './callers.ts'
import type { AttributePatch, EmployeeStatus } from '../attributes.ts'
import type { Employee, RecordResult } from '../employees/employee.ts'
import { addMissing, addStateErrors } from '../employees/employee.ts'
import type { Problem, RecordError } from '../errors.ts'
import { errorPointer, errorsOmitted, MAX_ANSWERED_ERRORS, problem } from '../errors.ts'
import type { CallCounts, EventData, NewEvent, Operation, SentJson } from '../events.ts'
import { isId } from '../ids.ts'
import type { Pieces } from '../pieces.ts'
import { mapInPieces, pauseAfter } from '../pieces.ts'
import { draftCreation, draftUpdate } from './draft-records.ts'
import type { Judged, JudgeRecords, Unchanged } from './partial-call.ts'
import { chooseApplicable, isFaulty } from './partial-call.ts'
import { readLocalPhones } from './local-phones.ts'
import { keepLocator, keepRecord } from './refused-record.ts'
import type { RejectedBody } from './rejected-body.ts'
import { addManagerErrors, resolveManagers } from './reporting-lines.ts'
import { addUniquenessErrors } from './uniqueness.ts'

/** The context of a decision. Time and ids come from outside, so that deciding is pure. */
export interface CallContext {
  callId: string
  operation: Operation
  requestId: string
  /** Null for a file that a user uploads. */
  key: { id: string; name: string } | null
  upload: Pick<UserCaller, 'fileName' | 'corrects' | 'correctedRecords' | 'part'> | null
  requestedAt: string
  durationMs: number
  /** The time of the events, RFC 3339 UTC. */
  now: string
  /** Whether one record that can't be applied keeps all others from being applied. */
  isAllOrNone: boolean
  /** The country of the company (ISO 3166-1 alpha-2), whose local phone numbers are read; null if it has none. */
  country: string | null
}

/** The outcome of one record of a successful call. */
interface AppliedRecord {
  index: number
  id: string
  /** The employee after the call; null if the record changes nothing and their state was not needed to tell. */
  employee: Employee | null
  /** The employee's status after the call. */
  status: EmployeeStatus
  /** Whether the record says which status the employee should have. */
  setsStatus: boolean
  /** Null for a creation. */
  result: RecordResult | null
  changed: string[]
}

/** A record of a successful call that was not applied, with the errors that are kept of it. */
interface RefusedRecord {
  index: number
  /** The employee whom the record names, and their status; null if there is none. */
  id: string | null
  status: EmployeeStatus | null
  errors: RecordError[]
  errorCount: number
}

/** The decision on a call: the events to append, including the closing event, and the result for the client. */
export interface CallDecision {
  events: NewEvent[]
  counts: CallCounts
  /** Null when the call succeeded. */
  problem: Problem | null
  /** One for each record of a successful call, in the order sent; empty for a failed one. */
  outcomes: AppliedRecord[]
  /** In the order sent. */
  refusals: RefusedRecord[]
  /**
   * Of a successful call, the employees about whom the same record changes nothing again, with what it sets: those whose
   * states showed that it changes nothing, and new ones.
   */
  unchanged: { employee: Employee; patch: AttributePatch }[]
  /** The body, if it could not be read. */
  rejectedBody?: RejectedBody
  /** Of a call that fails for some of its records, the events that the others would have had. */
  withheld: NewEvent[]
}

/** Decides a creation. */
export function* decideCreate(
  records: ReadRecord[],
  newIds: Pick<NewIds, 'of'>,
  directory: EmployeeDirectory,
  context: CallContext,
): Pieces<CallDecision> {
  const idOf = ({ index }: ReadRecord) => newIds.of(index)
  return yield* decideRecords(records, context, function* (some) {
    const called = yield* readLocalPhones(some, context.country)
    const managed = resolveManagers(called, { among: some, idOf }, directory)
    const drafts = yield* mapInPieces(managed, (record) => draftCreation(record, idOf(record), context.now))
    yield* judge(drafts, directory)
    return { drafts, unchanged: NO_RECORDS }
  })
}

/** Decides an update of one or many employees. */
export function* decideUpdate(
  records: ReadRecord[],
  directory: EmployeeDirectory,
  context: CallContext,
): Pieces<CallDecision> {
  const located = (record: ReadRecord) => record.locator && locate(record.locator, directory)
  return yield* decideRecords(records, context, function* (some) {
    const { unchanged, others } = setAside(some, directory)
    const idOf = (record: ReadRecord) => (unchanged.get(record) ?? located(record))?.id
    const called = yield* readLocalPhones(others, context.country)
    const managed = resolveManagers(called, { among: some, idOf }, directory)
    const drafts = yield* mapInPieces(managed, (record) =>
      draftUpdate(record, located(record) ?? undefined, context.now),
    )
    refuseRepeated(drafts)
    yield* judge(drafts, directory)
    return { drafts, unchanged }
  })
}

/** Decides an upsert: updates the employees that the records find, and creates the others. */
export function* decideUpsert(
  records: ReadRecord[],
  newIds: Pick<NewIds, 'of'>,
  directory: EmployeeDirectory,
  context: CallContext,
): Pieces<CallDecision> {
  const located = (record: ReadRecord) => record.locator && locate(record.locator, directory)
  return yield* decideRecords(records, context, function* (some) {
    const { unchanged, others } = setAside(some, directory)
    const idOf = (record: ReadRecord) => (unchanged.get(record) ?? located(record))?.id ?? newIds.of(record.index)
    const called = yield* readLocalPhones(others, context.country)
    const managed = resolveManagers(called, { among: some, idOf }, directory)
    const drafts = yield* mapInPieces(managed, (record) => {
      const before = located(record)
      // Without a valid locator, nobody knows whether the employee is new.
      if (before || !record.locator) return draftUpdate(record, before ?? undefined, context.now)
      return draftCreation(record, newIds.of(record.index), context.now)
    })
    refuseRepeated(drafts)
    yield* judge(drafts, directory)
    return { drafts, unchanged }
  })
}

/** Sets the records aside that need no decision. */
function setAside(records: ReadRecord[], directory: EmployeeDirectory): { unchanged: Unchanged; others: ReadRecord[] } {
  const unchanged = new Map<ReadRecord, UnchangedEmployee>()
  const others = records.filter((record) => {
    const employee = directory.unchangedBy(record)
    if (employee) unchanged.set(record, employee)
    return !employee
  })
  return { unchanged, others }
}

/** Applies all records or none; or, if the client asks for that, all that can be applied. */
function* decideRecords(records: ReadRecord[], context: CallContext, judgeSome: JudgeRecords): Pieces<CallDecision> {
  const whole = yield* judgeSome(records)
  if (!whole.drafts.some(isFaulty)) return yield* completed(whole, [], context)
  if (!context.isAllOrNone) {
    const { applied, refused } = yield* chooseApplicable(records, whole, judgeSome)
    if (applied) return yield* completed(applied, refused, context)
  }
  // What a creation would have created otherwise has not failed; an update of so many people has.
  const failed = context.operation === 'create' ? whole.drafts.filter(isFaulty).length : records.length
  return yield* failedOn(whole.drafts, { ...NO_COUNTS, total: records.length, failed }, context)
}

/** The record that gets the error of a refused call. Only a single update has one, identified by its path. */
export interface OffendingRecord {
  locator: { id: string }
  record: SentJson
}

/**
 * Refuses a whole call: applies nothing, and counts all its records as failed.
 * For a single update, `offending` is its record, which gets the call's message.
 */
export function refuseCall(
  refusal: Problem,
  count: number,
  context: CallContext,
  offending?: OffendingRecord,
): CallDecision {
  const counts = { ...NO_COUNTS, total: count, failed: count }
  const rejected: EventData['EmployeeRecordRejected'] | null = offending
    ? {
        locator: keepLocator('id', offending.locator.id),
        ...keepRecord(offending.record),
        employee_id: isId('emp', offending.locator.id) ? offending.locator.id : null,
        errors: [{ pointer: '', code: refusal.code, message: refusal.detail }],
      }
    : null
  return close(rejected ? [{ index: 0, data: rejected }] : [], counts, refusal, context)
}

const NO_RECORDS: Unchanged = new Map()

const NO_COUNTS: CallCounts = { total: 0, updated: 0, deactivated: 0, failed: 0, no_updates: 0 }

function bucketOf(result: RecordResult): 'updated' | 'deactivated' | 'no_updates' {
  if (result === 'deactivated' || result === 'no_updates') return result
  return 'updated'
}

/** Refuses records that update the same employee, because the result would depend on their order. */
function refuseRepeated(drafts: Draft[]): void {
  const byEmployee = Map.groupBy(
    drafts.filter((draft) => draft.before),
    (draft) => draft.before!.id,
  )
  for (const group of byEmployee.values()) {
    if (group.length === 1) continue
    for (const draft of group) {
      const message = 'Another record of the call refers to the same employee'
      addCollision(draft, { path: [draft.record.locator!.field], code: 'duplicate_in_batch', message })
    }
  }
}

/** Adds the errors that depend on the state after the whole call. */
function* judge(drafts: Draft[], directory: EmployeeDirectory): Pieces<void> {
  yield* mapInPieces(drafts, ({ after, effect, record, errors }) => {
    if (!after) return
    const touched = effect
      ? (name: string) => effect.changed.some((changed) => changed === name || changed.startsWith(`${name}.`))
      : (name: string) => Object.hasOwn(record.patch, name)
    addStateErrors(errors, after, touched)
    if (effect || isReadable(record.sent)) addMissing(errors, after, effect ? touched : () => true)
  })
  addUniquenessErrors(drafts, directory)
  yield* pauseAfter(drafts)
  addManagerErrors(drafts, directory)
}

/** Completes a call. The records that are refused are not applied. */
function* completed({ drafts, unchanged }: Judged, refused: Draft[], context: CallContext): Pieces<CallDecision> {
  yield* pauseAfter(drafts)
  const outcomes: AppliedRecord[] = drafts.map(({ record, after, effect }) => ({
    index: record.index,
    id: after!.id,
    employee: after!,
    status: after!.status,
    setsStatus: setsStatus(record),
    result: effect?.result ?? null,
    changed: effect?.changed ?? [],
  }))
  for (const [record, { id, status }] of unchanged) {
    const { index } = record
    const setsIt = setsStatus(record)
    outcomes.push({ index, id, employee: null, status, setsStatus: setsIt, result: 'no_updates', changed: [] })
  }
  if (unchanged.size > 0) outcomes.sort((one, other) => one.index - other.index)
  const counts = { ...NO_COUNTS, total: outcomes.length + refused.length, failed: refused.length }
  // Created employees count in the total alone.
  for (const { result } of outcomes) if (result !== null) counts[bucketOf(result)] += 1
  const refusals = yield* mapInPieces(refused, (draft) => ({
    index: draft.record.index,
    id: draft.before?.id ?? null,
    status: draft.before?.status ?? null,
    errors: recordErrors(draft),
    errorCount: draft.errors.count,
  }))
  const rejected = yield* mapInPieces(refused, (draft, at) => {
    const { index, errors } = refusals[at]!
    return { index, data: rejection(draft, errors) }
  })
  const stream = context.callId
  const unchangedIds = outcomes.filter(({ result }) => result === 'no_updates').map(({ id }) => id)
  const closing: NewEvent = {
    type: 'ApiCallCompleted',
    stream,
    version: rejected.length + 1,
    index: null,
    data: { ...factsOf(context, counts), unchanged: unchangedIds },
  }
  const ofRecords = [...drafts.flatMap((draft) => draft.events), ...rejectionEvents(stream, rejected)]
  // In the order of the records.
  if (rejected.length > 0) ofRecords.sort((one, other) => one.index! - other.index!)
  const events = [...ofRecords, closing, ...fileOf(context, closing)]
  return { events, counts, problem: null, outcomes, refusals, unchanged: unchangedBy(drafts), withheld: [] }
}

function setsStatus({ patch }: ReadRecord): boolean {
  return patch.status !== undefined
}

function unchangedBy(drafts: Draft[]): CallDecision['unchanged'] {
  return drafts.flatMap(({ record, after, effect }) =>
    !effect || effect.result === 'no_updates' ? [{ employee: after!, patch: record.patch }] : [],
  )
}

function* failedOn(drafts: Draft[], counts: CallCounts, context: CallContext): Pieces<CallDecision> {
  const invalid = drafts
    .filter((draft) => draft.errors.count > 0)
    .map((draft) => ({ draft, errors: recordErrors(draft) }))
  const detail = `${invalid.length} of ${counts.total} records ${invalid.length === 1 ? 'has' : 'have'} errors; nothing was applied`
  const rejected = yield* mapInPieces(invalid, ({ draft, errors }) => ({
    index: draft.record.index,
    data: rejection(draft, errors),
  }))
  const kept = invalid.flatMap(({ errors }) => errors)
  const answered = kept.slice(0, MAX_ANSWERED_ERRORS)
  const errorCount = invalid.reduce((sum, { draft }) => sum + draft.errors.count, 0)
  const refusal = problem(codeFor(kept), detail, answered, errorCount - answered.length)
  const withheld = drafts.filter(({ errors }) => errors.count === 0).flatMap(({ events }) => events)
  return { ...close(rejected, counts, refusal, context), withheld }
}

function recordErrors({ record, before, errors }: Draft): RecordError[] {
  return errors.kept.map(({ path, code, message, employeeId }) => ({
    index: record.index,
    id: before?.id ?? employeeId ?? null,
    pointer: errorPointer(record.pointer, path),
    code,
    message,
  }))
}

/** Makes the event data of a refused record, with all its kept errors, even those left out of the response. */
function rejection({ record, before, errors: all }: Draft, errors: RecordError[]): EventData['EmployeeRecordRejected'] {
  const { locator, sent } = record
  return {
    locator: locator ? keepLocator(locator.field, locator.value) : null,
    employee_id: before?.id ?? null,
    ...keepRecord(sent),
    errors: errors.map(({ pointer, code, message }) => ({ pointer, code, message })),
    ...errorsOmitted(all.count - errors.length),
  }
}

function codeFor(errors: RecordError[]): 'already_exists' | 'inactive_employee_exists' | 'validation_failed' {
  const codes = new Set(errors.map((error) => error.code))
  const others = [...codes].some((code) => code !== 'already_exists' && code !== 'inactive_employee_exists')
  if (others) return 'validation_failed'
  return codes.has('already_exists') ? 'already_exists' : 'inactive_employee_exists'
}

function close(
  rejected: { index: number; data: EventData['EmployeeRecordRejected'] }[],
  counts: CallCounts,
  refusal: Problem,
  context: CallContext,
): CallDecision {
  const stream = context.callId
  const events = rejectionEvents(stream, rejected)
  const { status: http_status, code, detail } = refusal
  const data = { ...factsOf(context, counts), http_status, code, detail }
  const closing: NewEvent = { type: 'ApiCallFailed', stream, version: rejected.length + 1, index: null, data }
  return {
    events: [...events, closing, ...fileOf(context, closing)],
    counts,
    problem: refusal,
    outcomes: [],
    refusals: [],
    unchanged: [],
    withheld: [],
  }
}

function rejectionEvents(
  stream: string,
  rejected: { index: number; data: EventData['EmployeeRecordRejected'] }[],
): NewEvent[] {
  return rejected.map(({ index, data }, at) => ({
    type: 'EmployeeRecordRejected',
    stream,
    version: at + 1,
    index,
    data,
  }))
}

/** The event that names the file of an uploaded call, whose name can be erased. */
function fileOf({ upload }: CallContext, { stream, version }: NewEvent): NewEvent[] {
  if (!upload) return []
  return [{ type: 'FileUploaded', stream, version: version + 1, index: null, data: { name: upload.fileName } }]
}

function factsOf(context: CallContext, counts: CallCounts) {
  const { operation, requestedAt, durationMs, key, requestId, upload } = context
  const corrects = upload && upload.corrects.length > 0 ? { corrects: [...upload.corrects] } : {}
  const places = upload && Object.keys(upload.correctedRecords).length > 0 ? upload.correctedRecords : null
  const part = upload?.part ? { part: upload.part } : {}
  return {
    operation,
    requested_at: requestedAt,
    duration_ms: durationMs,
    key,
    request_id: requestId,
    counts,
    ...corrects,
    ...(places ? { corrected_records: places } : {}),
    ...part,
  }
}
