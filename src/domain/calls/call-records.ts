import {
  ATTRIBUTE_NAMES,
  isSentAsStored,
  readAttribute,
  type AttributeName,
  type AttributePatch,
  MAX_CUSTOM_MEMBERS,
  tooManyCustom,
  listStoredAddresses,
} from '#domain/attributes'
import { problem, type Problem } from '#domain/errors'
import type { AttributeValue, EventData, SentJson } from '#domain/events'
import { rulesOf, type ManyOperation } from '#domain/operations'
import { hasMoreMembersThan, isObject } from '#domain/json'
import { trimBlanks } from '#text/normalize-text'
import { type Fault, type FieldError, RecordErrors } from '#domain/record-faults'
import { refuseUnknownField } from './unknown-field.ts'

/** A record of a call as sent. */
export interface SentRecord {
  /** Zero-based index in the call. */
  index: number
  /** JSON Pointer of the list in the body that has the record at its index; null if the body is the record. */
  list: string | null
  sent: SentJson
}

/** The normalized value that identifies the employee of an update, and the field it was sent in. */
export interface Locator {
  field: 'id' | 'external_id' | 'email' | 'user_name'
  /** Of a user name, its folded form. */
  value: string
  /** Another form in which older ledgers may hold the value: an external id as the client sent it, or Punycode. */
  asStored?: string
}

/** The names in a record by which an erasure and a search find its person. */
export type KeptNames = NonNullable<EventData['EmployeeRecordRejected']['names']>

/** A reference to the manager. */
interface ManagerReference {
  field: 'manager_id' | 'manager_external_id' | 'manager_email'
  /** What identifies the manager; null removes the manager. */
  locator: Locator | null
}

/** Other records of the call, one of which must be applied as well, and the field that it is needed for. */
export interface Need {
  anyOf: readonly number[]
  field: string
  /** The fault of this record if none of them is. */
  kind: Extract<Fault['kind'], `${string}_refused`>
}

/**
 * What a record expects of its employee when its call is decided. It changes only what is as expected: of the rest,
 * somebody else has set something meanwhile.
 */
export interface Expectations {
  /** By the name of an attribute; custom attributes are named `custom_attributes.KEY`. It changes the others anyway. */
  values?: Readonly<Record<string, AttributeValue>>
  /** The employee's version; if it is another one, the record changes nothing. */
  version?: number
}

/** A field that was left out of a record, and why. */
export type LeftOutField = Pick<FieldError, 'path' | 'fault'>

/**
 * What a record sets. `deprovisioned_at` hides the employee, who must be inactive afterwards, from identity providers:
 * `now`, or since an earlier time. Null ends that, even if they stay inactive.
 */
export type RecordPatch = AttributePatch & { deprovisioned_at?: 'now' | (string & {}) | null }

/** A record after all validation that does not need the company's state. */
export interface ReadRecord extends SentRecord {
  /** Null for a `POST`, or if the locator is invalid. */
  locator: Locator | null
  /** The valid attributes, normalized, without the manager. */
  patch: RecordPatch
  /** Local phone numbers by their attributes: the country of the company says which numbers these are. */
  localPhones: readonly { name: AttributeName; text: string }[]
  /** The references to the manager, all of them to the same one; empty if the record does not set one. */
  managers: readonly ManagerReference[]
  /** The records that name the manager, if only the call does. */
  needs?: readonly Need[]
  /** What names its employee, of a record whose members have other names than attributes. */
  names?: KeptNames
  /** The id in the record, if that does not locate the employee: it must be theirs. */
  statedId: string | null
  errors: RecordErrors
  /** What must be so when the call is decided; absent if nothing must. */
  expects?: Expectations
  /** Whether what can't be set is left out and told, where it would refuse the record otherwise. */
  leavesOut?: true
  /** What was left out. */
  leftOut?: readonly LeftOutField[]
  /** Whether its values come from the ledger, and are set as they are: see `patchEffect`. */
  isExact?: true
}

/** The records of a call, or the problem that refuses the whole call and its number of records. */
export type CallRecords = { records: SentRecord[]; problem?: undefined } | { problem: Problem; count: number }

/** The records of a call that may have several: `{"employees": […]}`, a bare array, or, if it may be, one bare object. */
export function recordsOfMany(operation: ManyOperation, body: SentJson, maxRecords: number): CallRecords {
  const isOne = rulesOf(operation).body === 'one or many' && isObject(body) && !Object.hasOwn(body, 'employees')
  if (isOne) return { records: [{ index: 0, list: null, sent: body }] }
  if (Array.isArray(body)) return recordsOfArray(body, '', maxRecords)
  if (!isObject(body) || !Array.isArray(body.employees)) {
    return refused('The body must be an array of records, or an object with an "employees" array')
  }
  if (hasMoreMembersThan(body, 1))
    return refused('The body must have no member other than "employees"', body.employees.length)
  return recordsOfArray(body.employees, '/employees', maxRecords)
}

