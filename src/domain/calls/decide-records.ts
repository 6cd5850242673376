import { addMissing, addStateErrors } from '../employees/employee.ts'
import type { Pieces } from '../pieces.ts'
import { mapInPieces, pauseAfter } from '../pieces.ts'
import type { CallContext, CallDecision } from './call-decision.ts'
import type { Draft, EmployeeDirectory, UnchangedEmployee } from './call-draft.ts'
import { addCollision, locate } from './call-draft.ts'
import type { NewIds, ReadRecord } from './call-records.ts'
import { isReadable } from './call-records.ts'
import { completeCall, failCall, NO_COUNTS } from './close-call.ts'
import { draftCreation, draftUpdate } from './draft-records.ts'
import { readLocalPhones } from './local-phones.ts'
import type { JudgeRecords, Unchanged } from './partial-call.ts'
import { chooseApplicable, isFaulty } from './partial-call.ts'
import { addManagerErrors, resolveManagers } from './reporting-lines.ts'
import { addUniquenessErrors } from './uniqueness.ts'

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
  if (!whole.drafts.some(isFaulty)) return yield* completeCall(whole, [], context)
  if (!context.isAllOrNone) {
    const { applied, refused } = yield* chooseApplicable(records, whole, judgeSome)
    if (applied) return yield* completeCall(applied, refused, context)
  }
  // What a creation would have created otherwise has not failed; an update of so many people has.
  const failed = context.operation === 'create' ? whole.drafts.filter(isFaulty).length : records.length
  return yield* failCall(whole.drafts, { ...NO_COUNTS, total: records.length, failed }, context)
}

const NO_RECORDS: Unchanged = new Map()

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
