import {
  type AttributeName,
  type AttributePatch,
  type CustomValue,
  type EmployeeAttributes,
  type EmployeeStatus,
  ALTERNATIVES,
  ATTRIBUTE_NAMES,
  MAX_CUSTOM_ATTRIBUTES,
  tooManyCustom,
  UNSET_ATTRIBUTES,
  readPunycode,
} from '#domain/attributes'
import { hasMoreMembersThan } from '#domain/json'
import { normalizeText } from '#text/normalize-text'
import type { AttributeChanges, AttributesSet, AttributeValue, RecordedEvent } from '#domain/events'
import { EVENT_TYPES, type EventTypeWith } from '#domain/event-types'
import type { RecordErrors } from '#domain/record-faults'

/** An employee's current state. The API returns the same fields in the same order. */
export interface Employee extends EmployeeAttributes {
  id: string
  created_at: string
  updated_at: string
  deactivated_at: string | null
  /** When an identity provider deleted the employee, who is hidden from it until somebody reactivates them. */
  deprovisioned_at: string | null
  /** The version of the employee's stream. */
  version: number
}

/** An event of an employee's stream, which may end with an erasure. */
export type EmployeeStreamEvent = Extract<RecordedEvent, { type: EventTypeWith<{ stream: 'emp' }> }>

export type EmployeeEvent = Exclude<EmployeeStreamEvent, { type: 'EmployeeErased' }>

/** Whether an event belongs to an employee's stream. */
export function isEmployeeEvent(event: RecordedEvent): event is EmployeeStreamEvent {
  return EVENT_TYPES[event.type].stream === 'emp'
}

type Fact = Pick<EmployeeEvent, 'stream' | 'version' | 'recorded_at'> &
  {
    [Type in EmployeeEvent['type']]: { type: Type; data: Extract<EmployeeEvent, { type: Type }>['data'] }
  }[EmployeeEvent['type']]

export const RECORD_RESULTS = ['synced', 'no_updates', 'reactivated', 'deactivated'] as const
export type RecordResult = (typeof RECORD_RESULTS)[number]

/** Prefix of a custom attribute's key in the name of a change. */
export const CUSTOM_PREFIX = 'custom_attributes.'

/**
 * Applies one event to an employee. Pure: does not modify its arguments.
 * Events with erased data (null) change no attributes.
 */
export function evolve(employee: Employee | undefined, event: Fact): Employee {
  if (event.type === 'EmployeeCreated') return created(event.stream, event.data?.attributes ?? {}, event)
  if (!employee) throw new Error(`${event.type} on ${event.stream}, which was never created`)
  const now = { updated_at: event.recorded_at, version: event.version }
  switch (event.type) {
    case 'EmployeeUpdated':
      return applyChanges(employee, event.data?.changes ?? {}, now)
    case 'EmployeeDeactivated':
      return { ...employee, ...now, status: 'inactive', deactivated_at: event.recorded_at }
    case 'EmployeeReactivated':
      return { ...employee, ...now, status: 'active', deactivated_at: null, deprovisioned_at: null }
    case 'EmployeeDeprovisioned':
      return { ...employee, ...now, deprovisioned_at: event.recorded_at }
  }
}

/**
 * Applies one event of a ledger with erasures; undefined once the employee is erased. An employee whose creation was read
 * before its erasure exists until the event that erased it.
 */
export function evolveStored(employee: Employee | undefined, event: EmployeeStreamEvent): Employee | undefined {
  if (event.type === 'EmployeeErased') return undefined
  if (!employee && event.data === null) return undefined
  return evolve(employee, event)
}

function created(id: string, set: AttributesSet, at: { recorded_at: string; version: number }): Employee {
  const { recorded_at: now, version } = at
  const deactivated = set.status === 'inactive' ? now : null
  return restoreEmployee(id, set, {
    created_at: now,
    updated_at: now,
    deactivated_at: deactivated,
    deprovisioned_at: null,
    version,
  })
}

/** The members of an employee that are not attributes. An employee is inactive while `deactivated_at` is set. */
type EmployeeLife = Pick<Employee, 'created_at' | 'updated_at' | 'deactivated_at' | 'deprovisioned_at' | 'version'>

/** An employee without values. Copies of it have one shape, which the engine makes, reads, and writes fastest. */
const BLANK: Employee = {
  id: '',
  ...UNSET_ATTRIBUTES,
  created_at: '',
  updated_at: '',
  deactivated_at: null,
  deprovisioned_at: null,
  version: 0,
}

/**
 * Restores an employee from the attributes that are set, apart from the status. Keeps attributes that only a later
 * version of the program knows.
 */
export function restoreEmployee(id: string, set: Omit<AttributesSet, 'status'>, life: EmployeeLife): Employee {
  const { created_at, updated_at, deactivated_at, deprovisioned_at, version } = life
  const status = deactivated_at === null ? 'active' : 'inactive'
  return { ...BLANK, ...set, id, status, created_at, updated_at, deactivated_at, deprovisioned_at, version }
}

