import t from 'tap'
import { employee, startService } from '../../support/service.ts'

const service = await startService(t)
const created = async (more = {}) => {
  const { body } = await service.call('POST', '/v1/employees', { body: employee(more) })
  return body.employees[0]
}
const patch = (id: string, body: unknown, headers: Record<string, string> = {}) =>
  service.call('PATCH', `/v1/employees/${id}`, { body, headers })

await t.test('an update returns 200, the new entity tag, the changed names and the employee', async (t) => {
  const before = await created({ custom_attributes: { grade: '6', old: true } })
  const change = { job_title: 'Lead', custom_attributes: { grade: '7', old: null } }
  const { status, headers, body } = await patch(before.id, change)
  t.equal(status, 200)
  t.equal(headers['etag'], '"2"')
  t.match(body, { result: 'synced', employee: { job_title: 'Lead', custom_attributes: { grade: '7' }, version: 2 } })
  t.strictSame(body.changed.sort(), ['custom_attributes.grade', 'custom_attributes.old', 'job_title'])
  const { entry, records } = await service.logOf(body.log_id)
  t.match(entry, { status: 'Completed', operation: 'update_one', counts: { total: 1, updated: 1 }, http_status: 200 })
  t.strictSame(records, [
    {
      index: 0,
      employee_id: before.id,
      status: 'Synced',
      attributes: null,
      changes: {
        job_title: { from: null, to: 'Lead' },
        'custom_attributes.grade': { from: '6', to: '7' },
        'custom_attributes.old': { from: true, to: null },
      },
      record: null,
      errors: null,
      truncated: false,
      errors_omitted: 0,
      left_out: [],
      erased: false,
    },
  ])
})

await t.test('values equal after normalization make no change and no new version', async (t) => {
  const before = await created({ email: 'same@example.com' })
  const { body, headers } = await patch(before.id, { email: 'SAME@example.com', status: 'active', phone: null })
  t.match(body, { result: 'no_updates', changed: [], employee: { version: 1 } })
  t.equal(headers['etag'], '"1"')
  const { entry, records } = await service.logOf(body.log_id)
  t.match(entry.counts, { total: 1, updated: 0, no_updates: 1 })
  t.match(records, [{ employee_id: before.id, status: 'No Updates', changes: null }])
})

await t.test('deactivation and reactivation have their own result, status and count', async (t) => {
  const before = await created()
  const off = await patch(before.id, { status: 'inactive', job_title: 'Former' })
  t.match(off.body, {
    result: 'deactivated',
    changed: ['job_title', 'status'],
    employee: { status: 'inactive', version: 3 },
  })
  t.match(off.body.employee.deactivated_at, /^\d{4}-.*Z$/)
  const gone = await service.logOf(off.body.log_id)
  t.match(gone.entry.counts, { total: 1, updated: 0, deactivated: 1 })
  t.match(gone.records, [
    {
      status: 'Deactivated',
      changes: { status: { from: 'active', to: 'inactive' }, job_title: { from: null, to: 'Former' } },
    },
  ])
  const on = await patch(before.id, { status: 'active' })
  t.match(on.body, { result: 'reactivated', changed: ['status'], employee: { deactivated_at: null } })
  const back = await service.logOf(on.body.log_id)
  t.match(back.entry.counts, { total: 1, updated: 1, deactivated: 0 })
  t.match(back.records, [{ status: 'Reactivated', changes: { status: { from: 'inactive', to: 'active' } } }])
})

await t.test('merge-patch+json is accepted, and If-Match detects a concurrent change', async (t) => {
  const { id } = await created()
  const type = { 'content-type': 'application/merge-patch+json' }
  const first = await patch(id, { job_title: 'A' }, { ...type, 'if-match': '"1"' })
  t.equal(first.status, 200)
  const stale = await patch(id, { job_title: 'B' }, { ...type, 'if-match': '"1"' })
  t.equal(stale.status, 412)
  const { entry, records } = await service.logOf(stale.body.log_id)
  t.match(entry, { status: 'Failed', counts: { total: 1, failed: 1 }, http_status: 412 })
  t.match(records, [{ employee_id: id, record: { job_title: 'B' }, errors: [{ message: stale.body.detail }] }])
  t.equal((await patch(id, { job_title: 'C' }, { 'if-match': '*' })).status, 200)
  t.equal((await patch(id, { job_title: 'D' }, { 'if-match': '"7", "3"' })).status, 200)
  t.equal((await patch(id, { job_title: 'E' }, { 'if-match': 'W/"3"' })).status, 412)
  t.equal((await patch(id, { job_title: 'E' }, { 'if-match': 'W/"4"' })).status, 200)
})

await t.test("unknown, malformed and other companies' ids get the same answer, each with an entry", async (t) => {
  const other = await service.makeCompany('Other')
  const foreign = await service.call('POST', '/v1/employees', { body: employee(), key: other.key })
  const ids = ['emp_01h455vb4pex5vsknk084sn02q', 'nobody', '%00', foreign.body.employees[0].id]
  for (const id of ids) {
    const { status, body } = await patch(id, { job_title: 'X' })
    t.equal(status, 404)
    t.match(body, { code: 'employee_not_found', errors: [] })
    const { entry, records } = await service.logOf(body.log_id)
    t.match(entry, { status: 'Failed', counts: { total: 1, failed: 1 } })
    t.match(records, [
      {
        index: 0,
        employee_id: decodeURIComponent(id),
        record: { job_title: 'X' },
        errors: [{ message: body.detail }],
      },
    ])
  }
  // What is no id is told what an id looks like.
  const wellFormed = ids.filter((id) => id.startsWith('emp_'))
  const answers = await Promise.all(wellFormed.map((id) => patch(id, { job_title: 'X' }, { 'x-request-id': 'same' })))
  t.equal(new Set(answers.map(({ body }) => JSON.stringify({ ...body, log_id: '' }))).size, 1)
})

await t.test('a bad patch gets a pointer for each error, and its entry has the record', async (t) => {
  const { id } = await created()
  const sent = { first_name: 7, start_date: '2026-02-30', version: 3, status: 'gone' }
  const { status, body } = await patch(id, sent)
  t.equal(status, 422)
  t.strictSame(
    body.errors.map(({ pointer, code, id }: Record<string, unknown>) => [pointer, code, id]),
    [
      ['/first_name', 'invalid_type', id],
      ['/start_date', 'invalid_format', id],
      ['/status', 'invalid_value', id],
    ],
  )
  const { entry, records } = await service.logOf(body.log_id)
  t.match(entry.counts, { total: 1, failed: 1 })
  t.match(records, [{ employee_id: id, record: sent }])
})
