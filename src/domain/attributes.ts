import type { RecordErrorCode } from './errors.ts'
import { hasMoreMembersThan } from './json.ts'

export type CustomValue = string | number | boolean
export type EmployeeStatus = 'active' | 'inactive'

/** The limits of an attribute, in Unicode code points. */
type AttributeRule =
  | { kind: 'text'; max: number; min?: number; trim?: boolean; required?: boolean }
  | { kind: 'email'; max: number; required: true }
  | { kind: 'phone' | 'date' | 'status' | 'manager' | 'custom'; required?: false }

/** The longest email address, in characters. */
export const MAX_EMAIL_CHARACTERS = 254

/** The attributes that a client can set, in the order of responses. The types and the OpenAPI schemas are made from this table. */
const RULES = {
  first_name: { kind: 'text', required: true, trim: true, min: 1, max: 80 },
  last_name: { kind: 'text', required: true, trim: true, min: 1, max: 80 },
  email: { kind: 'email', required: true, max: MAX_EMAIL_CHARACTERS },
  external_id: { kind: 'text', min: 1, max: 128 },
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
    : Rule extends { required: true }
      ? string
      : string | null

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

/** The value of each attribute that is not set. A stored employee has the required ones, unless they were erased. */
export const UNSET_ATTRIBUTES = Object.freeze(
  Object.fromEntries(ATTRIBUTE_NAMES.map((name) => [name, unsetValue(ATTRIBUTE_RULES[name])])),
) as EmployeeAttributes

function unsetValue({ kind, required }: AttributeRule): unknown {
  if (kind === 'status') return 'active'
  if (kind === 'custom') return Object.freeze({})
  return required === true ? '' : null
}

export const REQUIRED_ATTRIBUTES = ATTRIBUTE_NAMES.filter((name) => ATTRIBUTE_RULES[name].required === true)

/** An error of an attribute. `below` is the path inside the attribute. */
interface AttributeError {
  below?: readonly string[]
  code: RecordErrorCode
  message: string
}

/** For what an attribute is sent. */
export type AttributePurpose = 'creation' | 'patch'

type AttributeReading = { value: unknown; errors?: undefined } | { value?: undefined; errors: AttributeError[] }

/**
 * Validates and normalizes one attribute as a client sent it. In a patch, null removes a custom attribute;
 * in a creation, it is an error. `shown` is the name of the field as sent, for messages.
 */
export function readAttribute(
  name: AttributeName,
  sent: unknown,
  purpose: AttributePurpose,
  shown: string = name,
): AttributeReading {
  const rule = ATTRIBUTE_RULES[name]
  if (rule.kind === 'custom') return readCustomAttributes(sent, purpose)
  if (sent === null) {
    if (rule.required === true || rule.kind === 'status')
      return invalid('null_not_allowed', `${shown} must not be null`)
    return { value: null }
  }
  if (typeof sent !== 'string') return invalid('invalid_type', `${shown} must be a string`)
  switch (rule.kind) {
    case 'text':
      return readText(shown, rule.trim === true ? sent.trim() : sent, rule.min ?? 0, rule.max)
    case 'email':
      return readEmail(shown, sent, rule.max)
    case 'phone':
      return PHONE.test(sent)
        ? { value: sent }
        : invalid('invalid_format', `${shown} must be in E.164 format: + and 2 to 15 digits`)
    case 'date':
      return isCalendarDate(sent)
        ? { value: sent }
        : invalid('invalid_format', `${shown} must be a valid date in the format YYYY-MM-DD`)
    case 'status':
      return sent === 'active' || sent === 'inactive'
        ? { value: sent }
        : invalid('invalid_value', `${shown} must be active or inactive`)
    case 'manager':
      return { value: sent }
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

/**
 * The stored form of an address that somebody has proved to own; null if it differs from that form by more than the case
 * of A to Z. A look-alike, such as one with U+212A instead of K, is another mailbox, which may belong to somebody else.
 */
export function readProvenEmail(proven: string | null): string | null {
  const { value, errors } = readAttribute('email', proven, 'creation')
  if (errors) return null
  return value === proven?.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) ? (value as string) : null
}

function readText(name: string, text: string, min: number, max: number): AttributeReading {
  if (text.length < min) return invalid('too_short', `${name} must have at least ${formatCharacters(min)}`)
  if (isLongerThan(text, max)) return invalid('too_long', `${name} must have at most ${formatCharacters(max)}`)
  return { value: text }
}

function readEmail(name: string, sent: string, max: number): AttributeReading {
  // Do not normalize a text that is too long: it could grow many times longer.
  const text = sent.length > MAX_EMAIL_UNITS ? null : normalizeEmail(sent)
  if (text === null || isLongerThan(text, max))
    return invalid('too_long', `${name} must have at most ${formatCharacters(max)}`)
  return EMAIL.test(text) ? { value: text } : invalid('invalid_format', `${name} must be a valid email address`)
}

function readCustomAttributes(sent: unknown, purpose: AttributePurpose): AttributeReading {
  if (sent === null) return { value: null }
  if (typeof sent !== 'object' || Array.isArray(sent))
    return invalid('invalid_type', 'custom_attributes must be an object')
  if (hasMoreMembersThan(sent, MAX_CUSTOM_MEMBERS)) {
    return invalid('too_long', `An employee can have at most ${MAX_CUSTOM_ATTRIBUTES} custom attributes`)
  }
  const errors: AttributeError[] = []
  // In the order of the canonical form, as in the events.
  const value: Record<string, unknown> = {}
  for (const key of Object.keys(sent).sort()) {
    value[key] = (sent as Record<string, unknown>)[key]
    const error = findCustomError(key, value[key], purpose)
    if (error) errors.push({ below: [key], ...error })
  }
  return errors.length > 0 ? { errors } : { value }
}

function findCustomError(key: string, value: unknown, purpose: AttributePurpose): AttributeError | undefined {
  if (key === '') return { code: 'too_short', message: 'A custom attribute name must have at least 1 character' }
  if (isLongerThan(key, MAX_CUSTOM_KEY_CHARACTERS)) {
    return {
      code: 'too_long',
      message: `A custom attribute name must have at most ${MAX_CUSTOM_KEY_CHARACTERS} characters`,
    }
  }
  if (value === null) {
    return purpose === 'patch'
      ? undefined
      : { code: 'null_not_allowed', message: 'A custom attribute must not be null when an employee is created' }
  }
  if (typeof value === 'number' || typeof value === 'boolean') return undefined
  if (typeof value !== 'string') {
    return { code: 'invalid_type', message: 'A custom attribute must be a string, number or boolean' }
  }
  if (!isLongerThan(value, MAX_CUSTOM_TEXT_CHARACTERS)) return undefined
  return {
    code: 'too_long',
    message: `A custom attribute value must have at most ${MAX_CUSTOM_TEXT_CHARACTERS} characters`,
  }
}

function invalid(code: RecordErrorCode, message: string): AttributeReading {
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

const DATE = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/
const DAYS_OF_MONTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Whether a text is a calendar date from year 1 on. Faster than a round trip through `Date`. */
function isCalendarDate(text: string): boolean {
  if (!DATE.test(text)) return false
  const [year, month, day] = [Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8))]
  return year > 0 && day > 0 && day <= countDaysInMonth(year, month)
}

function countDaysInMonth(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return month === 2 && isLeap ? 29 : (DAYS_OF_MONTHS[month - 1] ?? 0)
}
