import t from 'tap'
import { employee, send, startService } from '../../support/service.ts'

/* Conditions on what has no entity tag (RFC 9110 section 13): a call that relies on one is refused, not carried out. */

const service = await startService(t)
const { body: created } = await service.call('POST', '/v1/employees', { body: employee() })
const [{ id }] = created.employees
const NAMED = [{ id, location: 'Lisbon' }]

const CALLS = [
  ['POST', [employee()]],
  ['PATCH', NAMED],
  ['PUT', [employee({ external_id: 'new' })]],
] as const

for (const [method, body] of CALLS) {
  await t.test(`${method} of several employees is refused under a condition that does not hold`, async (t) => {
    for (const [name, value] of [
      ['if-match', '"1"'],
      ['if-none-match', '*'],
    ] as const) {
      const refused = await service.call(method, '/v1/employees', { body, headers: { [name]: value } })
      t.match(refused, { status: 412, body: { code: 'precondition_failed', detail: new RegExp(name, 'i') } })
      const { entry } = await service.logOf(refused.body.log_id)
      t.match(entry, { status: 'Failed', http_status: 412, counts: { total: 1, failed: 1 } })
    }
    const asked = { body, headers: { 'if-match': '"1"' } }
    t.equal((await service.call(method, '/v1/employees?validate_only=true', asked)).status, 412)
    const headers = { 'if-match': '*', 'if-none-match': '"1"', 'if-unmodified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' }
    t.ok((await service.call(method, '/v1/employees', { body, headers })).status < 300, 'conditions that hold')
  })
}

await t.test('a condition binds an idempotency key like any other part of the request', async (t) => {
  const call = (headers: Record<string, string>) =>
    service.call('PATCH', '/v1/employees', { body: NAMED, headers: { 'idempotency-key': 'conditional', ...headers } })
  const first = await call({ 'if-none-match': '*' })
  t.equal(first.status, 412)
  const again = await call({ 'if-none-match': '*' })
  t.match(again, { status: 412, headers: { 'idempotency-replayed': 'true' }, body: { log_id: first.body.log_id } })
  t.match(await call({}), { status: 422, body: { code: 'idempotency_key_reused' } })
})

await t.test('an update of one employee honors If-None-Match, too', async (t) => {
  const update = (tag: string) =>
    service.call('PATCH', `/v1/employees/${id}`, { body: { location: 'Porto' }, headers: { 'if-none-match': tag } })
  t.match(await update('*'), { status: 412, body: { detail: /If-None-Match/ } })
  t.equal((await update('"99"')).status, 200)
})

await t.test('a change on the admin endpoint is refused under a condition that does not hold', async (t) => {
  const manage = (path: string, body: object, conditions: Record<string, string>) => {
    const headers = { authorization: `Bearer ${service.company.admin.token}`, ...conditions }
    return send(service.address, 'POST', `/admin/v1${path}`, { body, headers })
  }
  const issue = (conditions: Record<string, string>) => manage('/api-keys', { name: 'Conditional' }, conditions)
  t.match(await issue({ 'if-match': '"1"' }), { status: 412, body: { code: 'precondition_failed' } })
  const names = (await service.manage('GET', '/api-keys')).body.items.map(({ name }: { name: string }) => name)
  t.notOk(names.includes('Conditional'))
  t.equal((await issue({ 'if-match': '*' })).status, 201)
  const webhook = { url: 'https://hooks.example/x', types: ['employee.created'] }
  t.equal((await manage('/webhooks', webhook, { 'if-none-match': '*' })).status, 412)
})
