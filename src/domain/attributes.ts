import type { RecordErrorCode } from './errors.ts'
import { hasMoreMembersThan } from './json.ts'
import { isCalendarDate } from './local-times.ts'
import { describeInvisible, isPlain, mayFit, normalizeText, trimBlanks } from './normalize-text.ts'
import { readPhoneNumber } from './phone-number.ts'

export type CustomValue = string | number | boolean
export type EmployeeStatus = 'active' | 'inactive'

/** The limits of an attribute, in Unicode code points. */
type AttributeRule =
  { kind: 'text' | 'email'; max: number } | { kind: 'phone' | 'date' | 'status' | 'manager' | 'custom' }

/** The longest email address, in characters. */
export const MAX_EMAIL_CHARACTERS = 254

/** The attributes that clients can set, in the order of responses. Types and OpenAPI schemas are made from them. */
const RULES = {
  first_name: { kind: 'text', max: 80 },
  last_name: { kind: 'text', max: 80 },
  email: { kind: 'email', max: MAX_EMAIL_CHARACTERS },
  external_id: { kind: 'text', max: 128 },
  employee_number: { kind: 'text', max: 64 },
  job_title: { kind: 'text', max: 120 },
  department: { kind: 'text', max: 120 },
  division: { kind: 'text', max: 120 },
  location: { kind: 'text', max: 120 },
  manager_id: { kind: 'manager' },
  phone: { kind: 'phone' },
  start_date: { kind: 'date' },
  termination_date: { kind: 'date' },
  status: { kind: 'status' },
  custom_attributes: { kind: 'custom' },
} as const satisfies Record<string, AttributeRule>

export type AttributeName = keyof typeof RULES

export const ATTRIBUTE_RULES: Readonly<Record<AttributeName, AttributeRule>> = RULES

/** The attributes of an employee, as stored: normalized, with every attribute present. */
export type EmployeeAttributes = { [Name in AttributeName]: ValueOf<(typeof RULES)[Name]> }

type ValueOf<Rule extends AttributeRule> = Rule extends { kind: 'status' }
  ? EmployeeStatus
  : Rule extends { kind: 'custom' }
    ? Record<string, CustomValue>
    : string | null

/** Of each pair, an employee has one at least. */
export const ALTERNATIVES = [
  ['first_name', 'last_name'],
  ['email', 'external_id'],
] as const satisfies readonly (readonly [AttributeName, AttributeName])[]

/** A normalized JSON Merge Patch (RFC 7396) of an employee: absent keeps, null clears or removes. */
export type AttributePatch = {
  [Name in Exclude<AttributeName, 'custom_attributes'>]?: EmployeeAttributes[Name]
} & { custom_attributes?: Record<string, CustomValue | null> | null }

export const MAX_CUSTOM_ATTRIBUTES = 32
/** Maximum members of `custom_attributes` in a record, including those that remove attributes. */
export const MAX_CUSTOM_MEMBERS = 256
export const MAX_CUSTOM_KEY_CHARACTERS = 64
export const MAX_CUSTOM_TEXT_CHARACTERS = 1000

export const ATTRIBUTE_NAMES = Object.keys(ATTRIBUTE_RULES) as AttributeName[]

/** The value of each attribute that is not set. */
export const UNSET_ATTRIBUTES = Object.freeze(
  Object.fromEntries(ATTRIBUTE_NAMES.map((name) => [name, unsetValue(ATTRIBUTE_RULES[name])])),
) as EmployeeAttributes

function unsetValue({ kind }: AttributeRule): unknown {
  if (kind === 'status') return 'active'
  return kind === 'custom' ? Object.freeze({}) : null
}

/** An error of an attribute. `below` is the path inside the attribute. */
interface AttributeError {
  below?: readonly string[]
  code: RecordErrorCode
  message: string
}

interface AttributeReading {
  /** Undefined if there are errors. */
  value?: unknown
  errors?: AttributeError[] | undefined
  /** A phone number that is an error only if the company has no country. */
  localPhone?: string
}

/**
 * Validates and normalizes one attribute as a client sent it. An empty text is null. `shown` is the name of the field as
 * sent, for messages.
 */
