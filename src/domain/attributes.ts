import { hasMoreMembersThan, sortNames } from './json.ts'
import { isCalendarDate } from './local-times.ts'
import { findInvisible, isPlain, mayFit, normalizeEmail, normalizeText, trimBlanks } from '#text/normalize-text'
import { isPossibleNumber, readPhoneNumber } from './phone-number.ts'
import type { Fault } from './record-faults.ts'
import { domainToASCII, domainToUnicode } from 'node:url'

export type CustomValue = string | number | boolean
export type EmployeeStatus = 'active' | 'inactive'

/** The limits of an attribute, in Unicode code points. */
export type AttributeRule =
  | { kind: 'text' | 'email' | 'user_name'; max: number }
  | { kind: 'phone' | 'date' | 'status' | 'manager' | 'custom' }

/** The longest email address, in characters. */
export const MAX_EMAIL_CHARACTERS = 254

/** The longest user name, in characters. */
const MAX_USER_NAME_CHARACTERS = 254

/** The attributes that clients can set, in the order of responses. Types and OpenAPI schemas are made from them. */
const RULES = {
  first_name: { kind: 'text', max: 80 },
  last_name: { kind: 'text', max: 80 },
  email: { kind: 'email', max: MAX_EMAIL_CHARACTERS },
  external_id: { kind: 'text', max: 128 },
  user_name: { kind: 'user_name', max: MAX_USER_NAME_CHARACTERS },
  directory_external_id: { kind: 'text', max: 256 },
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

/** Of each of these lists, an employee has one at least. */
export const ALTERNATIVES = [
  ['first_name', 'last_name'],
  ['email', 'external_id', 'user_name'],
] as const satisfies readonly (readonly AttributeName[])[]

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

/** A fault of an attribute. `below` is the path inside the attribute. */
interface AttributeError {
  below?: readonly string[]
  fault: Fault
}

interface AttributeReading {
  /** Undefined if there are errors. */
  value?: unknown
  errors?: AttributeError[] | undefined
  /** A phone number that is an error only if the company has no country. */
  localPhone?: string
}

/** Whether an attribute was sent as it is stored, as most are: then there is nothing to read. May be false if it was. */
export function isSentAsStored(name: AttributeName, sent: unknown) {
  const rule = ATTRIBUTE_RULES[name]
  if (typeof sent !== 'string') return false
  if (rule.kind === 'text') return sent.length <= rule.max && isPlain(sent)
  return (rule.kind === 'date' && isStoredDate(sent)) || (rule.kind === 'phone' && isPossibleNumber(sent))
}

/**
 * Validates and normalizes one attribute as a client sent it. An empty text is null. `field` is the name of the field as
 * sent, for messages.
 */
export function readAttribute(name: AttributeName, sent: unknown, field: string = name): AttributeReading {
  const rule = ATTRIBUTE_RULES[name]
  if (rule.kind === 'custom') return readCustomAttributes(sent, field)
  if (sent === null) return rule.kind === 'status' ? invalid({ kind: 'null_not_allowed', field }) : { value: null }
  if (typeof sent !== 'string') return invalid({ kind: 'not_string', field })
  if (rule.kind === 'email') return readAddress(field, sent, rule.max)
  const text = trimBlanks(sent)
  if (text === '') return rule.kind === 'status' ? invalid({ kind: 'required', field }) : { value: null }
  switch (rule.kind) {
    case 'text':
      return readText({ field }, text, rule.max)
    case 'user_name':
      return readUserName(field, text, rule.max)
    case 'phone':
      return readPhone(field, text)
    case 'date':
      return readDate(field, text)
    case 'status':
      return text === 'active' || text === 'inactive' ? { value: text } : invalid({ kind: 'not_status', field })
    case 'manager':
      return { value: text }
  }
}

/** E.164: + and 2 to 15 digits. */
export const PHONE = /^\+[1-9][0-9]{1,14}$/
// One @; a local part without spaces, control characters, the specials of RFC 5322, or misplaced dots; a domain of at
// least two labels. The length is checked first, so the match is bounded.
const ATOM = String.raw`[^\s@"(),:;<>[\\\].\p{C}]+`
const LABEL = String.raw`[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]*[\p{L}\p{N}\p{M}])?`
const EMAIL = new RegExp(String.raw`^${ATOM}(?:\.${ATOM})*@(?:${LABEL}\.)+${LABEL}$`, 'u')

/** The form in which user names are compared: Unicode NFKC, lower case. */
export const foldUserName = normalizeEmail

/** The attributes whose values only one employee of a company has. */
export const UNIQUE_NAMES = ['email', 'external_id', 'user_name'] as const satisfies AttributeName[]

export type UniqueName = (typeof UNIQUE_NAMES)[number]

/** The form of a stored value in which it is unique. */
export function uniqueForm<Value extends string | null | undefined>(name: UniqueName, value: Value) {
  return typeof value === 'string' && name === 'user_name' ? foldUserName(value) : value
}

type TextReading = { value: string; errors?: undefined } | { value?: undefined; errors: AttributeError[] }

/** Validates and normalizes the email address of somebody who must have one, such as a user. */
export function readEmailAddress(sent: unknown): TextReading {
  if (sent !== null && typeof sent !== 'string') return invalid({ kind: 'not_string', field: 'email' })
  const { value, errors } = readAddress('email', sent ?? '', MAX_EMAIL_CHARACTERS)
  if (errors) return { errors }
  return value === null ? invalid({ kind: 'required', field: 'email' }) : { value: value as string }
}

/**
 * The stored form of an address that somebody has proved to own; null if it differs from that form by more than the case
 * of A to Z. A look-alike, such as one with U+212A instead of K, is another mailbox, which may belong to somebody else.
 */
export function readProvenEmail(proven: string | null): string | null {
  const { value, errors } = readEmailAddress(proven)
  if (errors || proven === null) return null
  return value === readPunycode(proven.replace(/[A-Z]/g, (letter) => letter.toLowerCase())) ? value : null
}

function readText(of: TextPlace, sent: string, max: number): TextReading {
  if (sent.length <= max && isPlain(sent)) return { value: sent }
  // A text that is too long is not normalized: it could grow.
  const text = mayFit(sent, max) ? normalizeText(sent) : null
  if (text === null || isLongerThan(text, max)) return invalid({ kind: 'text_too_long', ...of, limit: max })
  const invisible = findInvisible(text)
  return invisible === null ? { value: text } : invalid({ ...invisible, ...of })
}

/** A field, or the name or value of a custom attribute in it. */
interface TextPlace {
  field: string
  part?: 'name' | 'value'
}

/** Reads a user name, which keeps its spelling. What it is compared by has the same limit, because an index has that. */
function readUserName(field: string, sent: string, max: number): TextReading {
  const reading = readText({ field }, sent, max)
  if (reading.value === undefined || !isLongerThan(foldUserName(reading.value), max)) return reading
  return invalid({ kind: 'text_too_long', field, limit: max })
}

/** Reads an email address, whose domain may be written as Punycode. */
function readAddress(field: string, sent: string, max: number): AttributeReading {
  const { value, errors } = readEmail(field, sent, max)
  if (errors) return { errors }
  const read = value === null ? null : readPunycode(value as string)
  return { value: read === value || read === null || !EMAIL.test(read) || findInvisible(read) ? value : read }
}

function readEmail(field: string, sent: string, max: number): AttributeReading {
  const trimmed = trimBlanks(sent)
  if (trimmed === '') return { value: null }
  // A text that is too long is not normalized: it could grow many times longer.
  const text = mayFit(trimmed, MAX_EMAIL_CHARACTERS) ? normalizeEmail(trimmed) : null
  if (text === null || isLongerThan(text, max)) return invalid({ kind: 'text_too_long', field, limit: max })
  if (EMAIL.test(text)) return { value: text }
  return invalid({ ...(findInvisible(text) ?? { kind: 'not_email' }), field })
}

function readPhone(field: string, text: string): AttributeReading {
  const { value, fault, isLocal } = readPhoneNumber(text)
  if (fault === undefined) return { value }
  return { ...invalid({ kind: fault, field }), ...(isLocal && { localPhone: text }) }
}

const MIDNIGHT = /^(.{10})[T ]00:00(?::00(?:\.0{1,9})?)?(?:Z| ?\+00(?::?00)?| UTC| GMT)?$/i
const TIME = /^\d{4}-\d\d-\d\d[T ]\d/
/** Some systems write the first days that they know, such as 0001-01-01, for no date. */
const FIRST_DATE = '1000-01-01'

/** Reads a calendar date. A time at midnight, as some systems write dates, is one if it has no other time zone than UTC. */
function readDate(field: string, text: string): AttributeReading {
  if (isStoredDate(text)) return { value: text }
  const date = text.length === 10 ? text : (MIDNIGHT.exec(text)?.[1] ?? text)
  if (!isCalendarDate(date)) return invalid({ kind: TIME.test(text) ? 'not_midnight' : 'not_date', field })
  return date < FIRST_DATE ? invalid({ kind: 'date_too_early', field }) : { value: date }
}

function isStoredDate(text: string) {
  return isCalendarDate(text) && text >= FIRST_DATE
}

function readCustomAttributes(sent: unknown, field: string): AttributeReading {
  if (sent === null) return { value: null }
  if (typeof sent !== 'object' || Array.isArray(sent)) return invalid({ kind: 'not_object', field })
  if (hasMoreMembersThan(sent, MAX_CUSTOM_MEMBERS)) return invalid(tooManyCustom(field))
  const members = sent as Record<string, unknown>
  const names = sortNames(Object.keys(members))
  const stored = copyStored(members, names)
  if (stored) return { value: stored }
  // No employee has so many. Reading them all may take long.
  if (names.filter((name) => isSet(members[name])).length > MAX_CUSTOM_ATTRIBUTES) return invalid(tooManyCustom(field))
  return joinCustomAttributes(
    names,
    names.map((name) => readCustomAttribute(field, name, members[name])),
  )
}

/** Copies custom attributes that were sent as they are stored, as most are, in this order; null if any was not. */
function copyStored(members: Record<string, unknown>, names: readonly string[]) {
  const stored: Record<string, unknown> = {}
  for (const name of names) {
    const value = members[name]
    if (name.length > MAX_CUSTOM_KEY_CHARACTERS || !isPlain(name) || name === '__proto__') return null
    if (typeof value === 'string' ? !isStoredText(value) : typeof value !== 'number' && typeof value !== 'boolean')
      return null
    stored[name] = value
  }
  return stored
}

function isSet(value: unknown) {
  return typeof value === 'string' ? trimBlanks(value) !== '' : value !== null
}

function isStoredText(value: string) {
  return value.length <= MAX_CUSTOM_TEXT_CHARACTERS && isPlain(value)
}

function joinCustomAttributes(names: readonly string[], readings: readonly CustomReading[]): AttributeReading {
  // Older ledgers may hold the attribute under the name as it was sent, so null removes both names.
  const removed: string[] = []
  const errors: AttributeError[] = []
  const values = new Map<string, unknown>()
  for (const [at, reading] of readings.entries()) {
    const below = [names[at]!]
    if (reading.fault) errors.push({ below, fault: reading.fault })
    else if (reading.isNull) removed.push(reading.key, names[at]!)
    else if (values.has(reading.key)) errors.push({ below, fault: { kind: 'same_custom_name' } })
    else values.set(reading.key, reading.value)
  }
  if (errors.length > 0) return { errors }
  for (const key of removed) if (!values.has(key)) values.set(key, null)
  // In the order of the canonical form, as in the events.
  return { value: Object.fromEntries([...values].toSorted(([one], [other]) => (one < other ? -1 : 1))) }
}

/** The fault of an employee with too many custom attributes. */
export function tooManyCustom(field: string): Fault {
  return { kind: 'too_many_custom', field, limit: MAX_CUSTOM_ATTRIBUTES }
}

type ValidCustom = { key: string; value: unknown; fault?: undefined; isNull?: boolean }
type CustomReading = ValidCustom | { key?: undefined; fault: Fault; isNull?: undefined }

function readCustomAttribute(field: string, name: string, sent: unknown): CustomReading {
  const { value: key, errors: faults } = readText({ field, part: 'name' }, trimBlanks(name), MAX_CUSTOM_KEY_CHARACTERS)
  // Whatever its name is, an attribute of an older ledger can be removed.
  if (sent === null && name !== '' && !isLongerThan(name, MAX_CUSTOM_KEY_CHARACTERS))
    return { key: key || name, value: null, isNull: true }
  if (faults) return faults[0]!
  if (key === '') return { fault: { kind: 'empty_custom_name' } }
  if (sent === null || typeof sent === 'number' || typeof sent === 'boolean') return { key, value: sent }
  if (typeof sent !== 'string') return { fault: { kind: 'not_custom_value' } }
  const trimmed = trimBlanks(sent)
  if (trimmed === '') return { key, value: null }
  const { value, errors } = readText({ field, part: 'value' }, trimmed, MAX_CUSTOM_TEXT_CHARACTERS)
  return errors ? errors[0]! : { key, value }
}

function invalid(fault: Fault): { errors: AttributeError[] } {
  return { errors: [{ fault }] }
}

/** Counts code points only if the number of UTF-16 units does not decide. */
function isLongerThan(text: string, max: number) {
  return text.length > max && (text.length > 2 * max || [...text].length > max)
}

/*
 * The domain of an email address can be written in its own script or as Punycode (RFC 5890): both are one address. It is
 * stored in its own script. Earlier versions stored what was sent.
 */

/** The address with its domain in its own script; as it is if its domain isn't valid Punycode. */
export function readPunycode(email: string): string {
  const at = email.indexOf('@') + 1
  const domain = email.slice(at)
  if (!domain.includes('xn--')) return email
  const read = domainToUnicode(domain)
  return read !== domain && domainToASCII(read) === domain ? email.slice(0, at) + read : email
}

/** The forms in which a normalized address may be stored: with Punycode in older ledgers. */
export function listStoredAddresses(sent: string): string[] {
  const email = readPunycode(sent)
  const at = email.indexOf('@') + 1
  const written = /^[\x20-\x7e]*$/.test(email) ? '' : domainToASCII(email.slice(at))
  return written === '' || written === email.slice(at) ? [email] : [email, email.slice(0, at) + written]
}
