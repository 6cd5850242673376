import { addMissing, addStateErrors } from '../employees/employee.ts'
import { mapInPieces, type Pieces } from '../pieces.ts'
import type { CallContext, CallDecision } from './call-decision.ts'
import { addCollision, locate, type Draft, type EmployeeDirectory, type UnchangedEmployee } from './call-draft.ts'
import { isReadable, type NewIds, type ReadRecord } from './call-records.ts'
import { completeCall, failCall, NO_COUNTS, type Unchanged } from './close-call.ts'
import { draftCreation, draftUpdate } from './draft-records.ts'
import { readLocalPhones } from './local-phones.ts'
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
  return yield* decideRecords({ records, unchanged: NO_RECORDS }, directory, context, {
    idOf,
    draft: (record, earlier) => draftCreation(record, idOf(record), context.now, earlier),
  })
}

/** Decides an update of one or many employees. */
export function* decideUpdate(
  records: ReadRecord[],
  directory: EmployeeDirectory,
  context: CallContext,
): Pieces<CallDecision> {
  const located = ({ locator }: ReadRecord) => (locator ? locate(locator, directory) : undefined)
  return yield* decideRecords(setAside(records, directory), directory, context, {
    idOf: (record) => located(record)?.id,
    draft: (record, earlier) => draftUpdate(record, located(record), context.now, earlier),
  })
}

/** Decides an upsert: updates the employees that the records find, and creates the others. */
export function* decideUpsert(
  records: ReadRecord[],
  newIds: Pick<NewIds, 'of'>,
  directory: EmployeeDirectory,
  context: CallContext,
): Pieces<CallDecision> {
  const located = ({ locator }: ReadRecord) => (locator ? locate(locator, directory) : undefined)
  return yield* decideRecords(setAside(records, directory), directory, context, {
    idOf: (record) => located(record)?.id ?? newIds.of(record.index),
    draft(record, earlier) {
      const before = located(record)
      // Without a valid locator, nobody knows whether the employee is new.
      if (before || !record.locator) return draftUpdate(record, before, context.now, earlier)
      return draftCreation(record, newIds.of(record.index), context.now, earlier)
    },
  })
}

/** The records of a call that need a decision, and those that don't. */
interface Sorted {
  records: ReadRecord[]
  unchanged: Unchanged
}

/** Sets the records aside that need no decision. */
function setAside(all: ReadRecord[], directory: EmployeeDirectory): Sorted {
  const unchanged = new Map<ReadRecord, UnchangedEmployee>()
  const records = all.filter((record) => {
    const employee = directory.unchangedBy(record)
    if (employee) unchanged.set(record, employee)
    return !employee
  })
  return { records, unchanged }
}

/** What an operation does with each record. */
interface Operating {
  /** The id of a record's employee, after the call. */
  idOf(record: ReadRecord): string | undefined
  /** Drafts a record. `earlier` is its draft beside more records. */
  draft(record: ReadRecord, earlier: Draft | undefined): Draft
}

/** Applies all records or none; or, if the client asks for that, all that can be applied. */
function* decideRecords(
  { records, unchanged }: Sorted,
  directory: EmployeeDirectory,
  context: CallContext,
  { idOf, draft }: Operating,
): Pieces<CallDecision> {
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

  const called = yield* readLocalPhones(records, context.country)
  const whole = yield* judgeRecords(called)
  if (!whole.some(isFaulty)) return yield* completeCall({ drafts: whole, unchanged, refused: [] }, context)
  if (!context.isAllOrNone) {
    const { drafts, refused } = yield* chooseApplicable(called, whole, judgeRecords)
    if (drafts.length + unchanged.size > 0) return yield* completeCall({ drafts, unchanged, refused }, context)
  }
  const total = records.length + unchanged.size
  // What a creation would have created otherwise has not failed; an update of so many people has.
  const failed = context.operation === 'create' ? whole.filter(isFaulty).length : total
  return yield* failCall(whole, { ...NO_COUNTS, total, failed }, context)
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
  yield* addUniquenessErrors(drafts, directory)
  yield* addManagerErrors(drafts, directory)
}