export function readAttribute(name: AttributeName, sent: unknown, shown: string = name): AttributeReading {
  const rule = ATTRIBUTE_RULES[name]
  if (rule.kind === 'custom') return readCustomAttributes(sent)
  if (sent === null) {
    return rule.kind === 'status' ? invalid('null_not_allowed', `${shown} must not be null`) : { value: null }
  }
  if (typeof sent !== 'string') return invalid('invalid_type', `${shown} must be a string`)
  if (rule.kind === 'email') return readEmail(shown, sent, rule.max)
  const text = trimBlanks(sent)
  if (text === '') return rule.kind === 'status' ? invalid('required', `${shown} is required`) : { value: null }
  switch (rule.kind) {
    case 'text':
      return readText(shown, text, rule.max)
    case 'phone':
      return readPhone(shown, text)
    case 'date':
      return readDate(shown, text)
    case 'status':
      return text === 'active' || text === 'inactive'
        ? { value: text }
        : invalid('invalid_value', `${shown} must be active or inactive`)
    case 'manager':
      return { value: text }
  }
}

/** E.164: + and 2 to 15 digits. */
export const PHONE = /^\+[1-9][0-9]{1,14}$/
const PLAIN_TEXT = /^[\x20-\x7e]*$/
// One @; a local part without spaces, control characters, the specials of RFC 5322, or misplaced dots; a domain of at
// least two labels. The length is checked first, so the match is bounded.
const EMAIL =
  /^[^\s@"(),:;<>[\\\].\p{C}]+(?:\.[^\s@"(),:;<>[\\\].\p{C}]+)*@(?:[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]*[\p{L}\p{N}\p{M}])?\.)+[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]*[\p{L}\p{N}\p{M}])?$/u

// NFKC composes at most four code points, of at most two UTF-16 units each, into one.
const UNITS_NORMALIZED_TO_ONE = 8
/** A text with more UTF-16 units than this cannot normalize to an email address within the limit. */
export const MAX_EMAIL_UNITS = UNITS_NORMALIZED_TO_ONE * MAX_EMAIL_CHARACTERS

/**
 * The form in which email addresses are stored and found: Unicode NFKC, lower case. Different addresses can have the same
 * form, so it proves nothing: see `readProvenEmail`.
 */
export function normalizeEmail(sent: string): string {
  if (PLAIN_TEXT.test(sent)) return sent.toLowerCase()
  // Lower-casing can undo NFKC, so normalize before and after.
  return sent.normalize('NFKC').toLowerCase().normalize('NFKC')
}

type TextReading = { value: string; errors?: undefined } | { value?: undefined; errors: AttributeError[] }

/** Validates and normalizes the email address of somebody who must have one, such as a user. */
export function readEmailAddress(sent: unknown): TextReading {
  const { value, errors } = readAttribute('email', sent)
  if (errors) return { errors }
  return value === null ? { errors: [{ code: 'required', message: 'email is required' }] } : { value: value as string }
}

/**
 * The stored form of an address that somebody has proved to own; null if it differs from that form by more than the case
 * of A to Z. A look-alike, such as one with U+212A instead of K, is another mailbox, which may belong to somebody else.
 */
export function readProvenEmail(proven: string | null): string | null {
  const { value, errors } = readEmailAddress(proven)
  if (errors) return null
  return value === proven?.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) ? value : null
}

function readText(name: string, sent: string, max: number): TextReading {
  if (sent.length <= max && isPlain(sent)) return { value: sent }
  // A text that is too long is not normalized: it could grow.
  const text = mayFit(sent, max) ? normalizeText(sent) : null
  if (text === null || isLongerThan(text, max))
    return invalid('too_long', `${name} must have at most ${formatCharacters(max)}`)
  const invisible = describeInvisible(text)
  return invisible === null ? { value: text } : invalid('invalid_format', `${name} contains ${invisible}`)
}

function readEmail(name: string, sent: string, max: number): AttributeReading {
  const trimmed = trimBlanks(sent)
  if (trimmed === '') return { value: null }
  // A text that is too long is not normalized: it could grow many times longer.
  const text = trimmed.length > MAX_EMAIL_UNITS ? null : normalizeEmail(trimmed)
  if (text === null || isLongerThan(text, max))
    return invalid('too_long', `${name} must have at most ${formatCharacters(max)}`)
  if (EMAIL.test(text)) return { value: text }
  const invisible = describeInvisible(text)
  return invalid(
    'invalid_format',
    invisible === null ? `${name} must be a valid email address` : `${name} contains ${invisible}`,
  )
}

