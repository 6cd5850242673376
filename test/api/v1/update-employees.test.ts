import t from 'tap'
import { employee, startService } from '../../support/service.ts'

const service = await startService(t)
const create = async (...sent: Record<string, unknown>[]) => {
  const { body } = await service.call('POST', '/v1/employees', { body: sent })
  return body.employees
}
const patch = (body: unknown) => service.call('PATCH', '/v1/employees', { body })

await t.test('a bulk update returns counts and a result per record, and its entry has each change', async (t) => {
  const [a, b, c, d] = await create(
    employee({ external_id: 'X-1' }),
    employee({ job_title: 'Dev' }),
    employee(),
    employee({ status: 'inactive' }),
  )
  const { status, body } = await patch({
    employees: [
      { external_id: 'X-1', job_title: 'Lead' },
      { email: b.email.toUpperCase(), job_title: 'Dev' },
      { id: c.id, status: 'inactive' },
      { id: d.id, status: 'active', email: 'back@example.com' },
    ],
  })
  t.equal(status, 200)
  t.strictSame(body.counts, { total: 4, updated: 2, deactivated: 1, failed: 0, no_updates: 1 })
  t.strictSame(body.results, [
    { index: 0, id: a.id, status: 'active', result: 'synced', changed: ['job_title'] },
    { index: 1, id: b.id, status: 'active', result: 'no_updates', changed: [] },
    { index: 2, id: c.id, status: 'inactive', result: 'deactivated', changed: ['status'] },
    { index: 3, id: d.id, status: 'active', result: 'reactivated', changed: ['email', 'status'] },
  ])
  const { entry, records } = await service.logOf(body.log_id)
  t.match(entry, { status: 'Completed', operation: 'update_many', counts: body.counts })
  t.strictSame(
    records.map(({ index, employee_id, status }) => [index, employee_id, status]),
    [
      [0, a.id, 'Synced'],
      [1, b.id, 'No Updates'],
      [2, c.id, 'Deactivated'],
      [3, d.id, 'Reactivated'],
    ],
  )
  t.strictSame(records[3].changes, {
    email: { from: d.email, to: 'back@example.com' },
    status: { from: 'inactive', to: 'active' },
  })
})

await t.test('two employees can swap e-mails and external ids in one call', async (t) => {
  const [a, b] = await create(employee({ external_id: 'S-1' }), employee({ external_id: 'S-2' }))
  const { status } = await patch([
    { id: a.id, email: b.email, external_id: 'S-2' },
    { id: b.id, email: a.email, external_id: 'S-1' },
  ])
  t.equal(status, 200)
  const after = await service.call('GET', `/v1/employees/${a.id}`)
  t.match(after.body, { email: b.email, external_id: 'S-2', version: 2 })
  await service.project()
})

await t.test('one bad record fails all records, and the entry shows only the bad ones', async (t) => {
  const [a, b] = await create(employee(), employee())
  const { status, body } = await patch({
    employees: [
      { id: a.id, job_title: 'X' },
      { id: b.id, status: null },
      { email: 'unknown@example.com' },
      { job_title: 'Y' },
    ],
  })
  t.equal(status, 422)
  t.strictSame(
    body.errors.map(({ index, id, pointer, code }: Record<string, unknown>) => [index, id, pointer, code]),
    [
      [1, b.id, '/employees/1/status', 'null_not_allowed'],
      [2, null, '/employees/2/email', 'employee_not_found'],
      [3, null, '/employees/3', 'missing_locator'],
    ],
  )
  const { entry, records } = await service.logOf(body.log_id)
  t.match(entry, { status: 'Failed', counts: { total: 4, updated: 0, deactivated: 0, failed: 4, no_updates: 0 } })
  t.strictSame(
    records.map(({ index, employee_id }) => [index, employee_id]),
    [
      [1, b.id],
      [2, null],
      [3, null],
    ],
  )
  const untouched = await service.call('GET', `/v1/employees/${a.id}`)
  t.match(untouched.body, { job_title: null, version: 1 })
})

await t.test('records that name the same employee or take the same value are all flagged', async (t) => {
  const [a, b, c] = await create(employee({ external_id: 'D-1' }), employee(), employee())
  const { status, body } = await patch([
    { id: a.id, job_title: 'X' },
    { external_id: 'D-1', job_title: 'Y' },
    { id: b.id, email: 'Twice@example.com' },
    { id: c.id, email: 'twice@example.com' },
  ])
  t.equal(status, 422)
  t.strictSame(
    body.errors.map(({ index, pointer, code }: Record<string, unknown>) => [index, pointer, code]),
    [
      [0, '/0/id', 'duplicate_in_batch'],
      [1, '/1/external_id', 'duplicate_in_batch'],
      [2, '/2/email', 'duplicate_in_batch'],
      [3, '/3/email', 'duplicate_in_batch'],
    ],
  )
})

await t.test("no locator finds another company's employee", async (t) => {
  const other = await service.makeCompany('Other')
  const { body: theirs } = await service.call('POST', '/v1/employees', {
    body: employee({ external_id: 'F-1', email: 'foreign@example.com' }),
    key: other.key,
  })
  const { status, body } = await patch([
    { id: theirs.employees[0].id, job_title: 'X' },
    { external_id: 'F-1', job_title: 'X' },
    { email: 'foreign@example.com', job_title: 'X' },
  ])
  t.equal(status, 422)
  t.strictSame(
    body.errors.map(({ code, id }: Record<string, unknown>) => [code, id]),
    Array.from({ length: 3 }, () => ['employee_not_found', null]),
  )
})
