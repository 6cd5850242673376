import { type RecordErrorCode, MAX_RECORD_ERRORS } from './errors.ts'

/*
 * What can be wrong with a record. A fault is its kind and what its message is made of; its words come last, because each
 * protocol has its own names for the fields. A fault never contains a value that was sent.
 */

/** A field by the name that the client knows. */
interface OfField {
  field: string
}

/** The text in a field, or the name or value of a custom attribute. */
interface OfText extends OfField {
  part?: 'name' | 'value'
}

interface OfLimit {
  limit: number
}

interface OfTwo extends OfField {
  other: string
}

interface OfFields {
  fields: readonly string[]
}

interface OfHolder extends OfField {
  /** The id of the employee who has the value; undefined of a fault that several records have. */
  employee?: string
}

interface OfUnique extends OfField {
  /** A field that a person can have instead. */
  instead?: string
}

/** What the words of a fault can name. */
type Parts = OfTwo & OfLimit

/** The names in braces in the words of a fault. */
type Named<Text> = Text extends `${string}{${infer Name extends keyof Parts}}${infer Rest}` ? Name | Named<Rest> : never

/** What the words of a fault are made of. */
type Params<Words> = Words extends (params: infer Made) => string ? Made : Pick<Parts, Named<Words>>

/** The kinds of faults: the code of each, and the words for it. */
const FAULTS = {
  required: ['required', '{field} is required'],
  null_not_allowed: ['null_not_allowed', '{field} must not be null'],
  not_string: ['invalid_type', '{field} must be a string'],
  not_object: ['invalid_type', '{field} must be an object'],
  text_too_long: [
    'too_long',
    ({ limit, ...text }: OfText & OfLimit) => `${nameText(text)} must have at most ${formatCharacters(limit)}`,
  ],
  control_character: [
    'invalid_format',
    ({ character, ...text }: OfText & { character: string }) =>
      `${nameText(text)} contains a control character (${character})`,
  ],
  invisible_character: [
    'invalid_format',
    ({ character, ...text }: OfText & { character: string }) =>
      `${nameText(text)} contains an invisible character (${character})`,
  ],
  not_email: ['invalid_format', '{field} must be a valid email address, such as ana@example.com'],
  not_midnight: [
    'invalid_format',
    ({ field }: OfField) =>
      `${field} must be a valid date in the format YYYY-MM-DD. A time of day can only be midnight, without a time ` +
      'zone or in UTC',
  ],
  not_date: ['invalid_format', '{field} must be a valid date in the format YYYY-MM-DD'],
  date_too_early: ['invalid_value', '{field} must not be before the year 1000; send null for no date'],
  not_boolean: ['invalid_value', '{field} must be true or false'],
  not_status: ['invalid_value', '{field} must be active or inactive'],
  not_phone: ['invalid_format', '{field} is not a phone number, such as +4915112345678'],
  phone_without_country: ['invalid_format', '{field} needs a country code, unless the company has a country'],
  phone_of_no_country: ['invalid_format', '{field} must begin with + and the code of its country'],
  phone_with_extension: ['invalid_format', '{field} has an extension, which is not part of a phone number'],
  phone_too_short: ['invalid_format', '{field} is too short for a phone number'],
  phone_too_long: ['invalid_format', '{field} is too long for a phone number'],
  phone_of_wrong_length: ['invalid_format', '{field} has a length that no number of its country has'],
  too_many_custom: [
    'too_long',
    ({ limit }: OfField & OfLimit) => `An employee can have at most ${limit} custom attributes`,
  ],
  same_custom_name: ['invalid_value', 'Another custom attribute of the record has the same name'],
  empty_custom_name: ['too_short', 'A custom attribute name must not be empty'],
  not_custom_value: ['invalid_type', 'A custom attribute must be a string, number or boolean'],
  before_other: ['invalid_value', '{field} must not be before {other}'],
  after_stored: [
    'invalid_value',
    '{field} must not be after the {other} that the employee has; send another {other}, or null for none',
  ],
  none_of: ['required', ({ fields }: OfFields) => `An employee needs ${join(fields, 'or')}`],
  not_record: ['invalid_type', 'A record must be an object'],
  too_many_members: ['too_long', 'A record must have at most {limit} members'],
  too_many_values: ['too_long', 'The members of a record must have at most {limit} values'],
  too_many_bytes: ['too_long', 'A record must have at most {limit} bytes'],
  // The client chose the name, so it appears in the pointer but not in the message.
  unknown_field: [
    'unknown_field',
    ({ meant }: { meant?: string }) =>
      'This field does not exist; ' +
      (meant === undefined ? 'fields of your own go into custom_attributes' : `did you mean ${meant}?`),
  ],
  nested_fields: [
    'unknown_field',
    'This field does not exist; send the fields of the employee themselves, not inside another one',
  ],
  missing_locator: [
    'missing_locator',
    ({ fields }: OfFields) => `A record must identify its employee by ${join(fields, 'or')}`,
  ],
  employee_not_found: ['employee_not_found', 'No such employee exists'],
  employee_erased: ['employee_not_found', 'The employee was erased, and stays so'],
  employee_changed: ['invalid_value', 'Somebody has changed the employee meanwhile'],
  changed_meanwhile: ['invalid_value', 'Somebody has changed {field} meanwhile'],
  not_found_by_email: [
    'employee_not_found',
    ({ employee, other, ...field }: OfHolder & OfTwo) =>
      `No employee has this ${describe(field)}. A record with one isn't found by its ${describe({ field: other })}: ` +
      `${nameHolder(employee)} has it; send their id to update them`,
  ],
  id_chosen: ['read_only_field', 'The {field} of a new employee cannot be chosen'],
  id_changed: ['read_only_field', 'This is not the {field} of the employee, and it cannot be changed'],
  same_employee: [
    'duplicate_in_batch',
    ({ employee }: { employee?: string }) =>
      `Another record of the call refers to the same employee${employee === undefined ? '' : `, ${employee}`}`,
  ],
  same_in_call: [
    'duplicate_in_batch',
    (params: OfUnique) => `Another record of the call has the same ${describe(params)}${nameRemedy(params)}`,
  ],
  held: [
    'already_exists',
    ({ employee, ...params }: OfUnique & OfHolder) => {
      const holder = `${nameHolder(employee)} has this ${describe(params)}`
      return `${holder}; update that employee if it is the same person${nameRemedy(params)}`
    },
  ],
  held_by_linkable: [
    'already_exists',
    ({ employee, ...field }: OfHolder) => {
      const holder = `${nameHolder(employee)} has this ${describe(field)} and no external id`
      return `${holder}; send the call with link_by_email=true if it is the same person, or another value`
    },
  ],
  held_by_other_id: [
    'already_exists',
    ({ employee, ...field }: OfHolder) => {
      const holder = `${nameHolder(employee)} has this ${describe(field)} and another external id`
      return `${holder}; update that employee by its id if it is the same person, or send another value`
    },
  ],
  held_by_inactive: [
    'inactive_employee_exists',
    ({ employee, ...field }: OfHolder) => {
      const holder = `${nameHolder(employee, 'inactive ')} has this ${describe(field)}`
      return `${holder}; reactivate that employee or send another value`
    },
  ],
  holder_refused: ['already_exists', wordNeed],
  manager_refused: ['manager_not_found', wordNeed],
  manager_not_found: ['manager_not_found', 'No employee matches this manager'],
  different_managers: ['invalid_value', ({ fields }: OfFields) => `${join(fields, 'and')} must name the same manager`],
  own_manager: ['manager_cycle', 'An employee cannot be their own manager'],
  manager_cycle: ['manager_cycle', 'The manager would report to this employee, directly or indirectly'],
  line_too_long: [
    'invalid_value',
    'The reporting line above this manager is too long to rule out that it leads to this employee',
  ],
  too_many_rounds: [
    'invalid_value',
    'Too many records of the call are refused to tell whether this manager would report to this employee; send it ' +
      'again without them',
  ],
} as const satisfies Record<string, readonly [RecordErrorCode, string | ((params: never) => string)]>

