import { addMissing, addStateErrors, type Employee } from '#domain/employees/employee'
import { createsAll, rulesOf } from '#domain/operations'
import { eachInPieces, mapInPieces, type Pieces, pauseAfter } from '#domain/pieces'
import {
  type CallContext,
  type CallDecision,
  addCollision,
  locateEmployee,
  type Draft,
  type EmployeeDirectory,
  type UnchangedEmployee,
} from './call-decision.ts'
import { isReadable, type NewIds, type ReadRecord, type Need } from './call-records.ts'
import { completeCall, failCall, NO_COUNTS, type Unchanged } from './close-call.ts'
import { draftCreation, draftUpdate, leaveOutFaulty, meetExpectations } from './draft-records.ts'
import { readLocalPhones } from './local-phones.ts'
import { addManagerErrors, resolveManagers, hasNewManager } from './reporting-lines.ts'
import { addUniquenessErrors, type DraftsOf } from './uniqueness.ts'

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
    const byEmployee = Map.groupBy(drafts, ({ before }) => before?.id)
    refuseRepeated(byEmployee)
    yield* judge(drafts, byEmployee, directory, context)
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
function withoutStoredEnd(record: ReadRecord, { termination_date: end }: Employee) {
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
function refuseRepeated(byEmployee: DraftsOf) {
  for (const [employee, group] of byEmployee) {
    if (employee === undefined || group.length === 1) continue
    for (const draft of group) {
      const fault = { kind: 'same_employee', employee } as const
      addCollision(draft, { path: [draft.record.locator!.field], fault })
    }
  }
}

/** A new employee. */
const touchesAll = () => true

/** Adds the errors that depend on the state after the whole call. */
function* judge(
  drafts: Draft[],
  byEmployee: DraftsOf,
  directory: EmployeeDirectory,
  { operation }: CallContext,
): Pieces<void> {
  yield* eachInPieces(drafts, ({ after, effect, record, errors }) => {
    if (!after) return
    const touched = effect
      ? (name: string) => effect.changed.some((changed) => changed === name || changed.startsWith(`${name}.`))
      : (name: string) => Object.hasOwn(record.patch, name)
    addStateErrors(errors, after, touched)
    if (effect || isReadable(record.sent)) addMissing(errors, after, effect ? touched : touchesAll)
  })
  yield* addUniquenessErrors(drafts, byEmployee, directory, operation)
  yield* addManagerErrors(drafts, directory)
}

/** Judges records as if the call had no others. */
type JudgeRecords = (records: ReadRecord[]) => Pieces<Draft[]>

function isFaulty({ errors }: Draft) {
  return errors.count > 0
}

/** Whether a record is faulty whatever the others are. */
function isFaultyAlone({ errors, collisions }: Draft) {
  return errors.count > collisions
}

/**
 * The records that are judged again after others were refused, in all rounds of a call together, and the rounds of any
 * call. Who reports to whom may be wrong once more each time, down a whole line; beyond both, the rest of the records that
 * set another manager are refused.
 */
const MAX_JUDGED = 32_768
const MIN_ROUNDS = 8

/**
 * Chooses the records of a call that can be applied without the others, whatever their order. In each round, first the
 * records that are faulty alone are refused, or else those that collide, with all that need them. `whole` are the drafts
 * of the whole call.
 */
function* chooseApplicable(
  records: ReadRecord[],
  whole: Draft[],
  judge: JudgeRecords,
): Pieces<{ drafts: Draft[]; refused: Draft[] }> {
  const refused = new Map<number, Draft>()
  let rest = records
  let drafts = whole
  let judged = 0
  for (let round = 0; ; round += 1) {
    yield* pauseAfter(records)
    const alone = drafts.filter(isFaultyAlone)
    const faulty = alone.length > 0 ? alone : drafts.filter(isFaulty)
    if (faulty.length === 0) return { drafts, refused: inOrder(refused) }
    const isLast = round >= MIN_ROUNDS && judged >= MAX_JUDGED
    refuse(drafts, isLast ? [...faulty, ...refuseManagers(drafts)] : faulty, refused)
    yield* pauseAfter(records)
    rest = rest.filter(({ index }) => !refused.has(index))
    judged += rest.length
    drafts = yield* judge(rest)
  }
}

/** Adds an error to those that set another manager and have none. Returns them. */
function refuseManagers(drafts: readonly Draft[]) {
  const managed = drafts.filter((draft) => hasNewManager(draft) && !isFaulty(draft))
  for (const { record, errors } of managed)
    errors.add([record.managers[0]?.field ?? 'manager_id'], { kind: 'too_many_rounds' })
  return managed
}

/** Records of which one must be applied, and the drafts that need it. Many drafts may share it. */
interface Support {
  /** How many of the records are not refused. */
  left: number
  dependents: Draft[]
}

/** Refuses drafts and, among all of these, those that need them. Looks at each need once, however many share a name. */
function refuse(drafts: readonly Draft[], faulty: readonly Draft[], refused: Map<number, Draft>) {
  const supports = new Map<Need['anyOf'], Support>()
  const ofRecord = new Map<number, Support[]>()
  const supportOf = (anyOf: Need['anyOf']) => {
    const known = supports.get(anyOf)
    if (known) return known
    const support: Support = { left: anyOf.length, dependents: [] }
    supports.set(anyOf, support)
    for (const index of anyOf) {
      const ofThis = ofRecord.get(index)
      if (ofThis) ofThis.push(support)
      else ofRecord.set(index, [support])
    }
    return support
  }
  for (const draft of drafts) for (const { anyOf } of draft.needs) supportOf(anyOf).dependents.push(draft)
  const next: Draft[] = []
  const add = (draft: Draft) => {
    if (refused.has(draft.record.index)) return
    refused.set(draft.record.index, draft)
    next.push(draft)
  }
  for (const draft of faulty) add(draft)
  for (let one = next.pop(); one; one = next.pop()) {
    for (const support of ofRecord.get(one.record.index) ?? []) {
      support.left -= 1
      if (support.left === 0) for (const draft of support.dependents) add(draft)
    }
  }
  // Each names all that it needs, so that the order doesn't matter. Drafts of the whole call stay as they are.
  for (const [at, draft] of refused) {
    if (isFaulty(draft)) continue
    const errors = draft.errors.copy()
    refused.set(at, { ...draft, errors })
    for (const { anyOf, field, kind } of draft.needs)
      if (supports.get(anyOf)!.left === 0) errors.add([field], { kind, field, record: anyOf[0]! })
  }
}

function inOrder(refused: ReadonlyMap<number, Draft>) {
  return [...refused.values()].toSorted((one, other) => one.record.index - other.record.index)
}
