import fc from 'fast-check'
import type { AttributeName } from '../../../src/domain/attributes.ts'

/*
 * Arbitraries of what clients of a company in `COUNTRY` send. The pools of e-mails, external ids and keys are small, so
 * that records and calls often share them.
 */

/** Local phone numbers are numbers of this country. */
export const COUNTRY = 'DE'

const SURROGATES = { first: 0xd800, count: 0x800 }

/**
 * Any code point but surrogates, as `unit: 'binary'` of fast-check is, which keeps a table of all 1.1 million of them:
 * a second and 150 MB for each process.
 */
export const anyCodePoint: fc.Arbitrary<string> = fc.nat({ max: 0x10_ffff - SURROGATES.count }).map(
  (place) => String.fromCodePoint(place < SURROGATES.first ? place : place + SURROGATES.count),
  (unit) => {
    const codePoint = typeof unit === 'string' ? (unit.codePointAt(0) ?? NaN) : NaN
    if (String.fromCodePoint(codePoint) !== unit || !unit.isWellFormed()) throw new Error('this is not one code point')
    return codePoint < SURROGATES.first ? codePoint : codePoint - SURROGATES.count
  },
)

/** What the API accepts at no place of a text, or only between certain letters. */
const REFUSED = /[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu

/** Any text that the API accepts, decomposed and padded ones, too; with a `minLength`, never empty. */
export const anyText = (constraints: { minLength?: number; maxLength?: number } = {}): fc.Arbitrary<string> =>
  fc.string({ unit: anyCodePoint, ...constraints }).map((sent) => {
    const text = sent.replaceAll(REFUSED, '')
    return constraints.minLength !== undefined && text.trim() === '' ? 'x' : text
  })

/** A name with letters in it, not always trimmed or composed. */
const anyName: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('', ' ', '\t', '\u00a0', '\u200b', '\ufeff'),
    fc.constantFrom('Ana', 'Zoë', 'Nguyễn', '李', '🙂', "O'Hara", 'می\u200cخواهم'),
    anyText({ maxLength: 20 }),
    fc.constantFrom('NFC', 'NFD'),
  )
  .map(([space, name, more, form]) => `${space}${`${name}${more}`.normalize(form)}${space}`)

/** What means that a value is not set. */
const anyNothing = fc.constantFrom(null, '', ' ')

/** One of a few e-mails, in any of its equivalent forms. */
export const anyEmail: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('ana@example.com', 'bob@example.com', 'josé@example.com', 'fiona@example.com', 'kim@example.com'),
    fc.constantFrom<((email: string) => string)[]>(
      (email) => email,
      (email) => email.toUpperCase(),
      (email) => email.normalize('NFD'),
      (email) => email.replace('fi', 'ﬁ').replace('k', '\u212a').replace('@', '＠'),
    ),
  )
  .map(([email, form]) => form(email))

const anyExternalId: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom('E-1', 'e-1', 'E-2', 'é-3', 'constructor', '10'), fc.constantFrom('', '', '', ' ', '\u00a0'))
  .map(([id, space]) => `${id}${space}`)

/** One of a few user names, in any case. */
const anyUserName = fc.constantFrom(
  'ana',
  'ANA',
  'Ana@Example.com',
  'ana@example.com',
  'josé',
  'JOSÉ',
  '\u212aim',
  'kim',
)

const anyCustomKey = fc.oneof(
  fc.constantFrom('grade', 'constructor', 'toString', 'hasOwnProperty', '10', '2', 'a/b~c', 'custom_attributes.x'),
  anyText({ minLength: 1, maxLength: 8 }).filter((key) => key !== '__proto__'),
)

/** Without negative zero, which JSON writes as 0. */
const anyCustomValue = fc.oneof(
  // The same in two types.
  fc.constantFrom('1', 1, '2.5', 2.5, '1e+21', 1e21, 'true', true, 'false', false),
  anyText({ maxLength: 30 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Object.is(number, -0)),
  fc.integer(),
  fc.boolean(),
)

const anyDate = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2030-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))

/** Of countries whose numbers have these lengths, and local ones. */
const anyPhone = fc
  .tuple(
    fc.oneof(
      fc.stringMatching(/^\+(?:34[1-9][0-9]{8}|49[1-9][0-9]{5,10}|1[2-9][0-9]{9}|351[1-9][0-9]{8})$/),
      fc.stringMatching(/^0(?:15|16|17|30|40|89)[1-9][0-9]{5,8}$/),
    ),
    fc.constantFrom<((phone: string) => string)[]>(
      (phone) => phone,
      (phone) => ` ${phone}\u00a0`,
      (phone) => phone.replace('+', '00'),
      (phone) => `tel:${phone}`,
      (phone) => `${phone.slice(0, 4)} ${phone.slice(4, 7)}-${phone.slice(7)}`,
      (phone) => phone.normalize('NFKC').replaceAll(/[0-9]/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    ),
  )
  .map(([phone, form]) => form(phone))
const anyStatus = fc.constantFrom('active', 'inactive')

const anyText20 = anyText({ maxLength: 20 })

const anyUnsetOr = (values: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 5, arbitrary: values }, { weight: 1, arbitrary: anyNothing })