type FaultKind = keyof typeof FAULTS

/** A fault by its kind, with what its message is made of. Of this form, it stands in the events. */
export type Fault = { [Kind in FaultKind]: { kind: Kind } & Params<(typeof FAULTS)[Kind][1]> }[FaultKind]

/** All kinds of faults. */
export const FAULT_KINDS = Object.keys(FAULTS) as FaultKind[]

/** A fault in a record. */
export interface FieldError {
  /** The path of the field in its record, from the outside in; empty for the record itself. */
  path: readonly string[]
  fault: Fault
  /** The employee that the fault is about, if not the record's own. */
  employeeId?: string
}

export function codeOf({ kind }: Fault): RecordErrorCode {
  return FAULTS[kind][0]
}

/**
 * Words a fault with the names that it has. A protocol with other names for the fields puts these in their place. One
 * that is stored may be of a later version, which ran before.
 */
export function wordFault(fault: Fault): string {
  const known = FAULTS[fault.kind] as readonly [RecordErrorCode, string | ((params: Fault) => string)] | undefined
  if (!known) return 'A later version of the service knows why'
  const [, words] = known
  if (typeof words !== 'string') return words(fault)
  const { field, other, limit } = fault as Partial<Parts>
  return words
    .replace('{field}', () => field!)
    .replaceAll('{other}', () => other!)
    .replace('{limit}', `${limit}`)
}

