import { sourceFact, joinNotes, noteOf } from '../call-sources.ts'
import type { RecordResult } from '../employees/employee.ts'
import { errorPointer, errorsOmitted, MAX_ANSWERED_ERRORS, problem, type Problem, type RecordError } from '../errors.ts'
import type { CallCounts, EventData, NewEvent, SentJson } from '../events.ts'
import { isId } from '../ids.ts'
import { rulesOf } from '../operations.ts'
import { mapInPieces, pauseAfter, type Pieces } from '../pieces.ts'
import { codeOf, nameField, renameFields, wordFault } from '../record-faults.ts'
import type {
  AppliedRecord,
  CallContext,
  CallDecision,
  RefusedRecord,
  Draft,
  UnchangedEmployee,
} from './call-decision.ts'
import type { RefusalWording } from './key-refusals.ts'
import type { ReadRecord } from './call-records.ts'
import { groupLeftOut } from './draft-records.ts'
import { keepLocator, keepRecord } from './refused-record.ts'

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

export const NO_COUNTS: CallCounts = { total: 0, updated: 0, deactivated: 0, failed: 0, no_updates: 0 }

function bucketOf(result: RecordResult): 'updated' | 'deactivated' | 'no_updates' {
  if (result === 'deactivated' || result === 'no_updates') return result
  return 'updated'
}

/** The employees about whom records are known to change nothing. */
export type Unchanged = ReadonlyMap<ReadRecord, UnchangedEmployee>

/** The records of a call that succeeds: drafted, known to change nothing, and refused, which are not applied. */
interface Judged {
  drafts: Draft[]
  unchanged: Unchanged
  refused: Draft[]
}

/** Completes a call. `isInactive` tells of the people whom it names. */
export function* completeCall(
  { drafts, unchanged, refused }: Judged,
  isInactive: (id: string) => boolean,
  context: CallContext,
): Pieces<CallDecision> {
  yield* pauseAfter(drafts)
  const outcomes = yield* mapInPieces(drafts, ({ record, after, effect }): AppliedRecord => ({
    index: record.index,
    id: after!.id,
    employee: after!,
    status: after!.status,
    setsStatus: setsStatus(record),
    hasInactiveManager: typeof record.patch.manager_id === 'string' && isInactive(record.patch.manager_id),
    result: effect?.result ?? null,
    changed: effect?.changed ?? [],
    ...(record.leftOut ? { leftOut: record.leftOut } : {}),
  }))
  for (const [record, { id, status }] of unchanged) {
    outcomes.push({
      index: record.index,
      id,
      employee: null,
      status,
      setsStatus: setsStatus(record),
      hasInactiveManager: false,
      result: 'no_updates',
      changed: [],
    })
  }
  if (unchanged.size > 0) outcomes.sort((one, other) => one.index - other.index)
  const counts = { ...NO_COUNTS, total: outcomes.length + refused.length, failed: refused.length }
  // Created employees count in the total alone.
  for (const { result } of outcomes) if (result !== null) counts[bucketOf(result)] += 1
  const refusals = yield* mapInPieces(refused, (draft) => refuseRecord(draft, context.wording), 1)
  yield* pauseAfter(drafts)
  const applied = drafts.flatMap((draft) => draft.events)
  const unchangedIds = outcomes.filter(({ result }) => result === 'no_updates').map(({ id }) => id)
  const usual = refused.length === 0 ? rulesOf(context.operation).status : 200
  const status = context.status ?? (context.isAllOrNone ? usual : 200)
  const answered = status === usual ? {} : { http_status: status }
  yield* pauseAfter(drafts)
  const leftOut = groupLeftOut(drafts)
  yield* pauseAfter(drafts)
  const { hasOneRecord, fieldNames = {} } = context.wording
  // Of one record, a note says all.
  const notes = hasOneRecord ? leftOut.map(({ field }) => noteOf(nameField(field, fieldNames), 'left_out')) : []
  const noted = leftOut.length === 0 || hasOneRecord ? {} : { left_out: leftOut }
  const facts = factsOf({ ...context, notes: [...(context.notes ?? []), ...notes] }, counts)
  const data = { ...facts, unchanged: unchangedIds, ...answered, ...noted }
  const events = eventsOf(context, applied, refusals, { type: 'ApiCallCompleted', data })
  return { events, counts, problem: null, outcomes, refusals, unchanged: unchangedBy(drafts), withheld: [] }
}

function setsStatus({ patch }: ReadRecord) {
  return patch.status !== undefined
}

function unchangedBy(drafts: Draft[]): CallDecision['unchanged'] {
  return drafts
    .filter(({ effect }) => !effect || effect.result === 'no_updates')
    .map(({ record, after }) => ({ employee: after!, patch: record.patch }))
}

