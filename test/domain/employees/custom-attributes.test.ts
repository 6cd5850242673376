import t from 'tap'
import type { Employee } from '../../../src/domain/employees/employee.ts'
import { companyOf, emp, faultsOf, fold, given, hired, NOW, person } from '../../support/domain/given-when-then.ts'

const keys = (count: number, from = 0) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${from + at}`, at]))
const create = (custom_attributes: unknown) => given().create(person(1, { custom_attributes }))
const AWKWARD = [
  'constructor',
  'toString',
  'hasOwnProperty',
  'valueOf',
  '10',
  '2',
  'a/b~c',
  'a.b',
  'status',
  'custom_attributes.x',
  '🙂',
]

await t.test(
  'numbers and booleans are kept as sent, texts and names are normalized, and what is empty is not set',
  async (t) => {
    const kept = { zero: 0, minus: -1.5e-7, big: 9007199254740992, yes: true, no: false }
    t.strictSame(
      create({ ...kept, ' te\u0301xt': ' Ab ', empty: '', blank: '\u00a0', none: null }).outcomes[0]?.employee!
        .custom_attributes,
      {
        ...kept,
        téxt: 'Ab',
      },
    )
  },
)

await t.test('two names that are one are refused', async (t) => {
  t.strictSame(faultsOf(create({ a: 1, 'a ': 1 })), ['/custom_attributes/a  invalid_value'])
})

await t.test('a name that an older ledger holds with a blank can be removed', async (t) => {
  const company = given(hired(1, { custom_attributes: { 'a ': 1 } }))
  t.strictSame(company.updateOne(emp(1), { custom_attributes: { 'a ': null } }).outcomes[0]?.changed, [
    'custom_attributes.a ',
  ])
  const renamed = company.updateOne(emp(1), { custom_attributes: { 'a ': null, a: 2 } })
  t.strictSame(renamed.outcomes[0]?.employee?.custom_attributes, { a: 2 })
})

await t.test('null removes the attribute whose name it means, however that is written', async (t) => {
  const company = given(hired(1, { custom_attributes: { grade: 7, téxt: 'x' } }))
  const { outcomes } = company.updateOne(emp(1), { custom_attributes: { ' grade ': null, 'te\u0301xt': null } })
  t.strictSame(outcomes[0]?.changed, ['custom_attributes.grade', 'custom_attributes.téxt'])
  t.strictSame(outcomes[0]?.employee?.custom_attributes, {})
})

await t.test('other values are refused, with their place', async (t) => {
  t.strictSame(faultsOf(create({ ok: 1, list: [], object: {}, control: 'a\u0007' })), [
    '/custom_attributes/control invalid_format',
    '/custom_attributes/list invalid_type',
    '/custom_attributes/object invalid_type',
  ])
})

await t.test('a key has 1 to 64 characters, a text at most 1000', async (t) => {
  t.strictSame(faultsOf(create({ ['k'.repeat(64)]: 'x'.repeat(1000), ['🙂'.repeat(64)]: '🙂'.repeat(1000) })), [])
  for (const name of ['', ' ']) t.strictSame(faultsOf(create({ [name]: 1 })), [`/custom_attributes/${name} too_short`])
  t.strictSame(faultsOf(create({ ['k'.repeat(65)]: 1 })), [`/custom_attributes/${'k'.repeat(65)} too_long`])
  t.strictSame(faultsOf(create({ ['🙂'.repeat(65)]: 1 })), [`/custom_attributes/${'🙂'.repeat(65)} too_long`])
  t.strictSame(faultsOf(create({ text: 'x'.repeat(1001) })), ['/custom_attributes/text too_long'])
})

await t.test('a new employee has at most 32', async (t) => {
  t.strictSame(faultsOf(create(keys(32))), [])
  t.strictSame(faultsOf(create(keys(33))), ['/custom_attributes too_long'])
})

await t.test('an employee has at most 32 after a patch: removed ones make room', async (t) => {
  const company = given(hired(1, { custom_attributes: keys(32) }))
  const patch = (custom_attributes: unknown) => faultsOf(company.updateOne(emp(1), { custom_attributes }))
  t.strictSame(patch({ more: 1 }), ['/custom_attributes too_long'])
  t.strictSame(patch({ more: 1, k0: null }), [])
  t.strictSame(patch({ k0: 'changed' }), [])
  t.strictSame(patch({ absent: null }), [])
  t.strictSame(patch(keys(100, 32)), ['/custom_attributes too_long'])
})

await t.test('an employee who already has more can still be changed otherwise', async (t) => {
  const company = given(hired(1, { custom_attributes: keys(40) }))
  t.strictSame(faultsOf(company.updateOne(emp(1), { job_title: 'x' })), [])
  t.strictSame(faultsOf(company.updateOne(emp(1), { custom_attributes: { k0: null } })), [
    '/custom_attributes too_long',
  ])
})

await t.test('in a patch null removes a key, and null for the whole object removes all', async (t) => {
  const company = given(hired(1, { custom_attributes: { a: 1, b: '2', c: false } }))
  const [one] = company.updateOne(emp(1), { custom_attributes: { b: null } }).outcomes
  t.strictSame([one?.changed, one?.employee!.custom_attributes], [['custom_attributes.b'], { a: 1, c: false }])
  const [all] = company.updateOne(emp(1), { custom_attributes: null }).outcomes
  t.strictSame(all?.changed, ['custom_attributes.a', 'custom_attributes.b', 'custom_attributes.c'])
  t.strictSame(all?.employee!.custom_attributes, {})
  const [none] = company.updateOne(emp(1), { custom_attributes: {} }).outcomes
  t.strictSame([none?.result, none?.changed], ['no_updates', []])
})

await t.test('a value that is written otherwise in another type changes the type', async (t) => {
  const company = given(hired(1, { custom_attributes: { a: 1, b: true, c: '' } }))
  const { events } = company.updateOne(emp(1), { custom_attributes: { a: 'one', b: 1, c: false } })
  t.strictSame(events[0]?.data, {
    changes: {
      'custom_attributes.a': { from: 1, to: 'one' },
      'custom_attributes.b': { from: true, to: 1 },
      'custom_attributes.c': { from: '', to: false },
    },
  })
})

for (const key of AWKWARD) {
  await t.test(`a key named ${JSON.stringify(key)} is a key like any other`, async (t) => {
    const [created] = create({ [key]: 1 }).outcomes
    t.strictSame(created?.employee!.custom_attributes, { [key]: 1 })
    const company = given(hired(1), hired(2, { custom_attributes: { [key]: 1, kept: 2 } }))
    const [added, removed] = company.update([
      { id: emp(1), custom_attributes: { [key]: 'x' } },
      { id: emp(2), custom_attributes: { [key]: null } },
    ]).outcomes
    t.strictSame([added?.changed, added?.employee!.custom_attributes], [[`custom_attributes.${key}`], { [key]: 'x' }])
    t.strictSame([removed?.changed, removed?.employee!.custom_attributes], [[`custom_attributes.${key}`], { kept: 2 }])
    t.match(company.updateOne(emp(1), { custom_attributes: { [key]: null } }).outcomes, [{ result: 'no_updates' }])
    const pointer = `/custom_attributes/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
    t.strictSame(faultsOf(create({ [key]: [] })), [`${pointer} invalid_type`])
  })
}