const NAMED = { first_name: anyUnsetOr(anyName), last_name: anyUnsetOr(anyName), email: anyUnsetOr(anyEmail) }

/** Attributes whose rules depend on more than the value, or that can't be cleared. */
type Special = keyof typeof NAMED | 'status' | 'manager_id' | 'custom_attributes'

/** Attributes that are valid by themselves and may be cleared. */
const CLEARABLE = {
  external_id: fc.option(anyExternalId),
  user_name: fc.option(anyUserName),
  directory_external_id: fc.option(anyExternalId),
  employee_number: fc.option(anyText20),
  job_title: fc.option(anyText20),
  department: fc.option(fc.constantFrom('R&D', 'Sales', '')),
  division: fc.option(anyText20),
  location: fc.option(fc.constantFrom('Madrid', 'Hà Nội')),
  phone: fc.option(anyPhone),
  start_date: fc.option(anyDate),
  termination_date: fc.option(anyDate),
} satisfies Record<Exclude<AttributeName, Special>, fc.Arbitrary<unknown>>

function dictionaryOf<Value>(values: fc.Arbitrary<Value>): fc.Arbitrary<Record<string, Value>> {
  return fc.dictionary(anyCustomKey, values, { maxKeys: 6, noNullPrototype: true })
}

/** A creation that is valid by itself, but whose e-mail or external id may be taken. */
export const anyCreation: fc.Arbitrary<Record<string, unknown>> = fc
  .tuple(
    fc.record(
      { ...NAMED, ...CLEARABLE, status: anyStatus, custom_attributes: fc.option(dictionaryOf(anyCustomValue)) },
      { requiredKeys: [], noNullPrototype: true },
    ),
    anyName,
    anyExternalId,
  )
  .map(([sent, name, externalId]) => ({
    ...sent,
    ...(isUnset(sent.first_name) && isUnset(sent.last_name) ? { last_name: name } : {}),
    ...(isUnset(sent.email) && isUnset(sent.external_id) ? { external_id: externalId } : {}),
  }))
  .map(withDatesInOrder)

function isUnset(sent: unknown): boolean {
  return sent === undefined || sent === null || (typeof sent === 'string' && sent.trim() === '')
}

/** A merge patch that is valid by itself, but may conflict with what the employee has, or leave no name. */
export const anyPatch: fc.Arbitrary<Record<string, unknown>> = fc
  .record(
    {
      ...NAMED,
      ...CLEARABLE,
      status: anyStatus,
      custom_attributes: fc.option(dictionaryOf(fc.option(anyCustomValue))),
    },
    { requiredKeys: [], noNullPrototype: true },
  )
  .map(withDatesInOrder)

function withDatesInOrder(record: Record<string, unknown>): Record<string, unknown> {
  const { start_date: start, termination_date: termination } = record
  if (typeof start !== 'string' || typeof termination !== 'string' || start <= termination) return record
  return { ...record, start_date: termination, termination_date: start }
}

/** Any JSON that the API accepts: no members named `__proto__`, no U+0000. */
export const anyJson: fc.Arbitrary<fc.JsonValue> = fc
  .jsonValue({ maxDepth: 5, stringUnit: fc.string({ unit: anyCodePoint, minLength: 1, maxLength: 1 }) })
  .filter((value) => !/__proto__|\\u0000/.test(JSON.stringify(value)))

/** A value that is wrong for most fields, with a secret that no message may repeat. */
export function hostileValue(secret: string): fc.Arbitrary<unknown> {
  return fc.oneof(
    anyJson,
    fc.constantFrom<unknown[]>(null, 0, -1, true, '', ' ', [], {}),
    fc.constantFrom<unknown[]>(
      secret,
      `${secret}@example.com`,
      `${secret}@`,
      secret.repeat(200),
      `+${secret}`,
      `2026-02-30${secret}`,
      [secret],
      { [secret]: secret },
      { [secret.repeat(20)]: secret },
      { [secret]: [secret] },
      { [secret]: secret.repeat(300) },
      { '': secret },
    ),
  )
}

/** A record in which anything may be wrong. */
export function hostileRecord(secret: string): fc.Arbitrary<unknown> {
  const names = fc.constantFrom(
    ...[
      'id',
      'first_name',
      'last_name',
      'email',
      'external_id',
      'job_title',
      'phone',
      'start_date',
      'termination_date',
    ],
    ...['status', 'custom_attributes', 'manager_id', 'manager_external_id', 'manager_email', 'version', 'constructor'],
    ...['toString', secret, `${secret}/~`],
  )
  const value = hostileValue(secret)
  return fc.oneof(
    { weight: 9, arbitrary: fc.dictionary(names, value, { noNullPrototype: true }) },
    { weight: 1, arbitrary: value },
  )
}
