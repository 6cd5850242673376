import { addMissing, addStateErrors } from '../employees/employee.ts'
import { createsAll, rulesOf } from '../operations.ts'
import { mapInPieces, type Pieces } from '../pieces.ts'
import type { CallContext, CallDecision } from './call-decision.ts'
import { addCollision, locate, type Draft, type EmployeeDirectory, type UnchangedEmployee } from './call-draft.ts'
import { leaveOutFaulty, meetExpectations } from './expectations.ts'
import { isReadable, type NewIds, type ReadRecord } from './call-records.ts'
import { completeCall, failCall, NO_COUNTS, type Unchanged } from './close-call.ts'
import { draftCreation, draftUpdate } from './draft-records.ts'
import { readLocalPhones } from './local-phones.ts'
import { chooseApplicable, isFaulty, MAX_ROUNDS } from './partial-call.ts'
import { addManagerErrors, resolveManagers } from './reporting-lines.ts'
import { addUniquenessErrors } from './uniqueness.ts'

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
  const { operation } = context
  const { records, unchanged } = setAside(all, directory)
  const located = ({ locator }: ReadRecord) => (locator ? locate(locator, directory) : undefined)
  const idOf = (record: ReadRecord) => located(record)?.id ?? newIds?.of(record.index)
  const draft = (record: ReadRecord, earlier: Draft | undefined) => {
    const before = located(record)
    // Without a valid locator, nobody knows whether the employee of an upsert is new.
    const mayBeNew = !before && (record.locator !== null || createsAll(operation))
    return newIds && mayBeNew
      ? draftCreation(record, newIds.of(record.index), context.now, earlier)
      : draftUpdate(record, before, context.now, earlier)
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
    yield* judge(drafts, directory)
    return drafts
  }

  let called = yield* meetExpectations(yield* readLocalPhones(records, context.country), located)
  let whole = yield* judgeRecords(called)
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const fewer = yield* leaveOutFaulty(called, whole)
    if (!fewer) break
    drafted.clear()
    called = fewer
    whole = yield* judgeRecords(called)
  }
  if (!whole.some(isFaulty)) return yield* completeCall({ drafts: whole, unchanged, refused: [] }, context)
  if (!context.isAllOrNone) {
    const { drafts, refused } = yield* chooseApplicable(called, whole, judgeRecords)
    if (drafts.length + unchanged.size > 0) return yield* completeCall({ drafts, unchanged, refused }, context)
  }
  const total = records.length + unchanged.size
  const failed = rulesOf(operation).failing === 'refused' ? whole.filter(isFaulty).length : total
  return yield* failCall(whole, { ...NO_COUNTS, total, failed }, context)
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
      addCollision(draft, { path: [draft.record.locator!.field], fault: { kind: 'same_employee' } })
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
  yield* addUniquenessErrors(drafts, directory)
  yield* addManagerErrors(drafts, directory)
}