/** The one record of `PATCH /v1/employees/{id}`. */
export function recordOfOne(body: SentJson): CallRecords {
  if (!isObject(body)) return refused('The body must be an object: a JSON Merge Patch of the employee', 1)
  return { records: [{ index: 0, list: null, sent: body }] }
}

function refused(detail: string, count = 0): CallRecords {
  return { problem: problem('invalid_body', detail), count }
}

function recordsOfArray(array: SentJson[], list: string, maxRecords: number): CallRecords {
  const count = array.length
  if (count === 0) return { problem: problem('empty_batch', 'The call must have at least 1 record'), count }
  if (count > maxRecords) {
    return { problem: problem('batch_too_large', `The call must have at most ${maxRecords} records`), count }
  }
  return { records: array.map((sent, index) => ({ index, list, sent })) }
}

/** Reads the record of a single update, whose employee is in the path. */
export function readUpdateOf(record: SentRecord, id: string): ReadRecord {
  const locator: Locator = { field: 'id', value: id }
  if (!isReadable(record.sent)) return unreadable(record, locator)
  return readFields(record, record.sent, { locator, locating: undefined })
}

/** Reads a record of a call that may have several: a patch, which names its employee unless all are new. */
export function readRecord(operation: ManyOperation, record: SentRecord): ReadRecord {
  if (!isReadable(record.sent)) return unreadable(record, null)
  const { locators, creates } = rulesOf(operation)
  if (locators.length === 0) return readFields(record, record.sent, { locator: null, locating: undefined })
  const { locator, error } = readLocator(record.sent, locators)
  // What names an employee is a value, too, if the record may create them.
  const named = creates === 'none' ? locator?.field : undefined
  return readFields(record, record.sent, { locator, locating: named ?? error?.path[0], error })
}

/** Whether a record is an object with an acceptable number of members. */
export function isReadable(sent: SentJson): sent is Record<string, SentJson> {
  return isObject(sent) && !(sent instanceof UnreadRecord) && !hasMoreMembersThan(sent, MAX_MEMBERS)
}

/** Refuses a whole record without reading its members. */
function unreadable(record: SentRecord, locator: Locator | null): ReadRecord {
  const errors = new RecordErrors()
  errors.addFirst(whyUnreadable(record.sent))
  return { ...record, locator, patch: {}, localPhones: NO_PHONES, managers: NO_MANAGERS, statedId: null, errors }
}

function whyUnreadable(sent: SentJson): FieldError {
  if (sent instanceof UnreadRecord) return sent.error
  if (isObject(sent)) return TOO_MANY_MEMBERS
  return { path: [], fault: { kind: 'not_record' } }
}

interface LocatorReading {
  locator: Locator | null
  error?: FieldError | undefined
}

function readLocator(sent: Record<string, SentJson>, locators: readonly Locator['field'][]): LocatorReading {
  if (locators.includes('id') && Object.hasOwn(sent, 'id')) {
    if (typeof sent.id === 'string') return { locator: { field: 'id', value: trimBlanks(sent.id) } }
    return { locator: null, error: { path: ['id'], fault: { kind: 'not_string', field: 'id' } } }
  }
  for (const field of locators) {
    if (field === 'id' || sent[field] === undefined) continue
    const { value, errors } = readAttribute(field, sent[field])
    if (errors) return { locator: null, error: { path: [field], fault: errors[0]!.fault } }
    if (value !== null) return { locator: { field, value: value as string, ...storedAs(field, sent[field], value) } }
  }
  return { locator: null, error: { path: [], fault: { kind: 'missing_locator', fields: locators } } }
}

/** The other form in which older ledgers may hold a name. */
function storedAs(name: AttributeName, sent: SentJson, value: unknown): { asStored?: string } {
  if (name === 'external_id') return typeof sent === 'string' && sent !== value ? { asStored: sent } : {}
  const [, asStored] = name === 'email' && typeof value === 'string' ? listStoredAddresses(value) : []
  return asStored === undefined ? {} : { asStored }
}

/** What only the service sets. A client may send back what it has read (RFC 7644, section 3.5.2). */
const READ_ONLY: ReadonlySet<string> = new Set([
  'created_at',
  'updated_at',
  'deactivated_at',
  'deprovisioned_at',
  'version',
])

/** The field of the manager that each field names. */
export const MANAGER_FIELDS: Readonly<Record<ManagerReference['field'], Locator['field']>> = {
  manager_id: 'id',
  manager_external_id: 'external_id',
  manager_email: 'email',
}