function applyChanges(
  employee: Employee,
  changes: AttributeChanges,
  { updated_at, version }: Pick<Employee, 'updated_at' | 'version'>,
) {
  const after: Record<string, unknown> = { ...employee, updated_at, version }
  // Copy the custom attributes only if one changes: most patches change none.
  let custom: Map<string, unknown> | undefined
  // Lists no pairs, as Object.entries would. Parsed JSON inherits none.
  // oxlint-disable-next-line guard-for-in
  for (const name in changes) {
    const { to } = changes[name]!
    if (!name.startsWith(CUSTOM_PREFIX)) {
      after[name] = to
      continue
    }
    custom ??= new Map(Object.entries(employee.custom_attributes))
    if (to === null) custom.delete(name.slice(CUSTOM_PREFIX.length))
    else custom.set(name.slice(CUSTOM_PREFIX.length), to)
  }
  if (custom) after.custom_attributes = Object.fromEntries(custom)
  return after as unknown as Employee
}

// In the order of the canonical form, so that it has nothing to sort.
const NAMES_IN_ORDER = ATTRIBUTE_NAMES.toSorted()

/** Returns the attributes that a creation sets, as in its event: no nulls, and always the status. */
export function attributesSet(sent: AttributePatch): AttributesSet {
  const set: Record<string, unknown> = {}
  for (const name of NAMES_IN_ORDER) {
    const value = name === 'status' ? (sent.status ?? 'active') : sent[name]
    if (value === null || value === undefined) continue
    set[name] = name === 'custom_attributes' ? withoutNulls(sent.custom_attributes!) : value
  }
  return set
}

/** A merge patch of nothing: what null would remove is not there (RFC 7396 section 2). */
function withoutNulls(custom: Record<string, CustomValue | null>) {
  if (!Object.values(custom).includes(null)) return custom
  return Object.fromEntries(Object.entries(custom).filter(([, value]) => value !== null))
}

/** The effect of a merge patch on an employee. */
export interface PatchEffect {
  changes: AttributeChanges
  /** The new status, if it changes. */
  statusTo: EmployeeStatus | null
  /** The names of changed attributes, including `status`, in the order of response fields. */
  changed: string[]
  result: RecordResult
}

/** The value of an attribute by its name in changes; null if it is not set. */
export function valueOf(employee: Employee, name: string): AttributeValue {
  if (!name.startsWith(CUSTOM_PREFIX)) return employee[name as Exclude<AttributeName, 'custom_attributes'>]
  const key = name.slice(CUSTOM_PREFIX.length)
  return Object.hasOwn(employee.custom_attributes, key) ? (employee.custom_attributes[key] ?? null) : null
}

/** What most records of a night do. */
const NO_EFFECT: PatchEffect = { changes: {}, statusTo: null, changed: [], result: 'no_updates' }

/**
 * Compares a normalized merge patch with the state. Values that are already set are not changes. The values of an exact
 * patch are set as they are, in their own types, though they mean the same as those that are stored.
 */
export function patchEffect(employee: Employee, patch: AttributePatch, isExact = false): PatchEffect {
  if (hasValues(employee, patch)) return NO_EFFECT
  const changes: AttributeChanges = {}
  const changed: string[] = []
  let statusTo: EmployeeStatus | null = null
  for (const name of ATTRIBUTE_NAMES) {
    if (patch[name] === undefined) continue
    if (name === 'custom_attributes') {
      const custom = customChanges(employee.custom_attributes, patch.custom_attributes ?? null, isExact)
      for (const [key, change] of Object.entries(custom)) {
        changes[key] = change
        changed.push(key)
      }
    } else if (isExact ? employee[name] !== patch[name] : !isSameValue(name, employee[name], patch[name])) {
      changed.push(name)
      if (name === 'status') statusTo = patch.status ?? null
      else changes[name] = { from: employee[name], to: patch[name] ?? null }
    }
  }
  return { changes, statusTo, changed, result: toResult(changed.length, statusTo) }
}

/** Whether an employee has the very values of a patch. */
function hasValues(employee: Employee, patch: AttributePatch) {
  // Lists no names, as Object.keys would. No patch has a prototype with anything to list.
  for (const name in patch) {
    const value = patch[name as AttributeName]
    if (value === undefined || value === employee[name as AttributeName]) continue
    const isCustom = name === 'custom_attributes' && value !== null
    if (!isCustom || !hasMembers(employee.custom_attributes, value as Record<string, CustomValue>)) return false
  }
  return true
}

/** Whether an object has these very members. */
function hasMembers(object: Record<string, CustomValue>, members: Record<string, CustomValue | null>) {
  // Lists no names, as Object.keys would. Neither has a prototype with anything to list.
  for (const key in members) if (!Object.hasOwn(object, key) || object[key] !== members[key]) return false
  return true
}

