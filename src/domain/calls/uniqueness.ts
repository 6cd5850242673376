import { UNIQUE_NAMES, uniqueForm, type UniqueName } from '../attributes.ts'
import { addCollision, type Draft, type EmployeeDirectory } from './call-draft.ts'
import type { Employee } from '../employees/employee.ts'
import { mapInPieces, pauseAfter, type Pieces } from '../pieces.ts'
import type { RecordErrors } from '../record-errors.ts'

/** What a person can have instead. */
const INSTEAD = { email: { instead: 'external_id' }, external_id: {}, user_name: {} } as const

/**
 * Adds errors for values that must be unique in the company, including inactive employees. Checks the state after the
 * whole call, so two employees can swap values.
 */
export function* addUniquenessErrors(drafts: Draft[], directory: EmployeeDirectory): Pieces<void> {
  const draftsOf = Map.groupBy(drafts, ({ before }) => before?.id)
  const holderOf = { email: directory.byEmail, external_id: directory.byExternalId, user_name: directory.byUserName }
  for (const name of UNIQUE_NAMES) {
    yield* pauseAfter(drafts)
    yield* mapInPieces([...claims(drafts, name)], ([value, claimants]) => {
      if (claimants.length > 1) for (const draft of claimants) addInBatch(draft, name)
      const before = holderOf[name](value)
      if (!before) return
      // Several records of the same employee are an error of theirs.
      const [draft, ...others] = draftsOf.get(before.id) ?? []
      const holder = others.length > 0 ? before : (draft?.after ?? before)
      const giving = [draft, ...others].filter((one) => one?.after && uniqueForm(name, one.after[name]) !== value)
      const anyOf = giving.map((one) => one!.record.index)
      for (const claimant of claimants) {
        if (claimant.before?.id === before.id) continue
        if (anyOf.length === 0) addHeld(claimant.errors, name, holder)
        else claimant.needs = [...claimant.needs, { anyOf, field: name, kind: 'holder_refused' }]
      }
    })
  }
  yield* pauseAfter(drafts)
}

/** Groups the records by their new value. Records of unknown employees claim nothing. */
function claims(drafts: Draft[], name: UniqueName): Map<string, Draft[]> {
  const claimants = new Map<string, Draft[]>()
  for (const draft of drafts) {
    const value = uniqueForm(name, draft.record.patch[name])
    if (!draft.after || typeof value !== 'string' || draft.effect?.changed.includes(name) === false) continue
    const group = claimants.get(value)
    if (group) group.push(draft)
    else claimants.set(value, [draft])
  }
  return claimants
}

function addInBatch(draft: Draft, name: UniqueName): void {
  addCollision(draft, { path: [name], fault: { kind: 'same_in_call', field: name, ...INSTEAD[name] } })
}

function addHeld(errors: RecordErrors, name: UniqueName, holder: Employee): void {
  if (holder.status === 'active') return errors.add([name], { kind: 'held', field: name, ...INSTEAD[name] })
  return errors.add([name], { kind: 'held_by_inactive', field: name, employee: holder.id }, holder.id)
}
