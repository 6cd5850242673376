import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { answerSuccess } from '../../../src/domain/calls/answer-call.ts'
import type { Employee } from '../../../src/domain/employees/employee.ts'
import {
  companyOf,
  emp,
  faultsOf,
  fold,
  given,
  hired,
  left,
  NOW,
  person,
  typesOf,
} from '../../support/domain/given-when-then.ts'
import { CALL_ID } from '../../support/domain/given-when-then.ts'

await t.test('records that find an employee update it, and the others create one', async (t) => {
  const decision = given(hired(1, { external_id: 'E-1' }), hired(2), hired(3), left(3)).upsert([
    { external_id: 'E-1', job_title: 'Lead' },
    person(9, { external_id: 'E-9' }),
    { email: 'P2@example.com', first_name: 'Ana' },
    { email: 'p3@example.com', external_id: null, status: 'active' },
  ])
  t.strictSame(decision.counts, { total: 4, updated: 2, deactivated: 0, failed: 0, no_updates: 1 })
  t.strictSame(typesOf(decision), ['EmployeeUpdated', 'EmployeeCreated', 'EmployeeReactivated', 'ApiCallCompleted'])
  t.match(decision.events.at(-1)?.data, { operation: 'upsert', unchanged: [emp(2)] })
  t.match(answerSuccess({ operation: 'upsert', isAllOrNone: true, now: NOW }, decision, CALL_ID).body, {
    results: [
      { index: 0, id: emp(1), status: 'active', result: 'synced', changed: ['job_title'] },
      { index: 1, id: emp(102), status: 'active', result: 'created', changed: [] },
      { index: 2, id: emp(2), status: 'active', result: 'no_updates', changed: [] },
      { index: 3, id: emp(3), result: 'reactivated', changed: ['status'] },
    ],
  })
  t.match(answerSuccess({ operation: 'upsert', isAllOrNone: true, now: NOW }, decision, null).body, {
    results: [{ id: emp(1) }, { id: null }, {}, {}],
  })
})

await t.test('a record that creates an employee needs a name', async (t) => {
  t.strictSame(faultsOf(given().upsert([{ external_id: 'E-1' }, { email: 'a@example.com', first_name: 'Ana' }])), [
    '/0/first_name required',
  ])
})

await t.test('a record without external_id and email, or with an id of somebody else, is refused', async (t) => {
  const company = given(hired(1))
  t.strictSame(faultsOf(company.upsert([{ job_title: 'x' }])), ['/0 missing_locator'])
  t.strictSame(faultsOf(company.upsert([{ email: 'p1@example.com', id: emp(2) }])), ['/0/id read_only_field'])
  t.strictSame(faultsOf(company.upsert([{ ...person(3), id: emp(3) }])), ['/0/id read_only_field'])
  t.strictSame(faultsOf(company.upsert([{ external_id: 7, email: 'p1@example.com' }])), ['/0/external_id invalid_type'])
})

await t.test('two records for the same employee are refused, whether it exists or not', async (t) => {
  const company = given(hired(1, { external_id: 'E-1' }))
  t.strictSame(faultsOf(company.upsert([{ external_id: 'E-1' }, { email: 'p1@example.com' }])), [
    '/0/external_id duplicate_in_batch',
    '/1/email duplicate_in_batch',
  ])
  t.strictSame(faultsOf(company.upsert([person(8), person(8)])), [
    '/0/email duplicate_in_batch',
    '/1/email duplicate_in_batch',
  ])
})

await t.test('a new external_id does not take over the employee who has the email', async (t) => {
  t.strictSame(faultsOf(given(hired(1)).upsert([person(1, { external_id: 'E-1' })])), ['/0/email already_exists'])
})

await t.test('who has the email of a new external_id decides what the message says', async (t) => {
  const company = given(hired(1), hired(2, { external_id: 'E-2' }), hired(3), left(3))
  const messageFor = (number: number) => {
    const { problem } = company.upsert([person(number, { external_id: 'E-9' })])
    t.match(problem?.errors, [{ pointer: '/0/email', id: emp(number) }])
    return problem!.errors[0]!.message
  }
  t.match(messageFor(1), new RegExp(`${emp(1)} has this email address and no external id; .*link_by_email=true`))
  t.match(messageFor(2), new RegExp(`${emp(2)} has this email address and another external id; .* by its id`))
  t.match(messageFor(3), new RegExp(`inactive employee ${emp(3)} .*reactivate`))
})

const linking = (...events: Parameters<typeof given>) => companyOf(given(...events).employees, { linksByEmail: true })

await t.test('link_by_email gives a new external_id to the active employee who has the email and none', async (t) => {
  const company = linking(hired(1), hired(2))
  const decision = company.upsert([
    { external_id: 'E-1', email: 'P1@example.com', job_title: 'Lead' },
    person(2, { external_id: 'E-2', manager_external_id: 'E-1' }),
    person(3, { external_id: 'E-3', manager_external_id: 'E-2' }),
  ])
  t.strictSame(decision.counts, { total: 3, updated: 2, deactivated: 0, failed: 0, no_updates: 0 })
  const after = fold(decision.events, NOW, company.employees)
  t.match(after.get(emp(1)), { external_id: 'E-1', job_title: 'Lead' })
  t.match(after.get(emp(2)), { external_id: 'E-2', manager_id: emp(1) })
  t.match(after.get(emp(103)), { external_id: 'E-3', manager_id: emp(2) })
  t.strictSame(
    companyOf(after, { linksByEmail: true }).upsert([person(1, { external_id: 'E-1' })]).counts.no_updates,
    1,
  )
})

