import { addCollision, locate, type Draft, type EmployeeDirectory } from './call-decision.ts'
import { UNIQUE_NAMES, uniqueForm, type AttributePatch, type UniqueName } from '../attributes.ts'
import { eachInPieces, mapInPieces, pauseAfter, type Pieces } from '../pieces.ts'
import { MANAGER_FIELDS, type Locator, type Need, type ReadRecord } from './call-records.ts'

/**
 * Resolves the manager of each record and puts the id into its patch. Looks in the company's state before the call,
 * then among the values that the records of the whole call set. `idOf` returns the id of a record's employee. A manager
 * who is not found is an error of the record, unless it is the id that the employee has: the manager was erased, and
 * clients send back what they read.
 */
export function* resolveManagers(
  records: ReadRecord[],
  idOf: (record: ReadRecord) => string | undefined,
  directory: EmployeeDirectory,
): Pieces<ReadRecord[]> {
  if (!records.some(({ managers }) => managers.length > 0)) return records
  const inCall = yield* namesInCall(records, idOf)
  return yield* mapInPieces(records, (record) => {
    if (record.managers.length === 0) return record
    const needs: Need[] = []
    const missing: string[] = []
    const ids = new Set<string | null>()
    let isAmbiguous = false
    for (const { field, locator } of record.managers) {
      const known = locator && locate(locator, directory)
      const named = known || locator === null ? undefined : findInCall(locator, inCall)
      if (named) needs.push({ anyOf: named.indexes, field, kind: 'manager_refused' })
      if (named?.isShared) isAmbiguous = true
      const id = locator === null ? null : (known?.id ?? named?.id ?? findErased(locator, idOf(record), directory))
      if (id === undefined) missing.push(field)
      else ids.add(id)
    }
    if (missing.length === 0) {
      // Several records that give the same name are wrong themselves, so that nobody needs to know whom it means.
      if (isAmbiguous) return { ...record, needs }
      const [id = null, ...others] = ids
      if (others.length === 0) return { ...record, patch: { ...record.patch, manager_id: id }, needs }
    }
    const errors = record.errors.copy()
    for (const field of missing) errors.add([field], { kind: 'manager_not_found' })
    if (missing.length === 0)
      errors.add([record.managers[1]!.field], { kind: 'different_managers', fields: Object.keys(MANAGER_FIELDS) })
    return { ...record, errors, needs }
  })
}

/** The id of a manager whom nobody is any more, if the employee has it already. */
function findErased({ field, value }: Locator, id: string | undefined, directory: EmployeeDirectory) {
  const before = field === 'id' && id !== undefined ? directory.byId(id) : undefined
  return before?.manager_id === value ? value : undefined
}

/** What a record sets, with the id of its manager; undefined if nobody is that manager, or its fields name several. */
export function patchWithManager(
  { patch, managers }: ReadRecord,
  findId: (locator: Locator) => string | undefined,
): AttributePatch | undefined {
  if (managers.length === 0) return patch
  const [id, ...others] = managers.map(({ locator }) => locator && findId(locator))
  return id === undefined || others.some((other) => other !== id) ? undefined : { ...patch, manager_id: id }
}

/** Who has a name after the call, and the records that give it to them; whether it is given to several, in error. */
type NamesInCall = Record<UniqueName, Map<string, { id: string; indexes: number[]; isShared: boolean }>>

function* namesInCall(records: ReadRecord[], idOf: (record: ReadRecord) => string | undefined): Pieces<NamesInCall> {
  const names: NamesInCall = { email: new Map(), external_id: new Map(), user_name: new Map() }
  yield* eachInPieces(records, (record) => {
    const id = idOf(record)
    if (id === undefined) return
    for (const name of UNIQUE_NAMES) {
      const value = uniqueForm(name, record.patch[name])
      if (typeof value !== 'string') continue
      const known = names[name].get(value)
      if (known) {
        known.isShared ||= known.id !== id
        known.indexes.push(record.index)
      } else names[name].set(value, { id, indexes: [record.index], isShared: false })
    }
  })
  return names
}

function findInCall({ field, value }: Locator, inCall: NamesInCall) {
  return field === 'id' ? undefined : inCall[field].get(value)
}

/** Whether a record gives its employee another manager. */
export function hasNewManager({ before, after }: Draft) {
  return typeof after?.manager_id === 'string' && after.manager_id !== before?.manager_id
}

/** Adds errors to records whose new manager would report to their employee, after the whole call. */
export function* addManagerErrors(drafts: Draft[], directory: EmployeeDirectory): Pieces<void> {
  const changed = drafts.filter(hasNewManager)
  if (changed.length === 0) return
  const afterwards = new Map<string | undefined, string | null | undefined>()
  // Several records of the same employee are an error of theirs, whatever manager they set.
  for (const { before, after } of drafts)
    afterwards.set(after?.id, afterwards.has(after?.id) ? before?.manager_id : after?.manager_id)
  const managerOf = (id: string) => (afterwards.has(id) ? (afterwards.get(id) ?? null) : directory.managerOf(id))
  yield* pauseAfter(changed)
  const inCycle = cyclesFrom(
    changed.map(({ after }) => after!.id),
    managerOf,
  )
  yield* eachInPieces(changed, (draft) => {
    const { before, after, record, errors } = draft
    const path = [record.managers[0]?.field ?? 'manager_id']
    if (after!.manager_id === after!.id) errors.add(path, { kind: 'own_manager' })
    else if (inCycle.has(after!.id)) addCollision(draft, { path, fault: { kind: 'manager_cycle' } })
    // Nobody reports to a new employee yet.
    else if (before && !directory.knowsManagers) errors.add(path, { kind: 'line_too_long' })
  })
}

/** Finds the employees on a cycle above the given ones. Visits each employee once, however long the chains. */
export function cyclesFrom(starts: string[], managerOf: (id: string) => string | null): Set<string> {
  const visited = new Set<string>()
  const inCycle = new Set<string>()
  for (const start of starts) {
    const path: string[] = []
    const onPath = new Set<string>()
    let id: string | null = start
    while (id !== null && !visited.has(id)) {
      visited.add(id)
      onPath.add(id)
      path.push(id)
      id = managerOf(id)
    }
    if (id !== null && onPath.has(id)) for (const member of path.slice(path.indexOf(id))) inCycle.add(member)
  }
  return inCycle
}
