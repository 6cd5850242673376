import t from 'tap'
import { UNSET_ATTRIBUTES } from '../../../src/domain/attributes.ts'
import {
  CALL_ID,
  MAX_RECORDS,
  emp,
  faultsOf,
  given,
  hired,
  isOfEmployee,
  KEY,
  NOW,
  person,
  typesOf,
} from '../../support/domain/given-when-then.ts'

await t.test(
  "each valid record becomes one EmployeeCreated, in the order sent, followed by the call's completion",
  async (t) => {
    const { events, problem } = given().create({ employees: [person(1), person(2, { last_name: ' Ruiz ' })] })
    t.equal(problem, null)
    t.strictSame(events, [
      {
        type: 'EmployeeCreated',
        stream: emp(101),
        version: 1,
        index: 0,
        data: { attributes: { first_name: 'Ana', last_name: 'Pérez', email: 'p1@example.com', status: 'active' } },
      },
      {
        type: 'EmployeeCreated',
        stream: emp(102),
        version: 1,
        index: 1,
        data: { attributes: { first_name: 'Ana', last_name: 'Ruiz', email: 'p2@example.com', status: 'active' } },
      },
      {
        type: 'ApiCallCompleted',
        stream: CALL_ID,
        version: 1,
        index: null,
        data: {
          operation: 'create',
          requested_at: NOW,
          duration_ms: 3,
          key: KEY,
          request_id: 'req-1',
          counts: { total: 2, updated: 0, deactivated: 0, failed: 0, no_updates: 0 },
          unchanged: [],
        },
      },
    ])
  },
)

await t.test('the answer is the whole employee: every field present, null when unset', async (t) => {
  const { outcomes } = given().create(person(1, { custom_attributes: { grade: 7 } }))
  t.strictSame(outcomes, [
    {
      index: 0,
      id: emp(101),
      status: 'active',
      setsStatus: false,
      hasInactiveManager: false,
      result: null,
      changed: [],
      employee: {
        ...UNSET_ATTRIBUTES,
        id: emp(101),
        first_name: 'Ana',
        last_name: 'Pérez',
        email: 'p1@example.com',
        custom_attributes: { grade: 7 },
        created_at: NOW,
        updated_at: NOW,
        deactivated_at: null,
        version: 1,
      },
    },
  ])
})

await t.test('the attributes set are those sent, normalized, without nulls, plus the status', async (t) => {
  const sent = person(1, { email: 'ANA@X.com', job_title: null, department: 'R&D', custom_attributes: { '10': true } })
  const [created] = given().create(sent).events
  t.strictSame(created?.data, {
    attributes: {
      first_name: 'Ana',
      last_name: 'Pérez',
      email: 'ana@x.com',
      department: 'R&D',
      status: 'active',
      custom_attributes: { '10': true },
    },
  })
})

await t.test('an employee may be created inactive, and then has the time of deactivation', async (t) => {
  const { events, outcomes } = given().create(person(1, { status: 'inactive' }))
  t.match(outcomes[0]?.employee, { status: 'inactive', deactivated_at: NOW, version: 1 })
  t.equal(events.length, 2)
})

await t.test('one bad record refuses the call: no employee event, and each bad record is kept unchanged', async (t) => {
  const bad = person(2, { email: 'nobody', shoe_size: 43 })
  const decision = given().create([person(1), bad, 'x'])
  t.match(decision.problem, { status: 422, code: 'validation_failed', detail: /2 of 3/ })
  t.strictSame(decision.outcomes, [])
  t.notOk(decision.events.some(isOfEmployee))
  t.match(decision.events, [
    {
      type: 'EmployeeRecordRejected',
      stream: CALL_ID,
      version: 1,
      index: 1,
      data: {
        locator: null,
        employee_id: null,
        record: bad,
        errors: [{ pointer: '/1/email' }, { pointer: '/1/shoe_size' }],
      },
    },
    {
      type: 'EmployeeRecordRejected',
      stream: CALL_ID,
      version: 2,
      index: 2,
      data: { record: 'x', errors: [{ pointer: '/2' }] },
    },
    {
      type: 'ApiCallFailed',
      stream: CALL_ID,
      version: 3,
      index: null,
      data: { http_status: 422, code: 'validation_failed' },
    },
  ])
  t.equal(decision.events.length, 3)
})

await t.test('all faults of a record are reported together, those of form and of state', async (t) => {
  const sent = { first_name: ' ', email: 'p1@example.com', external_id: 7, id: 'emp_1', version: 3, shoe_size: 43 }
  t.strictSame(faultsOf(given(hired(1)).create(sent)), [
    '/email already_exists',
    '/external_id invalid_type',
    '/first_name required',
    '/id read_only_field',
    '/shoe_size unknown_field',
  ])
})

await t.test('what only the service sets is ignored, but a new employee cannot have an id', async (t) => {
  const [made] = given().create(person(1)).outcomes
  const { created_at, updated_at, deactivated_at, version } = made!.employee!
  const sent = { created_at, updated_at, deactivated_at, version, id: null }
  t.strictSame(given().create(person(1, sent)).outcomes, [made])
  t.strictSame(faultsOf(given().create(person(1, { id: emp(7) }))), ['/id read_only_field'])
})

await t.test('one name is enough, and an external id instead of an address', async (t) => {
  const created = (sent: object) => faultsOf(given().create({ ...person(1), ...sent }))
  t.strictSame(created({ first_name: null }), [])
  t.strictSame(created({ last_name: '' }), [])
  t.strictSame(created({ first_name: null, last_name: ' ' }), ['/first_name required'])
  t.strictSame(created({ email: null, external_id: 'E-1' }), [])
  t.strictSame(created({ email: null, external_id: '' }), ['/email required'])
})

await t.test('names such as __proto__ are unknown fields too', async (t) => {
  for (const name of ['constructor', 'toString', 'hasOwnProperty', '']) {
    t.strictSame(faultsOf(given().create(person(1, { [name]: null }))), [`/${name} unknown_field`])
  }
})

await t.test('a termination date before the start date is refused; the same day is not', async (t) => {
  const dates = (start_date: string | null, termination_date: string | null) =>
    faultsOf(given().create(person(1, { start_date, termination_date })))
  t.strictSame(dates('2026-02-02', '2026-02-01'), ['/termination_date invalid_value'])
  t.strictSame(dates('2026-02-02', '2026-02-02'), [])
  t.strictSame(dates('2026-02-02', null), [])
  t.strictSame(dates(null, '2026-02-01'), [])
})

await t.test('a termination date alone does not change the status', async (t) => {
  const { outcomes } = given().create(person(1, { termination_date: '2020-01-01' }))
  t.match(outcomes[0]?.employee, { status: 'active', deactivated_at: null, termination_date: '2020-01-01' })
})

await t.test('the largest call is decided as one', async (t) => {
  const decision = given().create(Array.from({ length: MAX_RECORDS }, (_, at) => person(at)))
  t.equal(decision.outcomes.length, MAX_RECORDS)
  t.equal(typesOf(decision).length, MAX_RECORDS + 1)
})