await t.test('link_by_email links nobody who is inactive, has another external_id, or is meant twice', async (t) => {
  const company = linking(hired(1), hired(2, { external_id: 'E-2' }), hired(3), left(3))
  t.strictSame(faultsOf(company.upsert([person(2, { external_id: 'E-9' }), person(3, { external_id: 'E-8' })])), [
    '/0/email already_exists',
    '/1/email inactive_employee_exists',
  ])
  const twice = company.upsert([person(1, { external_id: 'E-8' }), person(1, { external_id: 'E-9' })])
  t.strictSame(faultsOf(twice), ['/0/external_id duplicate_in_batch', '/1/external_id duplicate_in_batch'])
  t.match(twice.problem!.errors, [{ id: emp(1), message: new RegExp(emp(1)) }])
  t.strictSame(
    faultsOf(company.upsert([{ external_id: 'E-2', email: 'p1@example.com' }])),
    ['/0/email already_exists'],
    'the external_id finds somebody',
  )
})

await t.test('a cycle through somebody who is linked is refused', async (t) => {
  const company = linking(hired(1), hired(2, { external_id: 'E-2', manager_id: emp(1) }))
  t.strictSame(faultsOf(company.upsert([person(1, { external_id: 'E-1', manager_external_id: 'E-2' })])), [
    '/0/manager_external_id manager_cycle',
  ])
})

await t.test('a refused upsert applies nothing and counts every record as failed', async (t) => {
  const decision = given(hired(1)).upsert([{ email: 'p1@example.com', job_title: 'x' }, person(2, { phone: 'x' })])
  t.strictSame(decision.counts, { total: 2, updated: 0, deactivated: 0, failed: 2, no_updates: 0 })
  t.strictSame(typesOf(decision), ['EmployeeRecordRejected', 'ApiCallFailed'])
})

await t.test('a created employee can be the manager of an updated one, and a cycle is refused', async (t) => {
  const company = given(hired(1, { external_id: 'E-1' }))
  const boss = person(2, { external_id: 'E-2' })
  const { events } = company.upsert([{ external_id: 'E-1', manager_external_id: 'E-2' }, boss])
  t.equal(fold(events, NOW, company.employees).get(emp(1))?.manager_id, emp(102))
  const cycle = [
    { external_id: 'E-1', manager_external_id: 'E-2' },
    { ...boss, manager_external_id: 'E-1' },
  ]
  t.strictSame(faultsOf(company.upsert(cycle)), [
    '/0/manager_external_id manager_cycle',
    '/1/manager_external_id manager_cycle',
  ])
})

const email = fc.constantFrom('p1@example.com', 'p2@example.com', 'P3@example.com', 'p4@example.com', 'p5@example.com')
const record = fc
  .record(
    {
      email,
      external_id: fc.constantFrom('E-1', 'E-2', 'E-3', 'E-4', null),
      job_title: fc.constantFrom('Dev', 'Lead', null),
      status: fc.constantFrom('active', 'inactive'),
      custom_attributes: fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom('x', 1, null)),
      phone: fc.constantFrom('+4930901820', 'bad', null),
    },
    { requiredKeys: ['email'] },
  )
  .map((sent) => ({ first_name: 'Ana', last_name: 'Pérez', ...sent }))

/** The employees without what differs by how they were made. */
function statesOf(employees: ReadonlyMap<string, Employee>) {
  const states = [...employees.values()].map((employee) => ({ ...employee, id: null }))
  return states.toSorted((one, other) => (one.email! < other.email! ? -1 : 1))
}

await t.test('an upsert equals an update of those who exist and a creation of the others', async () => {
  fc.assert(
    fc.property(fc.array(record, { minLength: 1, maxLength: 4 }), (records) => {
      const company = given(
        hired(1, { external_id: 'E-1' }),
        hired(2),
        hired(3, { custom_attributes: { a: 'x' } }),
        left(3),
      )
      const all = [...company.employees.values()]
      const exists = ({ external_id: externalId, email }: (typeof records)[number]) =>
        all.some((one) => (externalId ? one.external_id === externalId : one.email === email.toLowerCase()))
      const upsert = company.upsert(records)

      const found = records.filter(exists)
      const update = found.length > 0 ? company.update(found) : null
      const updated = update ? fold(update.events, NOW, company.employees) : company.employees
      const missing = records
        .filter((one) => !exists(one))
        .map(({ custom_attributes: custom, ...one }) => {
          const set = Object.entries(custom ?? {}).filter(([, value]) => value !== null)
          return { ...one, custom_attributes: Object.fromEntries(set) }
        })
      const create = missing.length > 0 ? companyOf(updated).create(missing) : null

      assert.equal(upsert.problem === null, !update?.problem && !create?.problem)
      if (upsert.problem) return
      const expected = create ? fold(create.events, NOW, updated) : updated
      assert.deepEqual(statesOf(fold(upsert.events, NOW, company.employees)), statesOf(expected))
    }),
    { numRuns: 1_000 },
  )
})
