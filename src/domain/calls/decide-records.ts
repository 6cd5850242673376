import { addMissing, addStateErrors, type Employee } from '../employees/employee.ts'
import { createsAll, rulesOf } from '../operations.ts'
import { mapInPieces, type Pieces } from '../pieces.ts'
import type { CallContext, CallDecision } from './call-decision.ts'
import {
  addCollision,
  locateEmployee,
  type Draft,
  type EmployeeDirectory,
  type UnchangedEmployee,
} from './call-draft.ts'
import { leaveOutFaulty, meetExpectations } from './expectations.ts'
import { isReadable, type NewIds, type ReadRecord } from './call-records.ts'
import { completeCall, failCall, NO_COUNTS, type Unchanged } from './close-call.ts'
import { draftCreation, draftUpdate } from './draft-records.ts'
import { readLocalPhones } from './local-phones.ts'
import { chooseApplicable, isFaulty } from './partial-call.ts'
import { addManagerErrors, resolveManagers } from './reporting-lines.ts'
import { addUniquenessErrors } from './uniqueness.ts'

/** How often attributes are left out of records: what is left out may make another value faulty. */
const MAX_LEAVING_ROUNDS = 8

/**
 * Decides a call: creates employees, updates those that the records find, or, as an upsert, does both. Applies all
 * records or none; or, if the client asks for that, all that can be applied. `newIds` is null for an update.
 */
export function* decideRecords(
  all: ReadRecord[],
  newIds: Pick<NewIds, 'of'> | null,
  directory: EmployeeDirectory,
  context: CallContext,
): Pieces<CallDecision> {
  const { operation, linksByEmail } = context
  const { records, unchanged } = setAside(all, directory)
  const located = (record: ReadRecord) => locateEmployee(record, directory, linksByEmail)
  const idOf = (record: ReadRecord) => located(record)?.id ?? newIds?.of(record.index)
  const draft = (sent: ReadRecord, earlier: Draft | undefined) => {
    const before = located(sent)
    const record = context.clearsEndDates && before ? withoutStoredEnd(sent, before) : sent
    // Without a valid locator, nobody knows whether the employee of an upsert is new.
    const mayBeNew = !before && (record.locator !== null || createsAll(operation))
    return newIds && mayBeNew
      ? draftCreation(record, newIds.of(record.index), context.now, earlier)
      : draftUpdate(record, before, { now: context.now, directory, earlier })
  }
  const drafted = new Map<number, Draft>()
  function* judgeRecords(some: ReadRecord[]): Pieces<Draft[]> {
    const managed = yield* resolveManagers(some, idOf, directory)
    const drafts = yield* mapInPieces(managed, (record) => {
      const made = draft(record, drafted.get(record.index))
      if (!context.isAllOrNone) drafted.set(record.index, made)
      return made
    })
    refuseRepeated(drafts)
    yield* judge(drafts, directory, context)
    return drafts
  }

  function* complete(drafts: Draft[], refused: Draft[]): Pieces<CallDecision> {
    let afterwards: Map<string | undefined, Draft['after']> | undefined
    const isInactive = (id: string) => {
      afterwards ??= new Map(drafts.map(({ after }) => [after?.id, after]))
      return (afterwards.get(id) ?? directory.byId(id))?.status === 'inactive'
    }
    return yield* completeCall({ drafts, unchanged, refused }, isInactive, context)
  }

  let called = yield* meetExpectations(yield* readLocalPhones(records, context.country), located)
  let whole = yield* judgeRecords(called)
  for (let round = 0; round < MAX_LEAVING_ROUNDS; round += 1) {
    const fewer = yield* leaveOutFaulty(called, whole)
    if (!fewer) break
    drafted.clear()
    called = fewer
    whole = yield* judgeRecords(called)
  }
  if (!whole.some(isFaulty)) return yield* complete(whole, [])
  if (!context.isAllOrNone) {
    const { drafts, refused } = yield* chooseApplicable(called, whole, judgeRecords)
    if (drafts.length + unchanged.size > 0) return yield* complete(drafts, refused)
  }
  const total = records.length + unchanged.size
  const failed = rulesOf(operation).failing === 'refused' ? whole.filter(isFaulty).length : total
  const decision = yield* failCall(whole, { ...NO_COUNTS, total, failed }, context)
  const faulty = new Set(whole.filter(isFaulty).map(({ record }) => record.index))
  return { ...decision, valid: all.filter(({ index }) => !faulty.has(index)) }
}

/** Somebody who has come back: the end date that is stored is before the start date of the record. */
function withoutStoredEnd(record: ReadRecord, { termination_date: end }: Employee): ReadRecord {
  const { start_date: start, termination_date: sent } = record.patch
  const hasComeBack = end !== null && typeof start === 'string' && start > end && sent === undefined
  return hasComeBack ? { ...record, patch: { ...record.patch, termination_date: null } } : record
}

/** Sets the records aside that need no decision. */
function setAside(all: ReadRecord[], directory: EmployeeDirectory): { records: ReadRecord[]; unchanged: Unchanged } {
  const unchanged = new Map<ReadRecord, UnchangedEmployee>()
  const records = all.filter((record) => {
    const employee = directory.unchangedBy(record)
    if (employee) unchanged.set(record, employee)
    return !employee
  })
  return { records, unchanged }
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
      const fault = { kind: 'same_employee', employee: draft.before!.id } as const
      addCollision(draft, { path: [draft.record.locator!.field], fault })
    }
  }
}

/** Adds the errors that depend on the state after the whole call. */
function* judge(drafts: Draft[], directory: EmployeeDirectory, { operation }: CallContext): Pieces<void> {
  yield* mapInPieces(drafts, ({ after, effect, record, errors }) => {
    if (!after) return
    const touched = effect
      ? (name: string) => effect.changed.some((changed) => changed === name || changed.startsWith(`${name}.`))
      : (name: string) => Object.hasOwn(record.patch, name)
    addStateErrors(errors, after, touched)
    if (effect || isReadable(record.sent)) addMissing(errors, after, effect ? touched : () => true)
  })
  yield* addUniquenessErrors(drafts, directory, operation)
  yield* addManagerErrors(drafts, directory)
}
