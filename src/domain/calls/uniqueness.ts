import { UNIQUE_NAMES, uniqueForm, type UniqueName } from '../attributes.ts'
import { addCollision, isLinkable, type Draft, type EmployeeDirectory } from './call-draft.ts'
import { listStoredAddresses } from '../email-domains.ts'
import type { Employee } from '../employees/employee.ts'
import { rulesOf, type Operation } from '../operations.ts'
import { mapInPieces, pauseAfter, type Pieces } from '../pieces.ts'
import type { Fault } from '../record-faults.ts'

/** What a person can have instead. */
const INSTEAD = { email: { instead: 'external_id' }, external_id: {}, user_name: {} } as const

/**
 * Adds errors for values that must be unique in the company, including inactive employees. Checks the state after the
 * whole call, so two employees can swap values.
 */
export function* addUniquenessErrors(
  drafts: Draft[],
  directory: EmployeeDirectory,
  operation: Operation,
): Pieces<void> {
  const draftsOf = Map.groupBy(drafts, ({ before }) => before?.id)
  const holderOf = { email: directory.byEmail, external_id: directory.byExternalId, user_name: directory.byUserName }
  for (const name of UNIQUE_NAMES) {
    yield* pauseAfter(drafts)
    yield* mapInPieces([...claims(drafts, name)], ([value, claimants]) => {
      if (claimants.length > 1) for (const draft of claimants) addInBatch(draft, name)
      const forms = name === 'email' ? listStoredAddresses(value) : [value]
      let before: Employee | undefined
      for (const form of forms) before ??= holderOf[name](form)
      if (!before) return
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

/** What is wrong with a value that somebody else has, and so what to do about it. */
function whyHeld({ before, record }: Draft, field: UniqueName, holder: Employee, operation: Operation): Fault {
  const held = { field, employee: holder.id }
  if (holder.status === 'inactive') return { kind: 'held_by_inactive', ...held }
  const isNew = rulesOf(operation).creates === 'unfound' && !before && record.locator?.field === 'external_id'
  if (field === 'email' && isNew) return { kind: isLinkable(holder) ? 'held_by_linkable' : 'held_by_other_id', ...held }
  return { kind: 'held', ...held, ...INSTEAD[field] }
}
