import fc from 'fast-check'
import type { Schema } from '../support/http/schema-fits.ts'
import { CORE, ENTERPRISE, PATCH_OP } from '../support/scim-client.ts'
import { literalOf } from './hostile-json.ts'
import { hostileText } from './hostile-text.ts'

/* What identity providers send (RFC 7643 and RFC 7644), and what resembles it. The routes have no schemas to go by. */

const TEXT: Schema = { type: 'string' }
const FLAG: Schema = { anyOf: [{ type: 'boolean' }, { enum: ['True', 'False', ''] }] }

const objectOf = (properties: Record<string, Schema>, ...required: string[]): Schema => ({ properties, required })
const listOf = (items: Schema): Schema => ({ type: 'array', items })
const texts = (...names: string[]): Record<string, Schema> => Object.fromEntries(names.map((name) => [name, TEXT]))

const VALUES = listOf(objectOf({ value: TEXT, type: { enum: ['work', 'home', 'mobile'] }, primary: FLAG }, 'value'))
const EXTENSION = objectOf({
  ...texts('employeeNumber', 'department', 'division', 'costCenter', 'organization'),
  manager: { anyOf: [objectOf(texts('value'), 'value'), TEXT] },
})

const USER = objectOf(
  {
    schemas: { const: [CORE, ENTERPRISE] },
    userName: TEXT,
    externalId: TEXT,
    name: objectOf(texts('givenName', 'familyName', 'formatted'), 'givenName', 'familyName'),
    active: FLAG,
    title: TEXT,
    emails: VALUES,
    phoneNumbers: VALUES,
    addresses: listOf(objectOf(texts('country', 'locality', 'region'), 'country')),
    [ENTERPRISE]: EXTENSION,
  },
  ...['schemas', 'userName', 'name'],
)

/** Paths of RFC 7644, section 3.5.2, usual ones and those that a parser may stumble over. */
const PATHS = [
  ...['active', 'userName', 'externalId', 'title', 'name', 'name.givenName', 'emails', 'phoneNumbers', 'addresses'],
  ...[
    'emails[type eq "work"]',
    'emails[type eq "work"].value',
    'emails[primary eq true].value',
    'EMAILS[TYPE EQ "WORK"]',
  ],
  ...['phoneNumbers[type eq "mobile"].value', 'addresses[type eq "work"].country', `${CORE}:userName`, 'manager'],
  ...[ENTERPRISE, `${ENTERPRISE}:manager`, `${ENTERPRISE}:manager.value`, `${ENTERPRISE}:department`, 'members'],
  ...['', '.', '[', 'emails[', 'emails[]', 'emails[type eq "work"', 'emails[type eq "a\\"]"].value', '__proto__', 'id'],
  ...['emails[not (type eq "work")]', `emails[${'('.repeat(400)}type pr`, `${'a.'.repeat(2_000)}a`, 'schemas', 'meta'],
]

const OPERATION = objectOf(
  {
    op: { enum: ['add', 'replace', 'remove', 'Add', 'Replace', 'REMOVE', 'move', ''] },
    path: { anyOf: [{ enum: PATHS }, { enum: PATHS }, TEXT] },
    value: { anyOf: [TEXT, TEXT, FLAG, VALUES, USER, EXTENSION, { type: 'null' }] },
  },
  ...['op', 'path', 'value'],
)

const PATCH = objectOf({ schemas: { const: [PATCH_OP] }, Operations: listOf(OPERATION) }, 'schemas', 'Operations')

/** What a provider that means well sends: with many members, one of those above is nearly always refused. */
const goodUser = fc
  .record({ nth: fc.nat(20), active: fc.boolean(), title: hostileText, manager: fc.constantFrom('{{employee}}', '') })
  .map(({ nth, active, title, manager }) => ({
    schemas: [CORE, ENTERPRISE],
    userName: `provided.${nth}@example.com`,
    externalId: `provided-${nth}`,
    name: { givenName: 'Pia', familyName: `Ek ${nth}` },
    emails: [{ value: `provided.${nth}@example.com`, type: 'work', primary: true }],
    ...{ active, title },
    [ENTERPRISE]: { department: 'HR', ...(manager === '' ? {} : { manager: { value: manager } }) },
  }))
const goodOperation = fc.oneof(
  fc.record({ op: fc.constant('replace'), path: fc.constant('active'), value: fc.boolean() }),
  fc.record({ op: fc.constantFrom('add', 'replace', 'remove'), path: fc.constantFrom(...PATHS), value: hostileText }),
)
const goodPatch = fc
  .array(goodOperation, { minLength: 1, maxLength: 3 })
  .map((operations) => ({ schemas: [PATCH_OP], Operations: operations }))

/** A body as JSON text, by the method that sends it. */
export function scimBody(method: string): fc.Arbitrary<string> {
  const [good, any] = method === 'PATCH' ? [goodPatch, PATCH] : [goodUser, USER]
  return fc.oneof(
    (good as fc.Arbitrary<object>).map((body) => JSON.stringify(body)),
    literalOf(any),
  )
}

const FILTERS = [
  ...['userName eq "ana@example.com"', 'externalId eq "E-1"', 'id eq "{{employee}}"', 'active eq true', 'userName pr'],
  ...['emails.value eq "ana@example.com"', 'emails[type eq "work" and value co "@"]', 'userName EQ "ANA@EXAMPLE.COM"'],
  ...['meta.lastModified gt "2020-01-01T00:00:00Z"', 'not (userName sw "a")', 'userName eq "a" or userName eq "b"'],
  ...['userName eq', 'userName eq "', 'userName eq "\\', '(((((', `${'not ('.repeat(300)}title pr`, '', 'eq eq "eq"'],
]

/** The parameters of lists (RFC 7644, section 3.4.2). */
export const scimParameter: fc.Arbitrary<[name: string, value: string]> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...FILTERS).map((filter): [string, string] => ['filter', filter]) },
  {
    weight: 2,
    arbitrary: fc.tuple(
      fc.constantFrom('filter', 'startIndex', 'count', 'sortBy', 'sortOrder', 'attributes', 'excludedAttributes'),
      fc.oneof(fc.constantFrom('0', '1', '-1', '2', '201', 'userName', 'emails.value', CORE), hostileText),
    ),
  },
)
