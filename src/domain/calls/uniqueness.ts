import { UNIQUE_NAMES, uniqueForm, type UniqueName, listStoredAddresses } from '#domain/attributes'
import { addCollision, isLinkable, type Draft, type EmployeeDirectory } from './call-decision.ts'
import type { Employee } from '#domain/employees/employee'
import { rulesOf, type Operation } from '#domain/operations'
import { eachInPieces, pauseAfter, type Pieces } from '#domain/pieces'
import type { Fault } from '#domain/record-faults'
import { isId } from '#domain/ids'
import type { Locator, ReadRecord } from './call-records.ts'

/** What a person can have instead. */
const INSTEAD = { email: { instead: 'external_id' }, external_id: {}, user_name: {} } as const

/** The records of each employee; those of nobody, and of new employees, are under undefined. */
export type DraftsOf = ReadonlyMap<string | undefined, Draft[]>

/**
 * Adds errors for values that must be unique in the company, including inactive employees. Checks the state after the
 * whole call, so two employees can swap values.
 */
export function* addUniquenessErrors(
  drafts: Draft[],
  draftsOf: DraftsOf,
  directory: EmployeeDirectory,
  operation: Operation,
): Pieces<void> {
  const holderOf = { email: directory.byEmail, external_id: directory.byExternalId, user_name: directory.byUserName }
  for (const name of UNIQUE_NAMES) {
    yield* pauseAfter(drafts)
    yield* eachInPieces(claims(drafts, name), ([value, claimants]) => {
      if (claimants.length > 1) for (const draft of claimants) addInBatch(draft, name)
      const forms = name === 'email' ? listStoredAddresses(value) : [value]
      let before: Employee | undefined
      for (const form of forms) before ??= holderOf[name](form)
      if (before) refuseHeld(claimants, { name, forms, before }, draftsOf, operation)
    })
  }
  yield* pauseAfter(drafts)
}

/** A value in all forms in which somebody may have it, and who had it before the call. */
interface HeldName {
  name: UniqueName
  forms: readonly string[]
  before: Employee
}

/** Adds an error to each of those who claim what somebody else has, unless that person gives it up. */
function refuseHeld(
  claimants: readonly Draft[],
  { name, forms, before }: HeldName,
  draftsOf: DraftsOf,
  operation: Operation,
) {
  // Several records of the same employee are an error of theirs.
  const [draft, ...others] = draftsOf.get(before.id) ?? []
  const holder = others.length > 0 ? before : (draft?.after ?? before)
  const giving = [draft, ...others].filter(
    (one) => one?.after && !forms.includes(uniqueForm(name, one.after[name]) ?? ''),
  )
  const anyOf = giving.map((one) => one!.record.index)
  for (const claimant of claimants) {
    if (claimant.before?.id === before.id) continue
    if (anyOf.length === 0) claimant.errors.add([name], whyHeld(claimant, name, holder, operation), holder.id)
    else claimant.needs = [...claimant.needs, { anyOf, field: name, kind: 'holder_refused' }]
  }
}

/** Groups the records by their new value. Records of unknown employees claim nothing. */
function claims(drafts: Draft[], name: UniqueName) {
  const claimants = new Map<string, Draft[]>()
  for (const draft of drafts) {
    const sent = draft.record.patch[name]
    if (!draft.after || typeof sent !== 'string' || draft.effect?.changed.includes(name) === false) continue
    const value = uniqueForm(name, sent)
    const group = claimants.get(value)
    if (group) group.push(draft)
    else claimants.set(value, [draft])
  }
  return claimants
}

function addInBatch(draft: Draft, name: UniqueName) {
  addCollision(draft, { path: [name], fault: { kind: 'same_in_call', field: name, ...INSTEAD[name] } })
}

/** What is wrong with a value that somebody else has, and so what to do about it. */
function whyHeld({ before, record }: Draft, field: UniqueName, holder: Employee, operation: Operation): Fault {
  const held = { field, employee: holder.id }
  if (holder.status === 'inactive') return { kind: 'held_by_inactive', ...held }
  const isNew = rulesOf(operation).creates === 'unfound' && !before && record.locator?.field === 'external_id'
  if (field === 'email' && isNew) return { kind: isLinkable(holder) ? 'held_by_linkable' : 'held_by_other_id', ...held }
  return { kind: 'held', ...held, ...INSTEAD[field] }
}

/** Employees named in each of these ways. Values are normalized. */
export interface Naming {
  employeeIds: string[]
  emails: string[]
  externalIds: string[]
  /** Folded. */
  userNames: string[]
  directoryIds: string[]
}

/** The employees that deciding a call may look up. They are loaded under the lock of its company's head. */
export interface Touches {
  /** The employees that the records identify. */
  located: Naming
  /** The managers that the records name. */
  managers: Naming
  /** The unique values that the records set, apart from those that identify their employees. */
  claimed: Naming
}

export const NOBODY: Naming = { employeeIds: [], emails: [], externalIds: [], userNames: [], directoryIds: [] }
export const NO_TOUCHES: Touches = { located: NOBODY, managers: NOBODY, claimed: NOBODY }

/** Everything that deciding these records may look up: the employees they name, and the owners of values they set. */
export function touchedValues(records: ReadRecord[]): Touches {
  return {
    located: naming(records.flatMap(({ locator }) => locator ?? [])),
    managers: naming(records.flatMap(({ managers }) => managers).flatMap(({ locator }) => locator ?? [])),
    claimed: claimedValues(records),
  }
}

function naming(locators: Locator[]): Naming {
  const by = (field: Locator['field']) => {
    const named = new Set<string>()
    for (const { field: one, value, asStored } of locators) if (one === field) named.add(value).add(asStored ?? value)
    return [...named]
  }
  // Text that is no employee id names nobody, and PostgreSQL would reject it as a uuid.
  return {
    employeeIds: by('id').filter((id) => isId('emp', id)),
    emails: by('email'),
    externalIds: by('external_id'),
    userNames: by('user_name'),
    directoryIds: [],
  }
}

/** The unique values that records set, apart from those that identify their employees. */
export function claimedValues(records: ReadRecord[]): Naming {
  const claimed = (name: UniqueName) => {
    const values: string[] = []
    for (const { patch, locator } of records) {
      const value = uniqueForm(name, patch[name])
      const isLocator = locator?.field === name && locator.value === value
      if (typeof value === 'string' && !isLocator) values.push(value)
    }
    return values
  }
  const [emails, externalIds, userNames] = UNIQUE_NAMES.map(claimed) as [string[], string[], string[]]
  return { ...NOBODY, emails: emails.flatMap(listStoredAddresses), externalIds, userNames }
}

/** The names of these, each once if there are several. */
export function union(namings: Naming[]): Naming {
  const all = (by: keyof Naming) => {
    const named = namings.filter((naming) => naming[by].length > 0)
    return named.length === 1 ? named[0]![by] : [...new Set(named.flatMap((naming) => naming[by]))]
  }
  return {
    employeeIds: all('employeeIds'),
    emails: all('emails'),
    externalIds: all('externalIds'),
    userNames: all('userNames'),
    directoryIds: all('directoryIds'),
  }
}
