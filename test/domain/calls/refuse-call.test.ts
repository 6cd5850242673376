import t from 'tap'
import { refuseCall } from '../../../src/domain/calls/close-call.ts'
import { recordOfOne, recordsOfMany } from '../../../src/domain/calls/call-records.ts'
import { problem } from '../../../src/domain/errors.ts'
import { CALL_ID, contextOf, emp, KEY, MAX_RECORDS, NOW } from '../../support/domain/given-when-then.ts'

const disabled = problem('key_disabled', 'The API key is disabled')

await t.test("a call refused as a whole is recorded with exactly the answer's error", async (t) => {
  const decision = refuseCall(disabled, 3, contextOf('create'))
  const counts = { total: 3, updated: 0, deactivated: 0, failed: 3, no_updates: 0 }
  t.strictSame(decision, {
    events: [
      {
        type: 'ApiCallFailed',
        stream: CALL_ID,
        version: 1,
        index: null,
        data: {
          operation: 'create',
          requested_at: NOW,
          duration_ms: 3,
          key: KEY,
          request_id: 'req-1',
          counts,
          http_status: 403,
          code: 'key_disabled',
          detail: 'The API key is disabled',
        },
      },
    ],
    counts,
    problem: disabled,
    outcomes: [],
    refusals: [],
    unchanged: [],
    withheld: [],
  })
})

await t.test("a refused single update blames the id in the path, with the call's message", async (t) => {
  const decision = refuseCall(disabled, 1, contextOf('update_one'), {
    locator: { id: emp(1) },
    record: { phone: 'x' },
  })
  t.strictSame(decision.events[0], {
    type: 'EmployeeRecordRejected',
    stream: CALL_ID,
    version: 1,
    index: 0,
    data: {
      locator: { id: emp(1) },
      employee_id: emp(1),
      record: { phone: 'x' },
      errors: [{ pointer: '', code: 'key_disabled', message: 'The API key is disabled' }],
    },
  })
  t.match(decision.events[1], { type: 'ApiCallFailed', version: 2 })
  t.strictSame(decision.problem?.errors, [])
})

await t.test('a malformed id in the path names no employee', async (t) => {
  for (const id of ['', 'x', 'emp_', `${emp(1)}x`, emp(1).replace('emp', 'usr'), 'emp_zzzzzzzzzzzzzzzzzzzzzzzzzz']) {
    const [rejected] = refuseCall(disabled, 1, contextOf('update_one'), { locator: { id }, record: null }).events
    t.match(rejected?.data, { locator: { id }, employee_id: null })
  }
})

await t.test('a body that is not made of records is refused', async (t) => {
  for (const body of [null, 'x', 7, true]) {
    for (const form of [recordsOfMany('create', body, MAX_RECORDS), recordsOfMany('update_many', body, MAX_RECORDS)]) {
      t.match(form, { problem: { status: 400, code: 'invalid_body' }, count: 0 })
    }
    t.match(recordOfOne(body), { problem: { status: 400, code: 'invalid_body' }, count: 1 })
  }
  t.match(recordsOfMany('update_many', { id: emp(1) }, MAX_RECORDS), { problem: { code: 'invalid_body' }, count: 0 })
  t.match(recordsOfMany('create', { employees: {} }, MAX_RECORDS), { problem: { code: 'invalid_body' }, count: 0 })
  t.match(recordOfOne([]), { problem: { code: 'invalid_body' }, count: 1 })
})

await t.test('a member beside the records is refused, and all records count', async (t) => {
  const body = { employees: [{}, {}, {}], dry_run: true }
  t.match(recordsOfMany('create', body, MAX_RECORDS), { problem: { status: 400, code: 'invalid_body' }, count: 3 })
  t.match(recordsOfMany('update_many', body, MAX_RECORDS), { problem: { status: 400, code: 'invalid_body' }, count: 3 })
})

await t.test('a call without records is refused', async (t) => {
  for (const body of [[], { employees: [] }]) {
    for (const form of [recordsOfMany('create', body, MAX_RECORDS), recordsOfMany('update_many', body, MAX_RECORDS)]) {
      t.match(form, { problem: { status: 422, code: 'empty_batch' }, count: 0 })
    }
  }
})

await t.test('a call with one record too many is refused with the limit, and all records count', async (t) => {
  t.match(recordsOfMany('update_many', [1, 2, 3], 3), { records: { length: 3 } })
  for (const body of [[1, 2, 3, 4], { employees: [1, 2, 3, 4] }]) {
    for (const form of [recordsOfMany('create', body, 3), recordsOfMany('update_many', body, 3)]) {
      t.match(form, { problem: { status: 413, code: 'batch_too_large', detail: /\b3 records/ }, count: 4 })
    }
  }
})
