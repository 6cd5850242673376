import t from 'tap'
import type { CallDecision } from '../../../src/domain/calls/call-decision.ts'
import { emp, faultsOf, given, hired, left, person } from '../../support/domain/given-when-then.ts'

/** What the client sees: status, code, and the faults with their ids. */
function answerOf({ problem }: CallDecision): unknown[] {
  return [
    problem?.status,
    problem?.code,
    ...(problem?.errors ?? []).map(({ pointer, code, id }) => `${pointer} ${code} ${id}`),
  ]
}

await t.test("a value of an active employee: 409 already_exists, with the holder's id", async (t) => {
  const company = given(hired(1, { external_id: 'E-1' }))
  t.strictSame(answerOf(company.create(person(1))), [409, 'already_exists', `/email already_exists ${emp(1)}`])
  t.strictSame(answerOf(company.create(person(2, { external_id: 'E-1' }))), [
    409,
    'already_exists',
    `/external_id already_exists ${emp(1)}`,
  ])
})

await t.test("a value of an inactive employee: 409 inactive_employee_exists, with the holder's id", async (t) => {
  const decision = given(hired(1), left(1)).create([person(1)])
  t.strictSame(answerOf(decision), [409, 'inactive_employee_exists', `/0/email inactive_employee_exists ${emp(1)}`])
  t.match(decision.problem?.errors[0]?.message, emp(1))
})

await t.test('conflicts with both active and inactive employees are already_exists', async (t) => {
  const { problem } = given(hired(1), hired(2), left(2)).create([person(2), person(1)])
  t.match(problem, { status: 409, code: 'already_exists', errors: { length: 2 } })
})

await t.test('one error that is not a conflict makes the call a 422', async (t) => {
  const company = given(hired(1), hired(2), left(2))
  t.match(company.create([person(1), person(3, { phone: 'x' })]).problem, { status: 422, code: 'validation_failed' })
  t.match(company.create([person(2), person(3), person(3)]).problem, { status: 422, code: 'validation_failed' })
  t.match(company.update([{ id: emp(1), email: 'p2@example.com' }, { id: emp(9) }]).problem, { status: 422 })
})

await t.test('e-mails collide in any form, external ids only when identical', async (t) => {
  const company = given(hired(1, { email: 'fiona@example.com', external_id: 'E-1' }))
  t.strictSame(faultsOf(company.create(person(2, { email: 'FIONA@Example.com' }))), ['/email already_exists'])
  t.strictSame(faultsOf(company.create(person(2, { email: 'ﬁona＠example.com' }))), ['/email already_exists'])
  t.strictSame(faultsOf(company.create(person(2, { external_id: 'e-1' }))), [])
})

await t.test('all collisions within the call are flagged, after normalization', async (t) => {
  const decision = given().create([
    person(1, { email: 'fiona@example.com', external_id: 'E-1' }),
    person(2, { email: 'FIONA@example.com' }),
    person(3, { external_id: 'E-1' }),
    person(4, { email: 'ﬁona@example.com' }),
    person(5, { external_id: 'e-1' }),
  ])
  t.match(decision.problem, { status: 422, code: 'validation_failed' })
  t.strictSame(faultsOf(decision), [
    '/0/email duplicate_in_batch',
    '/0/external_id duplicate_in_batch',
    '/1/email duplicate_in_batch',
    '/2/external_id duplicate_in_batch',
    '/3/email duplicate_in_batch',
  ])
  t.equal(decision.counts.failed, 4)
})

await t.test('a value that is taken and claimed twice has both faults', async (t) => {
  t.strictSame(faultsOf(given(hired(1)).create([person(1), person(1)])), [
    '/0/email already_exists',
    '/0/email duplicate_in_batch',
    '/1/email already_exists',
    '/1/email duplicate_in_batch',
  ])
})

await t.test('two employees may swap e-mails and external ids in one call', async (t) => {
  const { outcomes } = given(hired(1, { external_id: 'E-1' }), hired(2, { external_id: 'E-2' })).update([
    { id: emp(1), email: 'P2@example.com', external_id: 'E-2' },
    { id: emp(2), email: 'p1@example.com', external_id: 'E-1' },
  ])
  t.strictSame(
    outcomes.map(({ employee }) => [employee!.email, employee!.external_id]),
    [
      ['p2@example.com', 'E-2'],
      ['p1@example.com', 'E-1'],
    ],
  )
})

await t.test('values may rotate among three employees, in any order of the records', async (t) => {
  const move = (from: number, to: number) => ({ id: emp(from), email: `p${to}@example.com` })
  const company = given(hired(1), hired(2), hired(3))
  for (const records of [
    [move(1, 2), move(2, 3), move(3, 1)],
    [move(3, 1), move(2, 3), move(1, 2)],
  ]) {
    t.strictSame(faultsOf(company.update(records)), [])
  }
})

await t.test('a value that its holder gives up in the same call is free', async (t) => {
  const company = given(hired(1, { external_id: 'E-1' }), hired(2))
  const give = { id: emp(1), email: 'new@example.com', external_id: null }
  const take = { id: emp(2), email: 'p1@example.com', external_id: 'E-1' }
  t.strictSame(faultsOf(company.update([give, take])), [])
  t.strictSame(faultsOf(company.update([take, give])), [])
})

await t.test('a value that the call lets its holder keep is not free', async (t) => {
  const decision = given(hired(1), hired(2)).update([
    { id: emp(2), email: 'p1@example.com' },
    { id: emp(1), email: 'P1@example.com' },
  ])
  t.strictSame(answerOf(decision), [409, 'already_exists', `/0/email already_exists ${emp(2)}`])
})

await t.test("an employee's own values do not collide with themselves", async (t) => {
  const company = given(hired(1, { external_id: 'E-1' }), left(1))
  t.match(company.updateOne(emp(1), { email: 'P1@example.com', external_id: 'E-1' }).outcomes, [
    { result: 'no_updates' },
  ])
})

await t.test("two updates can't take the same value, nor a third employee's", async (t) => {
  const company = given(hired(1), hired(2), hired(3), left(3))
  const to = (email: string) =>
    faultsOf(
      company.update([
        { id: emp(1), email },
        { id: emp(2), email: email.toUpperCase() },
      ]),
    )
  t.strictSame(to('new@example.com'), ['/0/email duplicate_in_batch', '/1/email duplicate_in_batch'])
  t.strictSame(to('p3@example.com'), [
    '/0/email duplicate_in_batch',
    '/0/email inactive_employee_exists',
    '/1/email duplicate_in_batch',
    '/1/email inactive_employee_exists',
  ])
})

await t.test('a holder reactivated by the same call counts as active', async (t) => {
  const { problem } = given(hired(1), hired(2), left(2)).update([
    { id: emp(1), email: 'p2@example.com' },
    { id: emp(2), status: 'active' },
  ])
  t.match(problem, { status: 409, code: 'already_exists' })
})

await t.test("an inactive holder's id is in the message even when the record is another employee's", async (t) => {
  const { problem } = given(hired(1), hired(2), left(2)).updateOne(emp(1), { email: 'p2@example.com' })
  t.match(problem, { status: 409, code: 'inactive_employee_exists', errors: [{ id: emp(1), pointer: '/email' }] })
  t.match(problem?.errors[0]?.message, emp(2))
})

await t.test('external ids such as __proto__ are ordinary values', async (t) => {
  for (const external_id of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
    t.strictSame(faultsOf(given().create([person(1, { external_id })])), [])
    t.strictSame(faultsOf(given(hired(1, { external_id })).create(person(2, { external_id }))), [
      '/external_id already_exists',
    ])
  }
})