export function* failCall(drafts: Draft[], counts: CallCounts, context: CallContext): Pieces<CallDecision> {
  const faulty = drafts.filter(({ errors }) => errors.count > 0)
  const refused = yield* mapInPieces(faulty, (draft) => refuseRecord(draft, context.wording), 1)
  const have = refused.length === 1 ? 'has' : 'have'
  const counted = `${refused.length} of ${counts.total} records ${have} errors; nothing was applied`
  const kept = refused.flatMap(({ errors }) => errors)
  const answered = kept.slice(0, MAX_ANSWERED_ERRORS)
  const errorCount = refused.reduce((sum, record) => sum + record.errorCount, 0)
  const detail = context.wording.hasOneRecord ? kept.map(({ message }) => message).join('; ') : counted
  const refusal = problem(codeFor(kept), detail, answered, errorCount - answered.length)
  const withheld = drafts.filter(({ errors }) => errors.count === 0).flatMap(({ events }) => events)
  return { ...close(refused, counts, refusal, context), withheld }
}

/**
 * Refuses a record, and words its errors. Its event has all errors that are kept, even those left out of the response, and
 * what their messages are made of.
 */
function refuseRecord({ record, before, errors: found }: Draft, { fieldNames = {} }: RefusalWording): RefusedRecord {
  const { index, list, locator, sent } = record
  const ownPointer = list === null ? '' : `${list}/${index}`
  const id = before?.id ?? null
  const errors = found.kept.map(({ path, fault, employeeId }) => {
    const [name = '', ...below] = path
    const named = path.length === 0 ? path : namedPath(name, fieldNames).concat(below)
    const pointer = errorPointer(ownPointer, named)
    const message = wordFault(renameFields(fault, fieldNames))
    return { index, id: id ?? employeeId ?? null, pointer, code: codeOf(fault), message }
  })
  const data = {
    locator: locator ? keepLocator(locator.field, locator.value) : null,
    employee_id: id,
    ...keepRecord(sent, record.names),
    errors: errors.map(({ pointer, code, message }, at) => ({ pointer, code, message, params: found.kept[at]!.fault })),
    ...errorsOmitted(found.count - errors.length),
  }
  return { index, id, status: before?.status ?? null, errors, errorCount: found.count, data }
}

/** A field as a path. The client may have chosen its name, unless the protocol has one for it. */
function namedPath(name: string, names: Readonly<Record<string, string>>) {
  return Object.hasOwn(names, name) ? names[name]!.split('.') : [name]
}

function codeFor(errors: RecordError[]) {
  const codes = new Set(errors.map((error) => error.code))
  const others = [...codes].some((code) => code !== 'already_exists' && code !== 'inactive_employee_exists')
  if (others) return 'validation_failed'
  return codes.has('already_exists') ? 'already_exists' : 'inactive_employee_exists'
}

/** Closes a call that fails. */
function close(rejected: Rejected[], counts: CallCounts, found: Problem, context: CallContext): CallDecision {
  const { code, detail } = found
  const refusal = { ...found, status: context.wording.statuses?.[code] ?? found.status }
  const http_status = refusal.status
  const data = { ...factsOf(context, counts), http_status, code, detail }
  const events = eventsOf(context, [], rejected, { type: 'ApiCallFailed', data })
  return { events, counts, problem: refusal, outcomes: [], refusals: [], unchanged: [], withheld: [] }
}

type Rejected = Pick<RefusedRecord, 'index' | 'data'>

type ClosingEvent = Extract<NewEvent, { type: 'ApiCallCompleted' | 'ApiCallFailed' }>

/** The events of a call: those of its records, in their order, the one that closes it, and that of an uploaded file. */
function eventsOf(
  { callId: stream, upload }: CallContext,
  applied: NewEvent[],
  rejected: Rejected[],
  closing: Pick<ClosingEvent, 'type' | 'data'>,
): NewEvent[] {
  const rejections = rejected.map(({ index, data }, at): NewEvent => {
    return { type: 'EmployeeRecordRejected', stream, version: at + 1, index, data }
  })
  const ofRecords = [...applied, ...rejections]
  if (rejected.length > 0) ofRecords.sort((one, other) => one.index! - other.index!)
  const version = rejected.length + 1
  const events = [...ofRecords, { ...closing, stream, version, index: null } as ClosingEvent]
  if (!upload || upload.fileName === null) return events
  // The name of the file can be erased.
  return [
    ...events,
    { type: 'FileUploaded', stream, version: version + 1, index: null, data: { name: upload.fileName } },
  ]
}

function factsOf(context: CallContext, counts: CallCounts) {
  const { operation, requestedAt, durationMs, key, source, requestId, upload, undoes, notes = [] } = context
  const corrects = upload && upload.corrects.length > 0 ? { corrects: [...upload.corrects] } : {}
  const places = upload && Object.keys(upload.correctedRecords).length > 0 ? upload.correctedRecords : null
  const part = upload?.part ? { part: upload.part } : {}
  return {
    operation,
    requested_at: requestedAt,
    duration_ms: durationMs,
    key,
    ...sourceFact(source, key),
    request_id: requestId,
    counts,
    ...corrects,
    ...(places ? { corrected_records: places } : {}),
    ...part,
    ...(notes.length > 0 ? { notes: joinNotes(notes) } : {}),
    ...(undoes === null ? {} : { undoes }),
  }
}
