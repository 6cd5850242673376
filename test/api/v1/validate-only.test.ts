import t from 'tap'
import { employee, startService } from '../../support/service.ts'

const service = await startService(t)
const { body: made } = await service.call('POST', '/v1/employees', { body: employee({ external_id: 'V-1' }) })
const [existing] = made.employees

const state = async () => {
  const { rows } = await service.pool.query(`select (select count(*) from events) as events,
    (select count(*) from employee_directory) as employees, (select count(*) from idempotency_keys) as keys`)
  return rows[0]
}

interface Case {
  name: string
  method: 'POST' | 'PATCH'
  path: string
  body: unknown
  status: number
  answer: Record<string, unknown>
}

const CASES: Case[] = [
  {
    name: 'a creation',
    method: 'POST',
    path: '',
    body: [employee()],
    status: 200,
    answer: { employees: [{ id: null, version: 1 }] },
  },
  {
    name: 'a taken value',
    method: 'POST',
    path: '',
    body: [employee({ external_id: 'V-1' })],
    status: 409,
    answer: { code: 'already_exists' },
  },
  { name: 'a bad record', method: 'POST', path: '', body: [{}], status: 422, answer: { code: 'validation_failed' } },
  { name: 'malformed JSON', method: 'POST', path: '', body: '{', status: 400, answer: { code: 'malformed_json' } },
  { name: 'an empty batch', method: 'PATCH', path: '', body: [], status: 422, answer: { code: 'empty_batch' } },
  {
    name: 'a bulk update',
    method: 'PATCH',
    path: '',
    body: [{ external_id: 'V-1', status: 'inactive' }],
    status: 200,
    answer: { counts: { total: 1, deactivated: 1 }, results: [{ result: 'deactivated' }] },
  },
  {
    name: 'a single update',
    method: 'PATCH',
    path: `/${existing.id}`,
    body: { job_title: 'X' },
    status: 200,
    answer: { result: 'synced', changed: ['job_title'], employee: { job_title: 'X' } },
  },
  {
    name: 'an unknown employee',
    method: 'PATCH',
    path: '/x',
    body: {},
    status: 404,
    answer: { code: 'employee_not_found' },
  },
]

for (const { name, method, path, body, status, answer } of CASES) {
  await t.test(`validating ${name} returns ${status}, stores nothing and costs one unit`, async (t) => {
    const before = await state()
    const used = (await service.call('GET', '/v1/auth/verify')).body.requests_made
    const options = { body, headers: { 'idempotency-key': 'ignored' } }
    const got = await service.call(method, `/v1/employees${path}?validate_only=true`, options)
    t.match(got, { status, body: answer })
    t.notOk('log_id' in got.body)
    for (const header of ['x-ledger-position', 'location', 'etag', 'idempotency-replayed'])
      t.notOk(got.headers[header], header)
    t.strictSame(await state(), before)
    t.equal((await service.call('GET', '/v1/auth/verify')).body.requests_made, used + 1)
  })
}

await t.test('validate_only=false makes an ordinary call, and other values are refused with an entry', async (t) => {
  t.equal((await service.call('POST', '/v1/employees?validate_only=false', { body: employee() })).status, 201)
  const bad = await service.call('POST', '/v1/employees?validate_only=maybe', { body: employee() })
  t.match(bad, { status: 400, body: { code: 'invalid_query', log_id: /^log_/ } })
})

await t.test('a creation that is only validated shows no id that nobody will have', async (t) => {
  const boss = (await service.call('POST', '/v1/employees', { body: employee() })).body.employees[0]
  const head = employee()
  const sent = [
    { ...head, manager_id: boss.id },
    { ...employee(), manager_email: head.email },
  ]
  const { status, body } = await service.call('POST', '/v1/employees?validate_only=true', { body: sent })
  t.equal(status, 200)
  t.match(body.employees, [
    { id: null, manager_id: boss.id },
    { id: null, manager_id: null },
  ])
})
