import t from 'tap'
import { readRecord, type Expectations, type ReadRecord } from '../../../src/domain/calls/call-records.ts'
import { companyOf, emp, faultsOf, given, hired, left } from '../../support/domain/given-when-then.ts'

const company = given(hired(1, { job_title: 'Dev', custom_attributes: { grade: 6, badge: 'x' } }), hired(2))

/** A record of a bulk update that expects something. */
function expecting(sent: object, expects: Expectations, more: Partial<ReadRecord> = {}, index = 0): ReadRecord {
  return { ...readRecord('update_many', { index, list: '', sent }), expects, ...more }
}

const patch = { id: emp(1), job_title: 'Lead', location: 'Rome', custom_attributes: { grade: 7, badge: 'y' } }

await t.test('an attribute that has the expected value is set, and one that has another is left out', async (t) => {
  const values = { job_title: 'Dev', location: 'Madrid', 'custom_attributes.grade': 5, 'custom_attributes.badge': 'x' }
  const { outcomes, events } = company.apply([expecting(patch, { values }, { leavesOut: true })])
  t.match(outcomes, [{ result: 'synced', changed: ['job_title', 'custom_attributes.badge'] }])
  t.strictSame(
    outcomes[0]!.leftOut!.map(({ path, fault }) => `${path.join('.')} ${fault.kind}`),
    ['location changed_meanwhile', 'custom_attributes.grade changed_meanwhile'],
  )
  t.match(events.at(-1), {
    type: 'ApiCallCompleted',
    data: {
      counts: { total: 1, updated: 1, failed: 0 },
      left_out: [
        { field: 'location', fault: { kind: 'changed_meanwhile', field: 'location' }, records: [0] },
        { field: 'custom_attributes', records: [0] },
      ],
    },
  })
})

await t.test('a record that leaves nothing out is refused for what is not as expected', async (t) => {
  const decision = company.apply([expecting(patch, { values: { location: 'Madrid', 'custom_attributes.grade': 5 } })])
  t.strictSame(faultsOf(decision), ['/0/custom_attributes/grade invalid_value', '/0/location invalid_value'])
})

await t.test('an attribute that has its new value already is as wanted, whatever was expected', async (t) => {
  const same = { id: emp(1), job_title: 'Dev' }
  const { outcomes } = company.apply([expecting(same, { values: { job_title: 'Chef' } }, { leavesOut: true })])
  t.match(outcomes, [{ result: 'no_updates', leftOut: undefined }])
})

await t.test('a record that expects another version changes nothing', async (t) => {
  const records = [expecting({ id: emp(1), status: 'inactive' }, { version: 2 }, { leavesOut: true })]
  t.match(company.apply(records).outcomes, [
    { result: 'no_updates', leftOut: [{ path: ['status'], fault: { kind: 'employee_changed' } }] },
  ])
  const others = [expecting({ id: emp(1), status: 'inactive' }, { version: 1 })]
  t.match(company.apply(others).outcomes, [{ result: 'deactivated' }])
})

await t.test('what the state does not allow is left out, with what depends on it, and the rest is set', async (t) => {
  const staff = given(hired(1), hired(2), hired(3, { manager_id: emp(1) }), left(2))
  const leavesOut = { leavesOut: true } as const
  const records = [
    expecting({ id: emp(1), email: 'p2@example.com', manager_id: emp(3), job_title: 'Lead' }, {}, leavesOut, 0),
    expecting({ id: emp(3), email: 'p1@example.com', manager_id: emp(99), location: 'Rome' }, {}, leavesOut, 1),
  ]
  const { outcomes, problem } = staff.apply(records)
  t.equal(problem, null)
  t.strictSame(
    outcomes.map(({ changed, leftOut = [] }) => [
      changed,
      leftOut.map(({ path, fault }) => `${path.join('.')} ${fault.kind}`),
    ]),
    [
      [['job_title'], ['email held_by_inactive', 'manager_id manager_cycle']],
      [['location'], ['manager_id manager_not_found', 'email held']],
    ],
  )
})

await t.test('a partial call refuses a record that can leave nothing out, and applies the others', async (t) => {
  const staff = companyOf(company.employees, { isAllOrNone: false })
  const { outcomes, refusals } = staff.apply([
    expecting({ id: emp(9), job_title: 'Lead' }, { values: {} }, { leavesOut: true }, 0),
    expecting({ id: emp(1), job_title: 'Lead' }, { values: { job_title: 'Chef' } }, { leavesOut: true }, 1),
    expecting({ id: emp(2), job_title: 'Lead' }, { values: { job_title: 'Chef' } }, {}, 2),
  ])
  t.match(outcomes, [{ index: 1, result: 'no_updates' }])
  t.strictSame(
    refusals.flatMap(({ errors }) => errors.map(({ pointer, code }) => `${pointer} ${code}`)),
    ['/0/id employee_not_found', '/2/job_title invalid_value'],
  )
})