/** Words what several records have in common, without the employee or the record that one of them names. */
export function wordCause(fault: Fault): string {
  const common: Partial<Record<'employee' | 'record', unknown>> & Fault = { ...fault }
  delete common.employee
  delete common.record
  return wordFault(common)
}

/** The name that a protocol has for a field. Clients choose names, too, so that of a method may be one. */
export function nameField(name: string, names: Readonly<Record<string, string>> = {}) {
  return Object.hasOwn(names, name) ? names[name]! : name
}

/** Puts other names of fields into a fault: those of a protocol. */
export function renameFields(fault: Fault, names: Readonly<Record<string, string>>) {
  const rename = (name: unknown) => (typeof name === 'string' ? nameField(name, names) : name)
  // A protocol with another name for what a person may have instead asks for other names.
  const told = Object.entries(fault).filter(([param, value]) => param !== 'instead' || rename(value) === value)
  const renamed = told.map(([param, value]: [string, unknown]) => {
    if (param === 'field' || param === 'other') return [param, rename(value)]
    return [param, param === 'fields' ? (value as string[]).map(rename) : value]
  })
  return Object.fromEntries(renamed) as Fault
}

/** How a message names another record of its call. A file's preview names its row instead. */
export function nameRecord(index: number): string {
  return `Record ${index + 1} of the call`
}

function nameHolder(employee: string | undefined, state = '') {
  return employee === undefined ? `Another ${state}employee` : `The ${state}employee ${employee}`
}

function wordNeed({ record }: OfField & { record?: number }) {
  return `${record === undefined ? 'Another record of the call' : nameRecord(record)}, which this one needs, is refused`
}

function nameText({ field, part }: OfText) {
  return part === undefined ? field : `A custom attribute ${part}`
}

const MEANINGS: Readonly<Record<string, string>> = {
  email: 'email address',
  external_id: 'external id',
  user_name: 'user name',
}

function describe({ field }: OfField) {
  return MEANINGS[field] ?? field
}

/** What to do if both are right. */
function nameRemedy({ instead }: OfUnique) {
  return instead === undefined ? '' : `; a person with an ${instead} needs none`
}

/** Joins names as a sentence does: `id, external_id or email`. */
function join(names: readonly string[], last: 'and' | 'or') {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${last} ${names.at(-1)}`
}

/** Formats a number of characters: `1 character`, `5 characters`. */
export function formatCharacters(count: number): string {
  return count === 1 ? '1 character' : `${count} characters`
}

// Shared by the many records without errors.
const NONE: readonly FieldError[] = []

/** The errors of a record: the first ones found, and the total number. */
export class RecordErrors {
  #kept: readonly FieldError[] = NONE
  #count = 0

  /** The total number of errors, kept or not. */
  get count(): number {
    return this.#count
  }

  /** Whether further errors are only counted. */
  get isFull(): boolean {
    return this.#kept.length === MAX_RECORD_ERRORS
  }

  /** The first errors. */
  get kept(): readonly FieldError[] {
    return this.#kept
  }

  /** Adds an error, or only counts it once the list is full. */
  add(path: FieldError['path'], fault: Fault, employeeId?: string): void {
    this.#count += 1
    if (this.isFull) return
    const error = employeeId === undefined ? { path, fault } : { path, fault, employeeId }
    this.#kept = [...this.#kept, error]
  }

  /** Adds an error before all others. */
  addFirst(error: FieldError): void {
    this.#count += 1
    this.#kept = [error, ...this.#kept].slice(0, MAX_RECORD_ERRORS)
  }

  /** Copies the list. */
  copy(): RecordErrors {
    const copy = new RecordErrors()
    copy.#kept = this.#kept
    copy.#count = this.#count
    return copy
  }
}
