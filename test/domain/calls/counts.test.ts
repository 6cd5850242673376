import type { Test } from 'tap'
import t from 'tap'
import type { CallDecision } from '../../../src/domain/calls/call-decision.ts'
import { refuseCall } from '../../../src/domain/calls/close-call.ts'
import { problem } from '../../../src/domain/errors.ts'
import { contextOf, emp, given, hired, left, MAX_RECORDS, person } from '../../support/domain/given-when-then.ts'

/*
 * The table of the contract's section on Bulk User Logs, row by row: total, updated, deactivated, failed, no updates.
 */

type Row = [total: number, updated: number, deactivated: number, failed: number, noUpdates: number]

function check(
  t: Test,
  { counts, events }: CallDecision,
  [total, updated, deactivated, failed, no_updates]: Row,
): void {
  t.strictSame(counts, { total, updated, deactivated, failed, no_updates })
  t.match(events.at(-1)?.data, { counts }, 'the stored counts are those in the answer')
}

await t.test('create, n succeed', async (t) => {
  check(t, given().create(person(1)), [1, 0, 0, 0, 0])
  check(t, given().create([person(1), person(2, { status: 'inactive' }), person(3)]), [3, 0, 0, 0, 0])
})

await t.test('create, k of n bad', async (t) => {
  check(
    t,
    given().create([person(1), person(2, { phone: 'x', email: 'x' }), person(3), person(4, { x: 1 })]),
    [4, 0, 0, 2, 0],
  )
  check(t, given(hired(1)).create(person(1)), [1, 0, 0, 1, 0])
  check(t, given().create([person(1), person(2), person(1)]), [3, 0, 0, 2, 0])
})

await t.test('single update: 1 in its bucket', async (t) => {
  const company = given(hired(1), hired(2), left(2))
  check(t, company.updateOne(emp(1), { job_title: 'x' }), [1, 1, 0, 0, 0])
  check(t, company.updateOne(emp(2), { status: 'active' }), [1, 1, 0, 0, 0])
  check(t, company.updateOne(emp(1), { status: 'inactive', job_title: 'x' }), [1, 0, 1, 0, 0])
  check(t, company.updateOne(emp(1), { status: 'active' }), [1, 0, 0, 0, 1])
})

await t.test('single update fails for any reason: its record is the id in the path', async (t) => {
  const failures = [
    given(hired(1)).updateOne(emp(1), { phone: 'x' }),
    given(hired(1), hired(2)).updateOne(emp(1), { email: 'p2@example.com' }),
    ...(['precondition_failed', 'employee_not_found', 'key_disabled', 'malformed_json', 'internal_error'] as const).map(
      (code) => refuseCall(problem(code, 'why'), 1, contextOf('update_one'), { locator: { id: emp(1) }, record: null }),
    ),
  ]
  for (const decision of failures) {
    check(t, decision, [1, 0, 0, 1, 0])
    t.match(decision.events, [
      { type: 'EmployeeRecordRejected', index: 0, data: { locator: { id: emp(1) }, employee_id: emp(1) } },
      {},
    ])
  }
})

await t.test('bulk update succeeds: u including reactivated, d, z, and u + d + z = n', async (t) => {
  const company = given(hired(1), hired(2), left(2), hired(3), hired(4), hired(5))
  const decision = company.update([
    { id: emp(1), job_title: 'x' },
    { id: emp(2), status: 'active' },
    { id: emp(3), status: 'inactive', job_title: 'x' },
    { id: emp(4) },
    { email: 'p5@example.com', status: 'active' },
  ])
  check(t, decision, [5, 2, 1, 0, 2])
  t.match(decision.events.at(-1)?.data, {
    unchanged: [emp(4), emp(5)],
  })
})

await t.test('bulk update fails: all n failed, and only those at fault have a row', async (t) => {
  const decision = given(hired(1), hired(2)).update([{ id: emp(1), job_title: 'x' }, { id: emp(9) }, { id: emp(2) }])
  check(t, decision, [3, 0, 0, 3, 0])
  t.match(decision.events, [{ type: 'EmployeeRecordRejected', index: 1 }, { type: 'ApiCallFailed' }])
  t.equal(decision.events.length, 2)
})

await t.test('create or bulk update of n refused as a whole', async (t) => {
  for (const operation of ['create', 'update_many'] as const) {
    const decision = refuseCall(problem('key_disabled', 'why'), 7, contextOf(operation))
    check(t, decision, [7, 0, 0, 7, 0])
    t.equal(decision.events.length, 1)
  }
  const tooMany = Array.from({ length: MAX_RECORDS + 1 }, (_, at) => person(at))
  check(t, given().create(tooMany), [tooMany.length, 0, 0, tooMany.length, 0])
  check(t, given().update({ employees: tooMany }), [tooMany.length, 0, 0, tooMany.length, 0])
  check(t, given().update({ employees: [{ id: emp(1) }, { id: emp(2) }], mode: 'x' }), [2, 0, 0, 2, 0])
})

await t.test("create or bulk update with an unparsable body: only the call's error", async (t) => {
  for (const operation of ['create', 'update_many'] as const) {
    const decision = refuseCall(problem('malformed_json', 'why'), 0, contextOf(operation))
    check(t, decision, [0, 0, 0, 0, 0])
    t.match(decision.events, [
      { type: 'ApiCallFailed', data: { code: 'malformed_json', detail: 'why', http_status: 400 } },
    ])
  }
  check(t, given().create('x'), [0, 0, 0, 0, 0])
  check(t, given().update([]), [0, 0, 0, 0, 0])
})

await t.test('upsert, c of n created: c + u + d + z = n', async (t) => {
  const company = given(hired(1), hired(2), hired(3), hired(4), left(4))
  const records = [
    { email: 'p1@example.com', job_title: 'x' },
    { email: 'p2@example.com', status: 'inactive' },
    { email: 'p3@example.com' },
    { email: 'p4@example.com', status: 'active' },
    person(5),
    person(6),
  ]
  check(t, company.upsert(records), [6, 2, 1, 0, 1])
  check(t, company.upsert([...records, { email: 'p7@example.com' }]), [7, 0, 0, 7, 0])
})
