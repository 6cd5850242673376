import http from 'node:http'
import consumers from 'node:stream/consumers'
import t from 'tap'
import { lockIsAwaited } from '../../support/postgres/lock-awaited.ts'
import { addressOf, startProcess } from '../../support/processes/processes.ts'
import { employee, send, startService } from '../../support/service.ts'
import { ledgerFaults } from '../../support/ledger/verify-ledger.ts'
import { holdHead, letGo } from '../../support/postgres/held-rows.ts'

const service = await startService(t)

const issue = async () => {
  const { body } = await service.manage('POST', '/api-keys', { name: 'Narrowed' })
  return { id: body.id as string, key: { api_id: body.id as string, api_key: body.api_key as string } }
}
/** Ways to end what the key may do, and how its writing calls are refused then. */
const NARROWINGS = [
  { access: { scopes: ['employees:read'] }, status: 403, code: 'scope_missing' },
  { access: { allowed_networks: ['10.0.0.0/8', '2001:db8::/32'] }, status: 403, code: 'address_not_allowed' },
] as const

for (const { access, status, code } of NARROWINGS) {
  await t.test(`${code} affects a call that is under way`, async (t) => {
    const { id, key } = await issue()
    const holder = await holdHead(service)
    // The change waits for the head first, and the call, already authenticated, behind it.
    const changed = service.manage('PATCH', `/api-keys/${id}`, access)
    await lockIsAwaited(service, 'heads')
    const call = service.call('POST', '/v1/employees', { key, body: employee() })
    await lockIsAwaited(service, 'heads', 2)
    await letGo(holder)
    t.equal((await changed).status, 200)
    t.match(await call, { status, body: { code, log_id: /^log_/ } })
  })

  await t.test(`${code} stops an upload in progress, which has its entry`, async (t) => {
    const { id, key } = await issue()
    const answer = await uploadWhile(key, () => service.manage('PATCH', `/api-keys/${id}`, access))
    t.match(answer, { status, body: { code } })
    t.match((await service.logOf(answer.body.log_id)).entry, { status: 'Failed', counts: { total: 2, failed: 2 } })
  })
}

await t.test('a key that expires during an upload is refused, by the clock of the database', async (t) => {
  const { id, key } = await issue()
  await service.manage('PATCH', `/api-keys/${id}`, { expires_at: '2099-01-01T00:00:00Z' })
  const answer = await uploadWhile(key, () =>
    service.pool.query('update api_keys set expires_at = now() where expires_at is not null'),
  )
  t.match(answer, { status: 401, body: { code: 'invalid_credentials' } })
  t.notOk('log_id' in answer.body)
})

/** Uploads two employees, and does something once the call is authenticated and half of its body is sent. */
async function uploadWhile(key: { api_id: string; api_key: string }, act: () => Promise<unknown>) {
  const { port } = new URL(service.address)
  const body = JSON.stringify([employee(), employee()])
  const { status, text } = await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    const headers = {
      'x-api-id': key.api_id,
      'x-api-key': key.api_key,
      'content-type': 'application/json',
      expect: '100-continue',
    }
    const request = http.request({ port, method: 'POST', path: '/v1/employees', headers }, (answer) => {
      void consumers.text(answer).then((text) => resolve({ status: answer.statusCode, text }))
    })
    request.on('error', reject)
    request.on('continue', () => {
      request.write(body.slice(0, 20))
      void act().then(() => request.end(body.slice(20)), reject)
    })
    request.flushHeaders()
  })
  return { status, body: JSON.parse(text) }
}

await t.test('a change by one process applies at once in another', async (t) => {
  const second = addressOf(await startProcess(t, 'serve', service.urls))
  const { id, key } = await issue()
  const codesThere = async () => {
    const [write, read] = [
      await send(second, 'POST', '/v1/employees', { key, body: employee() }),
      await send(second, 'GET', '/v1/employees', { key }),
    ]
    return [write.body.code ?? write.status, read.body.code ?? read.status]
  }
  const steps: [access: object, write: unknown, read: unknown][] = [
    [{}, 201, 200],
    [{ scopes: ['employees:read'] }, 'scope_missing', 200],
    [{ scopes: ['employees:write'] }, 201, 'scope_missing'],
    [{ allowed_networks: ['10.0.0.0/8'] }, 'address_not_allowed', 'address_not_allowed'],
    [{ allowed_networks: null, scopes: ['employees:read', 'employees:write'] }, 201, 200],
  ]
  for (const [access, write, read] of steps) {
    t.equal((await service.manage('PATCH', `/api-keys/${id}`, access)).status, 200)
    t.strictSame(await codesThere(), [write, read], JSON.stringify(access))
  }
  await service.pool.query(`update api_keys set expires_at = now() where name = 'Narrowed'`)
  t.strictSame(await codesThere(), ['invalid_credentials', 'invalid_credentials'])
  t.equal((await service.manage('PATCH', `/api-keys/${id}`, { expires_at: null })).status, 200)
  t.strictSame(await codesThere(), [201, 200])
})

await t.test('of simultaneous changes each is applied, and the ledger is sound', async (t) => {
  const { id } = await issue()
  const change = (body: object) => service.manage('PATCH', `/api-keys/${id}`, body)
  const answers = await Promise.all([
    change({ scopes: ['employees:read'] }),
    change({ expires_at: '2099-01-01T00:00:00Z' }),
    change({ allowed_networks: ['10.0.0.0/8'] }),
  ])
  for (const { status } of answers) t.equal(status, 200)
  t.match((await service.manage('GET', `/api-keys/${id}`)).body, {
    scopes: ['employees:read'],
    expires_at: '2099-01-01T00:00:00.000Z',
    allowed_networks: ['10.0.0.0/8'],
  })
  t.strictSame(await ledgerFaults(service.db, service.company.id), [])
})
