import assert from 'node:assert/strict'
import fc from 'fast-check'
import { parse } from 'scim2-parse-filter'
import t from 'tap'
import { matchesFilter } from '../../../src/domain/scim/evaluate-filter.ts'
import { OPERATORS, parseFilter, parsePath, type Filter } from '../../../src/domain/scim/parse-path.ts'
import { newParts, type ScimUser } from '../../../src/domain/scim/user-values.ts'

/* Filters as they are written, and whom they find: beside another parser, and beside an evaluator that is too simple. */

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

const anyValue = fc.oneof(
  fc.constantFrom('ana', 'Ana', 'b', '', 'x"y', 'a b', 'ünï', '(', 'eq'),
  fc.boolean(),
  // It reads no negative number before a parenthesis.
  fc.nat(99),
)
const SIMPLE = ['userName', 'title', 'displayName', 'active', 'externalId', 'name.familyName', 'emails.value']
const anyPath = fc.constantFrom(...SIMPLE, `${ENTERPRISE}:department`)

/** A filter as the other parser has it. */
type Other =
  | { op: string; attrPath: string; compValue: unknown }
  | { op: 'pr'; attrPath: string }
  | { op: 'and' | 'or'; filters: Other[] }
  | { op: 'not'; filter: Other }
  | { op: '[]'; attrPath: string; valFilter: Other }

const PLAIN = { noNullPrototype: true }

const comparison = (path: fc.Arbitrary<string>): fc.Arbitrary<Other> =>
  fc.oneof(
    fc
      .record({ op: fc.constantFrom(...OPERATORS), attrPath: path, compValue: anyValue }, PLAIN)
      .map((one) => (one.attrPath === 'active' && /^[gl][et]$/.test(one.op) ? { ...one, op: 'eq' } : one)),
    path.map((attrPath) => ({ op: 'pr' as const, attrPath })),
  )

const nested = (leaf: fc.Arbitrary<Other>) =>
  fc.letrec<{ filter: Other }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.record(
        {
          op: fc.constantFrom('and' as const, 'or' as const),
          filters: fc.array(tie('filter'), { minLength: 2, maxLength: 3 }),
        },
        PLAIN,
      ),
      tie('filter').map((filter) => ({ op: 'not' as const, filter })),
    ),
  })).filter

const ofEntry = nested(comparison(fc.constantFrom('type', 'value')))
const anyFilter = nested(
  fc.oneof(
    { weight: 3, arbitrary: comparison(anyPath) },
    { weight: 1, arbitrary: ofEntry.map((valFilter) => ({ op: '[]' as const, attrPath: 'emails', valFilter })) },
  ),
)

/** Writes a filter, with parentheses around all that could be read otherwise. */
function write(filter: Other): string {
  if ('filters' in filter) return filter.filters.map((one) => `(${write(one)})`).join(` ${filter.op} `)
  if ('filter' in filter) return `not (${write(filter.filter)})`
  if ('valFilter' in filter) return `${filter.attrPath}[${write(filter.valFilter)}]`
  return 'compValue' in filter
    ? `${filter.attrPath} ${filter.op} ${JSON.stringify(filter.compValue)}`
    : `${filter.attrPath} pr`
}

/** Ours in the form of theirs. */
function translate(filter: Filter, list = false): Other {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return { op: filter.kind, filters: filter.of.map((one) => translate(one, list)) }
    case 'not':
      return { op: 'not', filter: translate(filter.of, list) }
    case 'entry':
      return { op: '[]', attrPath: filter.path.name!, valFilter: translate(filter.of, true) }
    case 'present':
    case 'compare': {
      const { urn, name, part } = filter.path
      const path = [...(list ? [] : [name]), ...(part === null ? [] : [part])].join('.')
      const attrPath = urn === null ? path : `${urn}:${path}`
      return filter.kind === 'present'
        ? { op: 'pr', attrPath }
        : { op: filter.operator, attrPath, compValue: filter.value }
    }
  }
}

await t.test('any filter is read as it was meant, and as another parser reads it', async () => {
  fc.assert(
    fc.property(anyFilter, (filter) => {
      const text = write(filter)
      // Longer ones may have too many comparisons.
      fc.pre(text.length <= 1_000)
      assert.deepStrictEqual(translate(parseFilter(text)), filter, text)
      // It takes what follows a backslash in a text for another text.
      if (!text.includes('\\')) assert.deepStrictEqual(parse(text), filter, text)
    }),
  )
})

await t.test('without parentheses, and comes before or', async (t) => {
  const text = 'title pr and active eq true or displayName pr'
  t.strictSame(translate(parseFilter(text)), parse(text))
})

const anyUser: fc.Arbitrary<ScimUser> = fc
  .record(
    {
      userName: fc.constantFrom('ana', 'ANA', 'b'),
      title: fc.constantFrom('b', 'a b', 'ÜNÏ'),
      active: fc.boolean(),
      externalId: fc.constantFrom('ana', 'Ana', '7'),
      name: fc.constant(newParts({ familyName: 'Ana' })),
      emails: fc.array(fc.record({ type: fc.constantFrom('ana', 'b'), value: fc.constantFrom('Ana', 'x"y', '(') }), {
        minLength: 1,
        maxLength: 3,
      }),
      [ENTERPRISE]: fc.constant(newParts({ department: 'eq' })),
    },
    { requiredKeys: ['userName'] },
  )
  .map((user) => newParts(user as unknown as ScimUser))