await t.test('a value keeps the type that the attribute has, if it is written the same in both', async (t) => {
  const after = (stored: unknown, sent: unknown) => {
    const company = given(hired(1, { custom_attributes: { grade: stored as string } }))
    const { employee, result } = company.updateOne(emp(1), { custom_attributes: { grade: sent } }).outcomes[0]!
    return [employee!.custom_attributes['grade'], result]
  }
  for (const [stored, sent] of [
    [123, '123'],
    ['123', 123],
    [true, 'true'],
    [false, 'false'],
    ['false', false],
    [-1.5e-7, '-1.5e-7'],
    ['1e+21', 1e21],
    [0, '0'],
  ]) {
    t.strictSame(after(stored, sent), [stored, 'no_updates'], `${typeof stored} ${stored}`)
  }
  for (const [stored, sent, kept] of [
    [123, '124', 124],
    ['123', 124, '124'],
    ['abc', 124, '124'],
    [true, 'false', false],
    ['yes', true, 'true'],
    // Written otherwise, it would be another text.
    [7, '007', '007'],
    [7, '7.0', '7.0'],
    [0, '-0', '-0'],
    [7, 'NaN', 'NaN'],
    [7, 'Infinity', 'Infinity'],
    [7, true, true],
    [true, 0, 0],
    [true, 'TRUE', 'TRUE'],
    [9007199254740992, '9007199254740993', '9007199254740993'],
  ]) {
    t.strictSame(after(stored, sent), [kept, 'synced'], `${typeof stored} ${stored} to ${typeof sent} ${sent}`)
  }
})

await t.test('two syncs that write one value in two types change nothing after the first', async (t) => {
  const sync = (employees: ReadonlyMap<string, Employee>, grade: unknown) =>
    companyOf(employees).updateOne(emp(1), { custom_attributes: { grade } })
  for (const [file, api] of [
    ['123', 123],
    ['true', true],
  ]) {
    for (const [first, second] of [
      [file, api],
      [api, file],
    ]) {
      const hiredOne = given(hired(1)).employees
      const once = fold(sync(hiredOne, first).events, NOW, hiredOne)
      for (const again of [second, first]) t.equal(sync(once, again).outcomes[0]!.result, 'no_updates')
      t.strictSame(once.get(emp(1))!.custom_attributes, { grade: first })
    }
  }
})

await t.test('the type can be changed by removing the attribute first', async (t) => {
  const patch = (employees: ReadonlyMap<string, Employee>, grade: unknown) =>
    fold(companyOf(employees).updateOne(emp(1), { custom_attributes: { grade } }).events, NOW, employees)
  const before = given(hired(1, { custom_attributes: { grade: 7 } })).employees
  t.strictSame(patch(patch(before, null), '7').get(emp(1))!.custom_attributes, { grade: '7' })
})