/** Whether a stored value is that of a patch. Older ledgers hold texts that are not normalized. */
function isSame(stored: AttributeValue, patched: AttributeValue) {
  return stored === patched || (typeof stored === 'string' && (normalizeText(stored) || null) === patched)
}

/** The same for an attribute. Older ledgers hold the domains of addresses as they were sent, also as Punycode. */
function isSameValue(name: AttributeName, stored: AttributeValue, patched: AttributeValue) {
  if (isSame(stored, patched)) return true
  return name === 'email' && typeof stored === 'string' && readPunycode(stored) === patched
}

function toResult(changedCount: number, statusTo: EmployeeStatus | null): RecordResult {
  if (statusTo === 'inactive') return 'deactivated'
  if (statusTo === 'active') return 'reactivated'
  return changedCount > 0 ? 'synced' : 'no_updates'
}

function customChanges(
  before: Record<string, CustomValue>,
  patch: Record<string, CustomValue | null> | null,
  isExact: boolean,
) {
  const requested = patch ?? Object.fromEntries(Object.keys(before).map((key) => [key, null]))
  const changes: AttributeChanges = {}
  for (const [key, value] of Object.entries(requested)) {
    const from = Object.hasOwn(before, key) ? (before[key] ?? null) : null
    const to = isExact ? value : keepType(from, value)
    if (isExact ? from !== to : !isSame(from, to)) changes[CUSTOM_PREFIX + key] = { from, to }
  }
  return changes
}

/**
 * A new value of a custom attribute, in the type that the attribute has if both types write it the same. A file may have a
 * text where the API has a number, and neither of two clients should change what the other wrote.
 */
function keepType(before: CustomValue | null, sent: CustomValue | null) {
  // 1.0.0 stored empty texts.
  if (before === null || before === '' || sent === null || typeof before === typeof sent) return sent
  const text = String(sent)
  if (typeof before === 'string') return text
  const kept = typeof before === 'number' ? Number(text) : text === 'true'
  return String(kept) === text && Number.isFinite(Number(kept)) ? kept : sent
}

/** Adds errors of several attributes, checked on the state after the call, if a `touched` attribute is involved. */
export function addStateErrors(
  errors: RecordErrors,
  after: Pick<Employee, 'start_date' | 'termination_date' | 'custom_attributes'>,
  touched: (name: AttributeName) => boolean,
) {
  const { start_date: start, termination_date: termination } = after
  if (start !== null && termination !== null && termination < start) {
    // Of somebody who has come back, the stored date stands in the way.
    if (touched('termination_date'))
      errors.add(['termination_date'], { kind: 'before_other', field: 'termination_date', other: 'start_date' })
    else if (touched('start_date'))
      errors.add(['start_date'], { kind: 'after_stored', field: 'start_date', other: 'termination_date' })
  }
  if (hasMoreMembersThan(after.custom_attributes, MAX_CUSTOM_ATTRIBUTES) && touched('custom_attributes')) {
    errors.add(['custom_attributes'], tooManyCustom('custom_attributes'))
  }
}

/** Adds an error where an employee would have none of several attributes, if a `touched` one is involved. */
export function addMissing(
  errors: RecordErrors,
  after: Pick<Employee, (typeof ALTERNATIVES)[number][number]>,
  touched: (name: AttributeName) => boolean,
) {
  const isMissing = (name: keyof typeof after) => after[name] === null
  for (const names of ALTERNATIVES) {
    if (!names.every(isMissing)) continue
    const first = names.find(touched)
    if (first === undefined) continue
    // One that was sent and refused is not missing.
    if (errors.kept.some(({ path: [name] }) => names.some((one) => one === name))) continue
    errors.add([first], { kind: 'none_of', fields: names })
  }
}

/** The name of a person as it is read: the parts that there are, or an empty text if there are none. */
export function formatFullName({
  first_name: first,
  last_name: last,
}: {
  first_name?: string | null | undefined
  last_name?: string | null | undefined
}): string {
  return [first, last].filter((part) => part !== null && part !== undefined && part !== '').join(' ')
}

/** What a call may have overlooked. */
export const WARNINGS = ['inactive_employees', 'past_termination_dates', 'inactive_managers'] as const
export type WarningCode = (typeof WARNINGS)[number]

/** The warnings that hold for as long as nobody changes the people. */
export const LASTING_WARNINGS = ['past_termination_dates', 'inactive_managers'] as const satisfies WarningCode[]
export type LastingWarning = (typeof LASTING_WARNINGS)[number]

/** A day has passed everywhere on Earth so many hours after it has in UTC. */
export const HOURS_UNTIL_PASSED = 12

/** The first day (YYYY-MM-DD) that has not passed everywhere at a time, which is RFC 3339 UTC. */
export function findFirstDay(now: string) {
  return new Date(Date.parse(now) - HOURS_UNTIL_PASSED * 3_600_000).toISOString().slice(0, 10)
}
