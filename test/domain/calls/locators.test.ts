import t from 'tap'
import { emp, faultsOf, given, hired, left, person } from '../../support/domain/given-when-then.ts'

const company = given(hired(1, { external_id: 'E-1' }), hired(2, { external_id: 'E-2' }), hired(3), left(3))

/** The employee that a record names, and what it changes. */
function named(record: Record<string, unknown>): unknown {
  const { outcomes, problem } = company.update([record])
  return problem
    ? problem.errors.map(({ pointer, code }) => `${pointer} ${code}`)
    : [outcomes[0]?.employee!.id, outcomes[0]?.changed]
}

await t.test('id names the employee; external_id and email beside it are new values', async (t) => {
  t.strictSame(named({ id: emp(1), external_id: 'E-9', email: 'new@example.com' }), [emp(1), ['email', 'external_id']])
  t.strictSame(named({ id: emp(1), external_id: null }), [emp(1), ['external_id']])
})

await t.test('without an id, a non-null external_id names the employee, and email is a new value', async (t) => {
  t.strictSame(named({ external_id: 'E-1', email: 'new@example.com' }), [emp(1), ['email']])
  t.strictSame(named({ external_id: 'E-1', email: null }), [emp(1), ['email']])
})

await t.test('with email as the locator, an external_id of null clears it', async (t) => {
  t.strictSame(named({ email: 'p1@example.com', external_id: null }), [emp(1), ['external_id']])
})

await t.test('an e-mail names its employee in any case and Unicode form, an external_id only exactly', async (t) => {
  t.strictSame(named({ email: 'P1@EXAMPLE.com', job_title: 'x' }), [emp(1), ['job_title']])
  t.strictSame(named({ email: 'ｐ１＠example.com', job_title: 'x' }), [emp(1), ['job_title']])
  t.strictSame(named({ external_id: 'e-1' }), ['/0/external_id employee_not_found'])
})

await t.test(
  'an external id is found as it was sent, if an older ledger holds it so, and else as it is normalized',
  async (t) => {
    t.strictSame(named({ external_id: ' E-1\u00a0', job_title: 'x' }), [emp(1), ['job_title']])
    const old = given(hired(1, { external_id: 'E-1' }), hired(2, { external_id: 'E-1 ' }))
    const idOf = (external_id: string) => old.update([{ external_id, job_title: 'x' }]).outcomes[0]?.employee!.id
    t.strictSame(['E-1', 'E-1 ', 'E-1\u00a0'].map(idOf), [emp(1), emp(2), emp(1)])
    t.match(old.upsert([{ external_id: 'E-1 ' }]).outcomes, [{ id: emp(2), result: 'no_updates' }])
    t.strictSame(
      old.update([{ email: 'p1@example.com', manager_external_id: 'E-1 ' }]).outcomes[0]?.employee!.manager_id,
      emp(2),
    )
  },
)

await t.test('an address that an older ledger holds as Punycode is found in both forms, and stays taken', async (t) => {
  const [own, punycode] = ['b@bücher.example', 'b@xn--bcher-kva.example']
  const old = given(hired(1, { email: punycode }), hired(2))
  for (const email of [own, punycode]) {
    t.match(old.upsert([{ email }]).outcomes, [{ id: emp(1), result: 'no_updates' }])
    t.equal(old.create([person(9, { email })]).problem?.code, 'already_exists')
    t.match(old.update([{ email: 'p2@example.com', manager_email: email }]).outcomes, [
      { employee: { manager_id: emp(1) } },
    ])
  }
})

await t.test('inactive employees can be named like active ones', async (t) => {
  t.strictSame(named({ email: 'p3@example.com', status: 'active' }), [emp(3), ['status']])
})

await t.test('a locator that no employee has is an error at that locator', async (t) => {
  t.strictSame(named({ id: emp(9) }), ['/0/id employee_not_found'])
  t.strictSame(named({ external_id: 'E-9' }), ['/0/external_id employee_not_found'])
  t.strictSame(named({ email: 'p9@example.com' }), ['/0/email employee_not_found'])
})

await t.test('a record that its external_id does not find says so if somebody has its email', async (t) => {
  const { problem } = given(hired(1)).update([
    { email: 'p1@example.com', external_id: 'E-1' },
    { email: 'p9@example.com', external_id: 'E-1' },
  ])
  t.match(problem!.errors, [
    { pointer: '/0/external_id', id: emp(1), message: new RegExp(`isn't found by its email address.*${emp(1)}`) },
    { pointer: '/1/external_id', id: null, message: 'No such employee exists' },
  ])
})

await t.test('a malformed id is answered like an unknown one', async (t) => {
  const answered = (id: string) => company.update([{ id }]).problem
  for (const id of ['', 'x', '1', emp(1).toUpperCase(), emp(1).replace('emp_', 'usr_'), 'constructor', '__proto__']) {
    t.strictSame(answered(id), answered(emp(9)))
  }
})

await t.test('a record without a locator is refused', async (t) => {
  t.strictSame(named({ job_title: 'x' }), ['/0 missing_locator'])
  t.strictSame(named({ external_id: null, email: '' }), ['/0 missing_locator'])
})

await t.test('a malformed locator is reported once, and no other field replaces it', async (t) => {
  t.strictSame(named({ id: 7, email: 'p1@example.com' }), ['/0/id invalid_type'])
  t.strictSame(named({ id: null, email: 'p1@example.com' }), ['/0/id invalid_type'])
  t.strictSame(named({ external_id: 7, email: 'p1@example.com' }), ['/0/external_id invalid_type'])
  t.strictSame(named({ email: 'p1' }), ['/0/email invalid_format'])
})

await t.test(
  'a record with a faulty locator is not checked against the company, since its employee is unknown',
  async (t) => {
    const records = [
      { id: 7, email: 'p1@example.com' },
      { id: 8, email: 'twice@example.com' },
      { id: 9, email: 'twice@example.com' },
    ]
    t.strictSame(faultsOf(company.update(records)), ['/0/id invalid_type', '/1/id invalid_type', '/2/id invalid_type'])
  },
)

await t.test('locators are resolved against the state before the call', async (t) => {
  const kept = company.update([
    { id: emp(1), external_id: 'E-2' },
    { external_id: 'E-2', email: 'new@example.com' },
  ])
  t.strictSame(faultsOf(kept), ['/0/external_id already_exists'], 'the second names employee 2, who keeps E-2')
  const { outcomes } = company.update([
    { id: emp(1), email: 'p2@example.com' },
    { external_id: 'E-2', email: 'p1@example.com' },
  ])
  t.strictSame(
    outcomes.map(({ employee }) => [employee!.id, employee!.email]),
    [
      [emp(1), 'p2@example.com'],
      [emp(2), 'p1@example.com'],
    ],
  )
})

await t.test('two records that name one employee are both refused, however they name it', async (t) => {
  const records = [
    { id: emp(1), job_title: 'a' },
    { email: 'P1@example.com', job_title: 'b' },
    { external_id: 'E-1' },
    { id: emp(2), job_title: 'c' },
  ]
  const decision = company.update(records)
  t.match(decision.problem, { status: 422, code: 'validation_failed' })
  t.strictSame(faultsOf(decision), [
    '/0/id duplicate_in_batch',
    '/1/email duplicate_in_batch',
    '/2/external_id duplicate_in_batch',
  ])
})
