import {
  attributesSet,
  evolve,
  patchEffect,
  type Employee,
  type PatchEffect,
  valueOf,
} from '#domain/employees/employee'
import type { NewEvent, AttributeValue, LeftOut } from '#domain/events'
import { hasMoreMembersThan } from '#domain/json'
import { type FieldError, RecordErrors } from '#domain/record-faults'
import type { Draft, EmployeeDirectory } from './call-decision.ts'
import { type ReadRecord, type RecordPatch, MANAGER_FIELDS } from './call-records.ts'
import { type AttributePatch, listStoredAddresses } from '#domain/attributes'
import { mapInPieces, type Pieces } from '#domain/pieces'

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
  if (effect.changed.length === 0) return { after: before, effect, events: NO_CHANGE.events }
  const events = updateEvents(before, effect, record)
  const after = events.reduce((state, event) => evolve(state, { ...event, recorded_at: now } as never), before)
  return { after, effect, events }
}

/** Adds that identity providers no longer see the employee, or see them again, as everybody who is active. */
function withProvisioning(effect: PatchEffect, { patch }: ReadRecord, before: Employee): PatchEffect {
  const from = before.deprovisioned_at
  const to = effect.statusTo === 'active' ? null : patch.deprovisioned_at
  if (to === undefined || (to === null) === (from === null)) return effect
  const changed = [...effect.changed, 'deprovisioned_at']
  if (to === 'now') return { ...effect, changed, result: 'deactivated' }
  const changes = { ...effect.changes, deprovisioned_at: { from, to } }
  return { ...effect, changes, changed, result: effect.result === 'no_updates' ? 'synced' : effect.result }
}

function updateEvents(before: Employee, effect: PatchEffect, { index, patch }: ReadRecord) {
  const events: NewEvent[] = []
  const add = (type: NewEvent['type'], data: object) => {
    const version = before.version + events.length + 1
    events.push({ type, stream: before.id, version, index, data } as NewEvent)
  }
  if (hasMoreMembersThan(effect.changes, 0)) add('EmployeeUpdated', { changes: effect.changes })
  if (effect.statusTo === 'inactive') add('EmployeeDeactivated', {})
  if (effect.statusTo === 'active') add('EmployeeReactivated', {})
  if (patch.deprovisioned_at === 'now' && before.deprovisioned_at === null) add('EmployeeDeprovisioned', {})
  return events
}

/** Leaves out of each record, or refuses, the attributes that don't have the values that it expects. */
export function* meetExpectations(
  records: ReadRecord[],
  find: (record: ReadRecord) => Employee | undefined,
): Pieces<ReadRecord[]> {
  if (!records.some(({ expects }) => expects !== undefined)) return records
  return yield* mapInPieces(records, (record) => {
    const before = record.expects && find(record)
    if (!before) return record
    const unmet = listUnmet(record, before)
    return unmet.length === 0 ? record : withoutFields(record, unmet)
  })
}

function listUnmet(record: ReadRecord, before: Employee): FieldError[] {
  const { values = {}, version = before.version } = record.expects!
  const { status = before.status, deprovisioned_at: hiddenAt = before.deprovisioned_at } = record.patch
  // Nobody who is active is hidden.
  const clashing = status === 'active' && hiddenAt !== null ? ['status', HIDDEN] : []
  return listNames(record).flatMap((path) => {
    const name = path.join('.')
    const [now, wanted] = [valueOf(before, name), wantedBy(record, path)]
    if (isSame(name, now, wanted)) return []
    const field = path[0]!
    if (version !== before.version) return { path, fault: { kind: 'employee_changed' } }
    const isExpected = !Object.hasOwn(values, name) || isSame(name, values[name], now)
    return isExpected && !clashing.includes(name) ? [] : { path, fault: { kind: 'changed_meanwhile', field } }
  })
}

const HIDDEN = 'deprovisioned_at'