function readPhone(name: string, text: string): AttributeReading {
  const { value, fault, isLocal } = readPhoneNumber(text)
  if (fault === undefined) return { value }
  return { ...invalid('invalid_format', `${name} ${fault}`), ...(isLocal && { localPhone: text }) }
}

const MIDNIGHT = /^(.{10})[T ]00:00(?::00(?:\.0{1,9})?)?Z?$/i

/** Reads a calendar date. A time at midnight, as some systems write dates, is one if it has no other time zone than UTC. */
function readDate(name: string, text: string): AttributeReading {
  const date = text.length === 10 ? text : (MIDNIGHT.exec(text)?.[1] ?? text)
  return isCalendarDate(date)
    ? { value: date }
    : invalid('invalid_format', `${name} must be a valid date in the format YYYY-MM-DD`)
}

function readCustomAttributes(sent: unknown): AttributeReading {
  if (sent === null) return { value: null }
  if (typeof sent !== 'object' || Array.isArray(sent))
    return invalid('invalid_type', 'custom_attributes must be an object')
  if (hasMoreMembersThan(sent, MAX_CUSTOM_MEMBERS)) {
    return invalid('too_long', `An employee can have at most ${MAX_CUSTOM_ATTRIBUTES} custom attributes`)
  }
  const names = Object.keys(sent).sort()
  const readings = names.map((name) => readCustomAttribute(name, (sent as Record<string, unknown>)[name]))
  return isAsSent(names, readings) ? joinAsSent(readings) : joinCustomAttributes(names, readings)
}

/** Whether all names are valid as they were sent, as most are: then they are in order, and each occurs once. */
function isAsSent(names: readonly string[], readings: readonly CustomReading[]): readings is ValidCustom[] {
  return readings.every(({ key }, at) => key === names[at] && key !== '__proto__')
}

function joinAsSent(readings: readonly ValidCustom[]): AttributeReading {
  const value: Record<string, unknown> = {}
  for (const reading of readings) value[reading.key] = reading.value
  return { value }
}

function joinCustomAttributes(names: readonly string[], readings: readonly CustomReading[]): AttributeReading {
  const errors: AttributeError[] = []
  const values = new Map<string, unknown>()
  for (const [at, reading] of readings.entries()) {
    const below = [names[at]!]
    if (reading.error) errors.push({ below, ...reading.error })
    else if (values.has(reading.key)) errors.push({ below, ...SAME_NAME })
    else values.set(reading.key, reading.value)
  }
  if (errors.length > 0) return { errors }
  // In the order of the canonical form, as in the events.
  return { value: Object.fromEntries([...values].toSorted(([one], [other]) => (one < other ? -1 : 1))) }
}

const SAME_NAME = {
  code: 'invalid_value',
  message: 'Another custom attribute of the record has the same name',
} as const

type ValidCustom = { key: string; value: unknown; error?: undefined }
type CustomReading = ValidCustom | { key?: undefined; error: AttributeError }

function readCustomAttribute(name: string, sent: unknown): CustomReading {
  // Whatever its name is, an attribute of an older ledger can be removed.
  if (sent === null && name !== '' && !isLongerThan(name, MAX_CUSTOM_KEY_CHARACTERS)) return { key: name, value: null }
  const { value: key, errors: faults } = readText(
    'A custom attribute name',
    trimBlanks(name),
    MAX_CUSTOM_KEY_CHARACTERS,
  )
  if (faults) return { error: faults[0]! }
  if (key === '') return { error: { code: 'too_short', message: 'A custom attribute name must not be empty' } }
  if (sent === null || typeof sent === 'number' || typeof sent === 'boolean') return { key, value: sent }
  if (typeof sent !== 'string')
    return { error: { code: 'invalid_type', message: 'A custom attribute must be a string, number or boolean' } }
  const trimmed = trimBlanks(sent)
  if (trimmed === '') return { key, value: null }
  const { value, errors } = readText('A custom attribute value', trimmed, MAX_CUSTOM_TEXT_CHARACTERS)
  return errors ? { error: errors[0]! } : { key, value }
}

function invalid(code: RecordErrorCode, message: string): { errors: AttributeError[] } {
  return { errors: [{ code, message }] }
}

/** Formats a number of characters: `1 character`, `5 characters`. */
export function formatCharacters(count: number): string {
  return count === 1 ? '1 character' : `${count} characters`
}

/** Counts code points only if the number of UTF-16 units does not decide. */
function isLongerThan(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || [...text].length > max)
}
