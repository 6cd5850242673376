import t from 'tap'
import { ATTRIBUTE_NAMES } from '../../../src/domain/attributes.ts'
import { employee, startService } from '../../support/service.ts'

const service = await startService(t)
const { MAX_RECORDS } = service.config
const create = (body: unknown) => service.call('POST', '/v1/employees', { body })

await t.test('a bare employee gets 201 with all attributes, Location and the ledger position', async (t) => {
  const { status, body, headers } = await create(employee({ email: 'ANA@X.com', custom_attributes: { grade: 7 } }))
  t.equal(status, 201)
  const [created] = body.employees
  const life = ['created_at', 'updated_at', 'deactivated_at', 'deprovisioned_at', 'version']
  t.strictSame(Object.keys(created), ['id', ...ATTRIBUTE_NAMES, ...life])
  t.match(created, { email: 'ana@x.com', job_title: null, status: 'active', version: 1, deactivated_at: null })
  t.equal(headers['location'], `/v1/employees/${created.id}`)
  t.match(headers['x-ledger-position'], /^[0-9]+$/)
  t.match(headers['x-request-id'], /./)
})

await t.test("a creation's entry is Completed and has the total and each record's attributes", async (t) => {
  const sent = [
    employee({ first_name: '  Zoë ', job_title: null }),
    employee({ status: 'inactive', start_date: '2026-02-28' }),
  ]
  const { body } = await create({ employees: sent })
  const { entry, records } = await service.logOf(body.log_id)
  t.match(entry, {
    id: body.log_id,
    status: 'Completed',
    name: 'Public API',
    operation: 'create',
    counts: { total: 2, updated: 0, deactivated: 0, failed: 0, no_updates: 0 },
    http_status: 201,
    key: { id: service.company.key.api_id, name: 'HR sync' },
    error: null,
  })
  t.strictSame(
    records,
    [
      { first_name: 'Zoë', last_name: 'Pérez', email: sent[0]!['email'], status: 'active' },
      { first_name: 'Ana', last_name: 'Pérez', email: sent[1]!['email'], start_date: '2026-02-28', status: 'inactive' },
    ].map((attributes, index) => ({
      index,
      employee_id: body.employees[index].id,
      status: null,
      attributes,
      changes: null,
      record: null,
      errors: null,
      truncated: false,
      errors_omitted: 0,
      left_out: [],
      erased: false,
    })),
  )
})

await t.test('a bare array is accepted, and its employees come back in the order sent', async (t) => {
  const sent = Array.from({ length: MAX_RECORDS }, () => employee())
  const { status, body, headers } = await create(sent)
  t.equal(status, 201)
  t.strictSame(
    body.employees.map((created: { email: string }) => created.email),
    sent.map(({ email }) => email),
  )
  t.notOk(headers['location'])
  const { entry } = await service.logOf(body.log_id)
  t.equal(entry.counts.total, MAX_RECORDS)
})

await t.test('one bad record fails the call with every error listed, and only the entry is stored', async (t) => {
  const good = employee()
  const taken = await create(employee())
  const bad = { first_name: '', email: taken.body.employees[0].email, shoe_size: 43, id: 'emp_1' }
  const { status, body, headers } = await create({ employees: [good, bad, 'nobody'] })
  t.equal(status, 422)
  t.equal(headers['content-type'], 'application/problem+json; charset=utf-8')
  t.match(body, {
    type: '/problems/validation_failed',
    code: 'validation_failed',
    status: 422,
    request_id: headers['x-request-id'],
  })
  t.strictSame(body.errors.map(({ index, pointer, code }: Record<string, unknown>) => [index, pointer, code]).sort(), [
    [1, '/employees/1/email', 'already_exists'],
    [1, '/employees/1/first_name', 'required'],
    [1, '/employees/1/id', 'read_only_field'],
    [1, '/employees/1/shoe_size', 'unknown_field'],
    [2, '/employees/2', 'invalid_type'],
  ])
  const { entry, records } = await service.logOf(body.log_id)
  t.match(entry, {
    status: 'Failed',
    counts: { total: 3, failed: 2 },
    error: { code: body.code, detail: body.detail },
  })
  t.strictSame(
    records.map(({ index }) => index),
    [1, 2],
  )
  t.strictSame(records[0].record, bad, 'the record, unchanged')
  t.strictSame(
    records.flatMap(({ errors }) => errors),
    body.errors.map(({ pointer, code, message }: Record<string, unknown>) => ({ pointer, code, message })),
    'the messages of the answer',
  )
  const { status: free } = await create(good)
  t.equal(free, 201, 'the good record was not kept')
})

await t.test("an active employee's e-mail gets 409, whatever its case or Unicode form", async (t) => {
  const { id } = (await create(employee({ email: 'ﬁona@example.com' }))).body.employees[0]
  const { status, body } = await create(employee({ email: 'FIONA@example.com' }))
  t.equal(status, 409)
  t.match(body, { code: 'already_exists', errors: [{ code: 'already_exists', pointer: '/email', id }] })
})

await t.test("an inactive employee's e-mail gets 409 with that employee's id", async (t) => {
  const held = await create(employee({ email: 'left@example.com', status: 'inactive' }))
  const { status, body } = await create([employee({ email: 'left@example.com' })])
  t.equal(status, 409)
  t.match(body, {
    code: 'inactive_employee_exists',
    errors: [{ code: 'inactive_employee_exists', pointer: '/0/email', id: held.body.employees[0].id }],
  })
})

await t.test('another company may have the same e-mail and external id', async (t) => {
  const other = await service.makeCompany('Other')
  const same = { email: 'shared@example.com', external_id: 'E-1' }
  t.equal((await create(employee(same))).status, 201)
  t.equal((await service.call('POST', '/v1/employees', { body: employee(same), key: other.key })).status, 201)
})

await t.test('too many records get 413 with the limit; all count as failed, and one row has the error', async (t) => {
  const { status, body } = await create(Array.from({ length: MAX_RECORDS + 1 }, () => employee()))
  t.equal(status, 413)
  t.match(body, { code: 'batch_too_large', detail: new RegExp(`${MAX_RECORDS}`) })
  const { entry, records } = await service.logOf(body.log_id)
  t.match(entry, { status: 'Failed', counts: { total: MAX_RECORDS + 1, failed: MAX_RECORDS + 1 } })
  t.match(records, [{ index: null, employee_id: null, errors: [{ code: 'batch_too_large', message: body.detail }] }])
  t.equal(records.length, 1)
})