/** Whether a user matches, in the fewest words. */
function isFound(filter: Other, read: (path: string) => unknown[], user: ScimUser): boolean {
  if ('filters' in filter)
    return filter.op === 'and'
      ? filter.filters.every((one) => isFound(one, read, user))
      : filter.filters.some((one) => isFound(one, read, user))
  if ('filter' in filter) return !isFound(filter.filter, read, user)
  if ('valFilter' in filter)
    return ((user['emails'] ?? []) as Record<string, unknown>[]).some((entry) =>
      isFound(filter.valFilter, (path) => (entry[path] === undefined ? [] : [entry[path]]), user),
    )
  const values = read(filter.attrPath).filter((value) => value !== '')
  if (!('compValue' in filter)) return values.length > 0
  const fold = (value: unknown) => (filter.attrPath === 'externalId' ? String(value) : String(value).toLowerCase())
  const wanted = fold(filter.compValue)
  const texts = values.map(fold)
  const HOLDS: Record<string, (text: string) => boolean> = {
    co: (text) => text.includes(wanted),
    sw: (text) => text.startsWith(wanted),
    ew: (text) => text.endsWith(wanted),
    gt: (text) => text > wanted,
    ge: (text) => text >= wanted,
    lt: (text) => text < wanted,
    le: (text) => text <= wanted,
  }
  if (filter.op === 'eq' || filter.op === 'ne') return texts.includes(wanted) === (filter.op === 'eq')
  return texts.some((text) => HOLDS[filter.op]!(text))
}

function readFrom(user: ScimUser) {
  return (path: string): unknown[] => {
    const [name, part] = path.startsWith('urn:') ? [ENTERPRISE, 'department'] : (path.split('.') as [string, string?])
    const value = user[name]
    if (value === undefined) return []
    return [value].flat().flatMap((entry) => (part === undefined ? entry : ((entry as ScimUser)[part] ?? [])))
  }
}

await t.test('any filter finds whom the simplest evaluator finds', async () => {
  fc.assert(
    fc.property(anyFilter, anyUser, (filter, user) => {
      const text = write(filter)
      assert.equal(matchesFilter(parseFilter(text), user), isFound(filter, readFrom(user), user), text)
    }),
  )
})

const UNREADABLE: [text: string, why: RegExp][] = [
  ['', /Here must be the name of an attribute \(character 1\)/],
  ['userName eq', /Here must be a value \(character 12\)/],
  ['userName eq "a" and', /Here must be the name of an attribute/],
  ['title "a"', /Here must be an operator/],
  ['(title pr', /Here must be \)/],
  ['title pr)', /Nothing may follow here \(character 9\)/],
  ['emails[type eq "work"', /Here must be \]/],
  ['hatSize eq "58"', /No schema has this attribute/],
  ['name.hat eq "58"', /No schema has this attribute/],
  ['emails[hat eq "58"]', /No schema has this attribute/],
  ["title eq 'Potter'", /A text must stand in double quotes \(character 18\)/],
  ['active gt false', /True and false have no order/],
  [String.raw`userName eq "\x"`, /not one of JSON/],
  [`${'('.repeat(41)}title pr${')'.repeat(41)}`, /at most 40 levels/],
  [`title pr${' or title pr'.repeat(100)}`, /at most 100 comparisons/],
  [`title eq "${'x'.repeat(8_000)}"`, /at most 8000 characters/],
]
for (const [text, why] of UNREADABLE)
  await t.test(`unreadable: ${text.slice(0, 40)}`, async (t) => t.throws(() => parseFilter(text), { message: why }))

await t.test('what providers write is read', async (t) => {
  const one = translate(parseFilter('USERNAME Eq jyoung AND Active EQ TRUE'))
  t.strictSame(one, {
    op: 'and',
    filters: [
      { op: 'eq', attrPath: 'userName', compValue: 'jyoung' },
      { op: 'eq', attrPath: 'active', compValue: true },
    ],
  })
  t.match(parseFilter('emails[type eq "work"].value eq "a@x.com"'), { kind: 'entry', of: { kind: 'and' } })
  t.match(parseFilter('emails[type eq "work" and not (value co "@x.com")]'), { kind: 'entry' })
  t.match(parseFilter(`urn:ietf:params:scim:schemas:core:2.0:User:userName eq "a"`), {
    path: { urn: null, name: 'userName' },
  })
  t.match(parseFilter('not(title pr)or(active eq true)'), { kind: 'or' })
  t.match(parsePath(`${ENTERPRISE}:manager.value`), { urn: ENTERPRISE, name: 'manager', part: 'value', filter: null })
  t.match(parseFilter(`${ENTERPRISE}.department pr`), { path: { urn: ENTERPRISE, name: 'department' } })
  t.match(parsePath(ENTERPRISE), { urn: ENTERPRISE, name: null })
  t.match(parsePath('roles[primary eq "True"].value'), { name: 'roles', part: 'value', filter: { value: 'True' } })
  for (const path of ['__proto__.x', 'emails[type eq', 'a.b.c', 'emails.value[type eq "x"]', 'x y'])
    t.throws(() => parsePath(path), path)
})