// Shared by the many records without them.
const NO_PHONES: ReadRecord['localPhones'] = []
const NO_MANAGERS: ReadRecord['managers'] = []

/** The attribute whose rules apply to each field. */
const FIELDS: ReadonlyMap<string, AttributeName> = new Map([
  ...ATTRIBUTE_NAMES.map((name) => [name, name] as const),
  ['manager_external_id', 'external_id'],
  ['manager_email', 'email'],
])

/** Reads all members of a record except the one that locates the employee, which was read before. */
function readFields(
  { index, list }: SentRecord,
  sent: Record<string, SentJson>,
  { locator, locating, error }: LocatorReading & { locating: string | undefined },
): ReadRecord {
  const errors = new RecordErrors()
  if (error) errors.addFirst(error)
  const patch: Record<string, unknown> = {}
  let localPhones = NO_PHONES
  let managers = NO_MANAGERS
  // Lists no names, as Object.keys would. Parsed JSON inherits none.
  for (const name in sent) {
    if (name === locating) continue
    const attribute = FIELDS.get(name)
    if (attribute === undefined) {
      if (name !== 'id' && !READ_ONLY.has(name))
        errors.add([name], errors.isFull ? { kind: 'unknown_field' } : refuseUnknownField(name, sent[name]))
      continue
    }
    if (attribute === name && isSentAsStored(attribute, sent[name])) {
      patch[name] = sent[name]
      continue
    }
    const { value, errors: faults, localPhone } = readAttribute(attribute, sent[name], name)
    if (localPhone !== undefined) localPhones = [...localPhones, { name: attribute, text: localPhone }]
    else if (faults) for (const { below = [], fault } of faults) errors.add([name, ...below], fault)
    else if (isManagerField(name)) {
      const by = { field: MANAGER_FIELDS[name], ...storedAs(attribute, sent[name], value) }
      managers = [...managers, { field: name, locator: value === null ? null : { ...by, value: value as string } }]
    } else patch[name] = value
  }
  const statedId = locating === 'id' ? null : readStatedId(sent.id, errors)
  return { index, list, sent, locator, patch, localPhones, managers, statedId, errors }
}

function isManagerField(name: string): name is ManagerReference['field'] {
  return Object.hasOwn(MANAGER_FIELDS, name)
}

function readStatedId(id: SentJson, errors: RecordErrors) {
  if (id === undefined || id === null || id === '') return null
  if (typeof id === 'string') return trimBlanks(id)
  errors.add(['id'], { kind: 'not_string', field: 'id' })
  return null
}

/** The ids that the records of a call give to new employees. Each is made when it is first asked for, and then stays. */
export class NewIds {
  readonly #newId: (prefix: 'emp') => string
  readonly #ids = new Map<number, string>()

  constructor(newId: (prefix: 'emp') => string) {
    this.#newId = newId
  }

  /** The id of the new employee of the record at this index. */
  of(index: number): string {
    const id = this.#ids.get(index) ?? this.#newId('emp')
    this.#ids.set(index, id)
    return id
  }
}

/** Maximum members of a record. One with more is refused without reading its members. */
export const MAX_MEMBERS = 128
/** Maximum values inside the members of a record: those of its custom attributes. */
export const MAX_NESTED = MAX_CUSTOM_MEMBERS
/** Maximum bytes of a record: more than a valid one can have, unless it is padded with white space. */
export const MAX_SENT_BYTES = 1_048_576

/** A record that is so large that it is not parsed. It is refused whole, with one error. */
export class UnreadRecord {
  /** The beginning of its JSON text. */
  readonly text: string
  /** The names in it that can find a person. */
  readonly names: NonNullable<EventData['EmployeeRecordRejected']['names']>
  readonly error: FieldError

  constructor(text: string, names: UnreadRecord['names'], error: FieldError) {
    this.text = text
    this.names = names
    this.error = error
  }
}

/** The error of a record with too many members. */
export const TOO_MANY_MEMBERS: FieldError = {
  path: [],
  fault: { kind: 'too_many_members', limit: MAX_MEMBERS },
}

/** The error of a record whose members hold too many values, in the member of this name. */
export function tooManyValues(name: string): FieldError {
  const fault =
    name === 'custom_attributes' ? tooManyCustom(name) : ({ kind: 'too_many_values', limit: MAX_NESTED } as const)
  return { path: [name], fault }
}

/** The error of a record with too many bytes. */
export const TOO_MANY_BYTES: FieldError = {
  path: [],
  fault: { kind: 'too_many_bytes', limit: MAX_SENT_BYTES },
}
