import t from 'tap'
import {
  BEFORE,
  CALL_ID,
  emp,
  faultsOf,
  given,
  hired,
  isOfEmployee,
  left,
  NOW,
  typesOf,
} from '../../support/domain/given-when-then.ts'

await t.test('a change becomes one EmployeeUpdated with old and new values by name', async (t) => {
  const company = given(hired(1, { job_title: 'Dev', custom_attributes: { grade: 6, old: 'x' } }))
  const patch = { job_title: 'Lead', location: 'Madrid', custom_attributes: { grade: 7, old: null } }
  const { events, outcomes } = company.updateOne(emp(1), patch)
  t.strictSame(events[0], {
    type: 'EmployeeUpdated',
    stream: emp(1),
    version: 2,
    index: 0,
    data: {
      changes: {
        job_title: { from: 'Dev', to: 'Lead' },
        location: { from: null, to: 'Madrid' },
        'custom_attributes.grade': { from: 6, to: 7 },
        'custom_attributes.old': { from: 'x', to: null },
      },
    },
  })
  t.strictSame(outcomes[0]?.changed, ['job_title', 'location', 'custom_attributes.grade', 'custom_attributes.old'])
  t.match(outcomes[0]?.employee, { version: 2, created_at: BEFORE, updated_at: NOW, custom_attributes: { grade: 7 } })
  t.strictSame(Object.keys(outcomes[0]!.employee!.custom_attributes), ['grade'])
})

await t.test('absent fields stay unchanged', async (t) => {
  const company = given(hired(1, { job_title: 'Dev', phone: '+123', custom_attributes: { a: 1, b: 2 } }))
  const { outcomes } = company.updateOne(emp(1), { phone: null, custom_attributes: { b: 3 } })
  t.match(outcomes[0]?.employee, {
    first_name: 'Ana',
    job_title: 'Dev',
    phone: null,
    custom_attributes: { a: 1, b: 3 },
  })
})

await t.test('the current value, after normalization, is no change: no event, no new version', async (t) => {
  const company = given(hired(1, { email: 'ana@x.com', custom_attributes: { a: 1 } }))
  const same = {
    email: 'ANA@X.com',
    first_name: ' Ana ',
    status: 'active',
    phone: null,
    custom_attributes: { a: 1, absent: null },
  }
  const decision = company.updateOne(emp(1), same)
  t.strictSame(typesOf(decision), ['ApiCallCompleted'])
  t.match(decision.outcomes, [{ result: 'no_updates', changed: [], employee: { version: 1, updated_at: BEFORE } }])
  t.match(decision.events[0]?.data, { unchanged: [emp(1)] })
})

await t.test('case matters except in e-mails', async (t) => {
  const { outcomes } = given(hired(1, { external_id: 'E-1' })).updateOne(emp(1), {
    external_id: 'e-1',
    first_name: 'ANA',
  })
  t.strictSame(outcomes[0]?.changed, ['first_name', 'external_id'])
})

await t.test('a deactivation has its own event, after the one for other changes', async (t) => {
  const decision = given(hired(1)).updateOne(emp(1), { status: 'inactive', job_title: 'Former' })
  t.match(decision.events, [
    { type: 'EmployeeUpdated', version: 2, index: 0, data: { changes: { job_title: { from: null, to: 'Former' } } } },
    { type: 'EmployeeDeactivated', version: 3, index: 0 },
    { type: 'ApiCallCompleted' },
  ])
  t.match(decision.outcomes, [
    {
      result: 'deactivated',
      changed: ['job_title', 'status'],
      employee: { status: 'inactive', deactivated_at: NOW, version: 3 },
    },
  ])
})

await t.test('a reactivation clears deactivated_at', async (t) => {
  const decision = given(hired(1), left(1)).updateOne(emp(1), { status: 'active' })
  t.strictSame(typesOf(decision), ['EmployeeReactivated', 'ApiCallCompleted'])
  t.match(decision.outcomes, [
    { result: 'reactivated', changed: ['status'], employee: { status: 'active', deactivated_at: null, version: 3 } },
  ])
})

await t.test('each record has one result: deactivated and reactivated precede synced', async (t) => {
  const { outcomes } = given(hired(1), hired(2), left(2), hired(3), hired(4), left(4), hired(5)).update([
    { id: emp(1), status: 'inactive', job_title: 'x' },
    { id: emp(2), status: 'active', job_title: 'x' },
    { id: emp(3), job_title: 'x' },
    { id: emp(4), status: 'inactive', job_title: 'x' },
    { id: emp(5) },
  ])
  t.strictSame(
    outcomes.map(({ result }) => result),
    ['deactivated', 'reactivated', 'synced', 'synced', 'no_updates'],
  )
})