/** Whether two values are the same: whoever is hidden again is as before. */
function isSame(name: string, one: AttributeValue | undefined, other: AttributeValue | undefined) {
  return name === HIDDEN ? (one === null) === (other === null) : one === other
}

/** The paths of the attributes that a record sets. */
function listNames({ patch, managers }: ReadRecord) {
  const names = Object.keys(patch).filter((name) => name !== 'custom_attributes')
  const custom = Object.keys(patch.custom_attributes ?? {})
  return [
    ...names.map((name) => [name]),
    ...(managers.length > 0 ? [['manager_id']] : []),
    ...custom.map((key) => ['custom_attributes', key]),
  ]
}

function wantedBy({ patch, managers }: ReadRecord, [name, key]: readonly string[]): AttributeValue | undefined {
  if (key !== undefined) return patch.custom_attributes?.[key] ?? null
  if (name !== 'manager_id') return patch[name as Exclude<keyof RecordPatch, 'custom_attributes'>] ?? null
  const [{ locator } = { locator: null }] = managers
  // Whom another name means is not known yet.
  return locator === null ? null : locator.field === 'id' ? locator.value : undefined
}

/**
 * Leaves the attributes out of the records of a call that the state does not allow, if these say so. Returns null if no
 * record is to be judged again.
 */
export function* leaveOutFaulty(records: ReadRecord[], drafts: readonly Draft[]): Pieces<ReadRecord[] | null> {
  if (!records.some(({ leavesOut }) => leavesOut)) return null
  let isAny = false
  const fewer = yield* mapInPieces(records, (record, at) => {
    const { errors, before } = drafts[at]!
    if (!record.leavesOut || errors.count === 0 || !before) return record
    const faulty = errors.kept.filter(({ path: [name] }) => name !== undefined && !isOfIdentity(record, name))
    if (faulty.length === 0) return record
    isAny = true
    return withoutFields(record, faulty)
  })
  return isAny ? fewer : null
}

/** Whether a field says whom a record is about. */
function isOfIdentity({ locator }: ReadRecord, name: string) {
  return name === 'id' || name === locator?.field
}

/** Leaves fields out of a record, or refuses it for them, as it says. */
function withoutFields(record: ReadRecord, fields: readonly FieldError[]): ReadRecord {
  if (!record.leavesOut) {
    const errors = record.errors.copy()
    for (const { path, fault } of fields) errors.add(path, fault)
    return { ...record, errors }
  }
  const patch: Record<string, unknown> = { ...record.patch }
  let { managers } = record
  for (const { path } of fields) {
    const [name, key] = path as [string, string?]
    if (Object.hasOwn(MANAGER_FIELDS, name)) managers = []
    else if (name === 'custom_attributes' && key !== undefined) patch[name] = without(patch[name], key)
    else delete patch[name]
  }
  const errors = new RecordErrors()
  for (const { path, fault, employeeId } of record.errors.kept)
    if (!fields.some((left) => left.path[0] === path[0])) errors.add(path, fault, employeeId)
  const left = fields.map(({ path, fault }) => ({ path, fault }))
  return { ...record, patch, managers, errors, leftOut: [...(record.leftOut ?? []), ...left] }
}

function without(custom: unknown, key: string): AttributePatch['custom_attributes'] {
  const rest = Object.entries((custom ?? {}) as NonNullable<AttributePatch['custom_attributes']>)
  return Object.fromEntries(rest.filter(([name]) => name !== key))
}

/** Groups what was left out of records by field and fault, as the event that closes their call has it. */
export function groupLeftOut(drafts: readonly Draft[]): LeftOut[] {
  const groups = new Map<string, LeftOut>()
  for (const { record } of drafts) {
    const { index } = record
    for (const { path, fault } of record.leftOut ?? []) {
      const field = path[0] ?? ''
      const name = JSON.stringify([field, fault])
      const group = groups.get(name)
      if (!group) groups.set(name, { field, fault, records: [index] })
      // Several custom attributes are one field.
      else if (group.records.at(-1) !== index) group.records.push(index)
    }
  }
  return [...groups.values()]
}
