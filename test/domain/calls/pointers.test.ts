import t from 'tap'
import { jsonPointer } from '../../../src/domain/errors.ts'
import { emp, faultsOf, given, hired, person } from '../../support/domain/given-when-then.ts'

await t.test('a creation: pointers lead into the body in each of its three forms', async (t) => {
  const bad = person(1, { first_name: 7, phone: 'x' })
  t.strictSame(faultsOf(given().create(bad)), ['/first_name invalid_type', '/phone invalid_format'])
  t.strictSame(faultsOf(given().create([person(2), bad])), ['/1/first_name invalid_type', '/1/phone invalid_format'])
  t.strictSame(faultsOf(given().create({ employees: [person(2), bad] })), [
    '/employees/1/first_name invalid_type',
    '/employees/1/phone invalid_format',
  ])
})

await t.test('a bulk update: pointers lead into the body in both of its forms', async (t) => {
  const company = given(hired(1))
  const bad = { id: emp(1), status: 'gone' }
  t.strictSame(faultsOf(company.update([bad])), ['/0/status invalid_value'])
  t.strictSame(faultsOf(company.update({ employees: [bad] })), ['/employees/0/status invalid_value'])
})

await t.test('the pointer of a non-object record leads to the record', async (t) => {
  for (const sent of [null, 'x', 7, true, []]) {
    t.strictSame(faultsOf(given().create([sent])), ['/0 invalid_type'])
    t.strictSame(faultsOf(given().update({ employees: [sent] })), ['/employees/0 invalid_type'])
  }
})

await t.test("a missing field's pointer leads to where it belongs", async (t) => {
  t.strictSame(faultsOf(given().create({ employees: [{}] })), [
    '/employees/0/email required',
    '/employees/0/first_name required',
  ])
  t.strictSame(faultsOf(given().create({})), ['/email required', '/first_name required'])
})

await t.test('the pointer for a bulk-update record without a locator leads to the record', async (t) => {
  t.strictSame(faultsOf(given().update([{ job_title: 'Lead' }])), ['/0 missing_locator'])
})

await t.test('names are escaped as RFC 6901 requires: ~ before /', async (t) => {
  t.equal(jsonPointer('', ['a/b~c', '~1', '']), '/a~1b~0c/~01/')
  const custom_attributes = { 'a/b~c': [], '': 1, '10': {} }
  t.strictSame(faultsOf(given().create([person(1, { custom_attributes, 'x/y': 1 })])), [
    '/0/custom_attributes/ too_short',
    '/0/custom_attributes/10 invalid_type',
    '/0/custom_attributes/a~1b~0c invalid_type',
    '/0/x~1y unknown_field',
  ])
})

await t.test("a call's errors are in the order of its records, each with its index", async (t) => {
  const { problem } = given(hired(1)).create([person(2, { status: 1 }), person(3), person(4, { email: '' }), person(1)])
  t.strictSame(
    problem?.errors.map(({ index, pointer }) => [index, pointer]),
    [
      [0, '/0/status'],
      [2, '/2/email'],
      [3, '/3/email'],
    ],
  )
})

await t.test("an error has the id of the record's employee, if known", async (t) => {
  const company = given(hired(1), hired(2, { external_id: 'E-2' }))
  const { problem } = company.update([
    { id: emp(1), status: 1 },
    { external_id: 'E-2', phone: 'x' },
    { email: 'nobody@example.com' },
    { job_title: 'x' },
  ])
  t.strictSame(
    problem?.errors.map(({ id }) => id),
    [emp(1), emp(2), null, null],
  )
})