await t.test('one bad record refuses all: only bad ones are listed, with their employees', async (t) => {
  const bad = { id: emp(2), phone: 'x' }
  const decision = given(hired(1), hired(2)).update([{ id: emp(1), job_title: 'x' }, bad, { id: emp(9) }])
  t.match(decision.problem, { status: 422, code: 'validation_failed', detail: /2 of 3/ })
  t.notOk(decision.events.some(isOfEmployee))
  t.match(decision.events, [
    { stream: CALL_ID, version: 1, index: 1, data: { locator: { id: emp(2) }, employee_id: emp(2), record: bad } },
    { stream: CALL_ID, version: 2, index: 2, data: { locator: { id: emp(9) }, employee_id: null } },
    { type: 'ApiCallFailed', version: 3 },
  ])
})

await t.test('a termination date is compared with the start date after the call', async (t) => {
  const company = given(hired(1, { start_date: '2026-02-10', termination_date: '2026-02-20' }))
  const patch = (body: unknown) => faultsOf(company.updateOne(emp(1), body))
  t.strictSame(patch({ termination_date: '2026-02-09' }), ['/termination_date invalid_value'])
  t.strictSame(patch({ start_date: '2026-02-21' }), ['/start_date invalid_value'])
  t.strictSame(patch({ start_date: '2026-03-10', termination_date: '2026-03-20' }), [])
  t.strictSame(patch({ start_date: '2026-03-10', termination_date: null }), [])
  t.strictSame(patch({ start_date: '2026-02-21', termination_date: '2026-02-20' }), ['/start_date invalid_value'])
})

await t.test(
  'null where there must be something, unknown fields, and the id of somebody else are refused',
  async (t) => {
    const body = {
      first_name: null,
      last_name: null,
      email: null,
      status: null,
      shoe_size: 43,
      id: emp(2),
      constructor: 1,
    }
    t.strictSame(faultsOf(given(hired(1)).updateOne(emp(1), body)), [
      '/constructor unknown_field',
      '/email required',
      '/first_name required',
      '/id read_only_field',
      '/shoe_size unknown_field',
      '/status null_not_allowed',
    ])
  },
)

await t.test('an employee can be sent back as it was read, and what was changed is changed', async (t) => {
  const company = given(hired(1, { external_id: 'E-1' }))
  const [read] = company.updateOne(emp(1), {}).outcomes
  t.match(company.updateOne(emp(1), { ...read!.employee! }).outcomes, [{ result: 'no_updates' }])
  t.match(company.upsert([{ ...read!.employee!, job_title: 'Clerk' }]).outcomes, [{ changed: ['job_title'] }])
  t.strictSame(faultsOf(company.upsert([{ ...read!.employee!, id: emp(2) }])), ['/0/id read_only_field'])
})

await t.test('one of two names, or of address and external id, can be cleared, and not both', async (t) => {
  const cleared = (patch: object, set: object = {}) => faultsOf(given(hired(1, set)).updateOne(emp(1), patch))
  t.strictSame(cleared({ first_name: null }), [])
  t.strictSame(cleared({ last_name: '' }), [])
  t.strictSame(cleared({ first_name: '', last_name: null }), ['/first_name required'])
  t.strictSame(cleared({ last_name: null }, { first_name: null }), ['/last_name required'])
  t.strictSame(cleared({ email: null }, { external_id: 'E-1' }), [])
  t.strictSame(cleared({ email: null }), ['/email required'])
  t.strictSame(cleared({ job_title: 'x' }, { email: null, external_id: null }), [], 'what stands so already')
})

await t.test('texts are compared as people read them, also those that older ledgers hold', async (t) => {
  const company = given(hired(1, { external_id: 'I1 ', department: 'Cafe\u0301', custom_attributes: { badge: ' 7' } }))
  const same = { external_id: 'I1', department: 'Caf\u00e9 ', custom_attributes: { badge: '7' } }
  t.match(company.updateOne(emp(1), same).outcomes, [{ result: 'no_updates' }])
})

await t.test('an empty patch changes nothing', async (t) => {
  t.match(given(hired(1)).updateOne(emp(1), {}).outcomes, [{ result: 'no_updates', changed: [] }])
})

await t.test('deciding does not modify the given state', async (t) => {
  const company = given(hired(1, { custom_attributes: { a: 1 } }))
  const before = structuredClone(company.employees.get(emp(1)))
  company.updateOne(emp(1), { status: 'inactive', custom_attributes: { a: 2, b: 3 }, job_title: 'x' })
  t.strictSame(company.employees.get(emp(1)), before)
})
