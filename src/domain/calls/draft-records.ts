import { listStoredAddresses } from '../email-domains.ts'
import { attributesSet, evolve, patchEffect, type Employee, type PatchEffect } from '../employees/employee.ts'
import type { NewEvent } from '../events.ts'
import type { RecordErrors } from '../record-errors.ts'
import type { FieldError } from '../record-faults.ts'
import type { Draft, EmployeeDirectory } from './call-draft.ts'
import type { ReadRecord } from './call-records.ts'

/*
 * What each record of a call would do, whatever the others are. A record that is drafted again, beside fewer others, can
 * only have another manager, so most of what it does is taken from its earlier draft.
 */

const NOTHING: Draft['needs'] = []

/** What a record does. */
type Done = Pick<Draft, 'after' | 'effect' | 'events'>

const NO_CHANGE: Done = { after: undefined, effect: undefined, events: [] }

function newDraft(record: ReadRecord, errors: RecordErrors, done = NO_CHANGE, before?: Employee): Draft {
  const { after, effect, events } = done
  return { record, before, after, effect, events, errors, collisions: 0, needs: record.needs ?? NOTHING }
}

/** The earlier draft of a record, if it does the same; undefined if the record has another manager now. */
function sameAs(earlier: Draft | undefined, { patch }: ReadRecord): Done | undefined {
  return earlier?.record.patch.manager_id === patch.manager_id ? earlier : undefined
}

/** Drafts the creation of an employee. */
export function draftCreation(record: ReadRecord, id: string, now: string, earlier: Draft | undefined): Draft {
  const errors = record.errors.copy()
  if (record.statedId !== null) errors.add(['id'], { kind: 'id_chosen', field: 'id' })
  return newDraft(record, errors, sameAs(earlier, record) ?? create(record, id, now))
}

function create({ index, patch }: ReadRecord, id: string, now: string): Done {
  const data = { attributes: attributesSet(patch) }
  const event = { type: 'EmployeeCreated', stream: id, version: 1, index, data } as const
  return { after: evolve(undefined, { ...event, recorded_at: now }), effect: undefined, events: [event] }
}

/** Drafts an update; `before` is undefined if nobody has the record's name. */
export function draftUpdate(
  record: ReadRecord,
  before: Employee | undefined,
  { now, directory, earlier }: { now: string; directory: EmployeeDirectory; earlier: Draft | undefined },
): Draft {
  const errors = record.errors.copy()
  if (!before && record.isExact) return draftErased(record, errors)
  if (!before) {
    if (record.locator) errors.addFirst({ path: [record.locator.field], ...whyNotFound(record, directory) })
    return newDraft(record, errors)
  }
  if (record.statedId !== null && record.statedId !== before.id) errors.add(['id'], { kind: 'id_changed', field: 'id' })
  return newDraft(record, errors, sameAs(earlier, record) ?? update(before, record, now), before)
}

/** Whoever was in the ledger was erased since. Nothing else of the record may be kept. */
function draftErased(record: ReadRecord, errors: RecordErrors): Draft {
  errors.addFirst({ path: ['id'], fault: { kind: 'employee_erased' } })
  return newDraft({ ...record, sent: { id: record.locator?.value } }, errors)
}

/** An email address finds nobody beside an external id: then it is a new value. */
function whyNotFound({ locator, patch }: ReadRecord, directory: EmployeeDirectory): Omit<FieldError, 'path'> {
  const isNewEmail = locator!.field === 'external_id' && typeof patch.email === 'string'
  const [holder] = isNewEmail
    ? listStoredAddresses(patch.email!).flatMap((email) => directory.byEmail(email) ?? [])
    : []
  if (!holder) return { fault: { kind: 'employee_not_found' } }
  const fault = { kind: 'not_found_by_email', field: 'external_id', other: 'email', employee: holder.id } as const
  return { fault, employeeId: holder.id }
}

function update(before: Employee, record: ReadRecord, now: string): Done {
  const effect = withProvisioning(patchEffect(before, record.patch, record.isExact), record, before)
  const events = updateEvents(before, effect, record)
  const after = events.reduce((state, event) => evolve(state, { ...event, recorded_at: now } as never), before)
  return { after, effect, events }
}

/** Adds that an identity provider deletes the employee, or brings them back without reactivating them. */
function withProvisioning(effect: PatchEffect, record: ReadRecord, before: Employee): PatchEffect {
  const { deprovisioned_at: hiddenAt } = before
  if (record.deprovisions && hiddenAt === null)
    return { ...effect, changed: [...effect.changed, 'deprovisioned_at'], result: 'deactivated' }
  if (!record.provisions || hiddenAt === null || effect.statusTo === 'active') return effect
  const changes = { ...effect.changes, deprovisioned_at: { from: hiddenAt, to: null } }
  const changed = [...effect.changed, 'deprovisioned_at']
  return { ...effect, changes, changed, result: effect.result === 'no_updates' ? 'synced' : effect.result }
}

function updateEvents(before: Employee, effect: PatchEffect, { index, deprovisions }: ReadRecord): NewEvent[] {
  const events: NewEvent[] = []
  const next = () => ({ stream: before.id, version: before.version + events.length + 1, index })
  if (Object.keys(effect.changes).length > 0) {
    events.push({ type: 'EmployeeUpdated', ...next(), data: { changes: effect.changes } })
  }
  if (effect.statusTo === 'inactive') events.push({ type: 'EmployeeDeactivated', ...next(), data: {} })
  if (effect.statusTo === 'active') events.push({ type: 'EmployeeReactivated', ...next(), data: {} })
  if (deprovisions && before.deprovisioned_at === null)
    events.push({ type: 'EmployeeDeprovisioned', ...next(), data: {} })
  return events
}
