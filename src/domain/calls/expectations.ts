import type { AttributeName, AttributePatch } from '../attributes.ts'
import { valueOf, type Employee } from '../employees/employee.ts'
import type { AttributeValue, LeftOut } from '../events.ts'
import { RecordErrors } from '../record-errors.ts'
import type { FieldError } from '../record-faults.ts'
import { mapInPieces, type Pieces } from '../pieces.ts'
import type { Draft } from './call-draft.ts'
import { MANAGER_FIELDS, type ReadRecord } from './call-records.ts'

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
  return listNames(record).flatMap((path) => {
    const name = path.join('.')
    const [now, wanted] = [valueOf(before, name), wantedBy(record, path)]
    if (now === wanted) return []
    const field = path[0]!
    if (version !== before.version) return { path, fault: { kind: 'employee_changed' } }
    const isExpected = !Object.hasOwn(values, name) || values[name] === now
    return isExpected ? [] : { path, fault: { kind: 'changed_meanwhile', field } }
  })
}

/** The paths of the attributes that a record sets. */
function listNames({ patch, managers }: ReadRecord): string[][] {
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
  if (name !== 'manager_id') return patch[name as Exclude<AttributeName, 'custom_attributes'>] ?? null
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
function isOfIdentity({ locator }: ReadRecord, name: string): boolean {
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
