import http from 'node:http'
import consumers from 'node:stream/consumers'
import t from 'tap'
import { ledgerFaults } from '../../support/ledger/verify-ledger.ts'
import { holdHead, letGo } from '../../support/postgres/held-rows.ts'
import { lockIsAwaited } from '../../support/postgres/lock-awaited.ts'
import { addressOf, startProcess } from '../../support/processes/processes.ts'
import { employee, send, startService } from '../../support/service.ts'

/* Keys that change while a call with them is under way, or by a change of another process. */

const service = await startService(t)

const issue = async () => {
  const { id, api_key: secret } = (await service.manage('POST', '/api-keys', { name: 'Changed' })).body
  return { id: id as string, key: { api_id: id as string, api_key: secret as string } }
}
type Change = (id: string) => ReturnType<typeof service.manage>
const act =
  (action: string, body?: object): Change =>
  (id) =>
    service.manage('POST', `/api-keys/${id}/${action}`, body)
const patch =
  (access: object): Change =>
  (id) =>
    service.manage('PATCH', `/api-keys/${id}`, access)

/** Ways to end what a key may do, how its writing calls are refused then, and whether that has an entry. */
const CHANGES: [what: string, change: Change, status: number, code: string, hasEntry: boolean][] = [
  ['disabling a key', act('disable'), 403, 'key_disabled', true],
  ['revoking a key', act('revoke'), 401, 'invalid_credentials', false],
  ['taking a scope from a key', patch({ scopes: ['employees:read'] }), 403, 'scope_missing', true],
  [
    'allowing a key other networks',
    patch({ allowed_networks: ['10.0.0.0/8', '2001:db8::/32'] }),
    ...([403, 'address_not_allowed', true] as const),
  ],
]

for (const [what, change, status, code, hasEntry] of CHANGES) {
  await t.test(`${what} affects a call that is under way`, async (t) => {
    const { id, key } = await issue()
    const holder = await holdHead(service)
    // The change waits for the head first, and the call, already authenticated, behind it.
    const changed = change(id)
    await lockIsAwaited(service, 'heads')
    const call = service.call('POST', '/v1/employees', { key, body: employee() })
    await lockIsAwaited(service, 'heads', 2)
    await letGo(holder)
    t.equal((await changed).status, 200)
    t.match(await call, { status, body: { code } })
    t.equal('log_id' in (await call).body, hasEntry)
  })

  await t.test(`${what} stops an upload in progress`, async (t) => {
    const { id, key } = await issue()
    const answer = await uploadWhile(key, () => change(id))
    t.match(answer, { status, body: { code } })
    t.equal('log_id' in answer.body, hasEntry)
    if (hasEntry)
      t.match((await service.logOf(answer.body.log_id)).entry, { status: 'Failed', counts: { total: 2, failed: 2 } })
  })
}

await t.test('a key that expires during an upload is refused, by the clock of the database', async (t) => {
  const { id, key } = await issue()
  await patch({ expires_at: '2099-01-01T00:00:00Z' })(id)
  const answer = await uploadWhile(key, () =>
    service.pool.query('update api_keys set expires_at = now() where expires_at is not null'),
  )
  t.match(answer, { status: 401, body: { code: 'invalid_credentials' } })
  t.notOk('log_id' in answer.body)
})

/** Uploads two employees, and does something once the call is authenticated and half of its body is sent. */
async function uploadWhile(key: { api_id: string; api_key: string }, meanwhile: () => Promise<unknown>) {
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
      void meanwhile().then(() => request.end(body.slice(20)), reject)
    })
    request.flushHeaders()
  })
  return { status, body: JSON.parse(text) }
}

await t.test('a change by one process applies at once in another', async (t) => {
  const second = addressOf(await startProcess(t, 'serve', service.urls))
  const { id, key } = await issue()
  const codesThere = async (secret = key.api_key) => {
    const credentials = { api_id: id, api_key: secret }
    const [write, read] = [
      await send(second, 'POST', '/v1/employees', { key: credentials, body: employee() }),
      await send(second, 'GET', '/v1/employees', { key: credentials }),
    ]
    return [write.body.code ?? write.status, read.body.code ?? read.status]
  }
  const steps: [change: Change, write: unknown, read: unknown][] = [
    [patch({}), 201, 200],
    [patch({ scopes: ['employees:read'] }), 'scope_missing', 200],
    [patch({ scopes: ['employees:write'] }), 201, 'scope_missing'],
    [patch({ allowed_networks: ['10.0.0.0/8'] }), 'address_not_allowed', 'address_not_allowed'],
    [patch({ allowed_networks: null, scopes: ['employees:read', 'employees:write'] }), 201, 200],
    [act('disable'), 'key_disabled', 'key_disabled'],
    [act('enable'), 201, 200],
  ]
  for (const [at, [change, write, read]] of steps.entries()) {
    t.equal((await change(id)).status, 200)
    t.strictSame(await codesThere(), [write, read], `step ${at}`)
  }
  const REFUSED = ['invalid_credentials', 'invalid_credentials']
  await service.pool.query(`update api_keys set expires_at = now() where name = 'Changed'`)
  t.strictSame(await codesThere(), REFUSED)
  t.equal((await patch({ expires_at: null })(id)).status, 200)
  t.strictSame(await codesThere(), [201, 200])
  const { api_key: fresh } = (await act('rotate', { overlap_seconds: 0 })(id)).body
  t.strictSame(await codesThere(), REFUSED)
  t.strictSame(await codesThere(fresh), [201, 200])
  await act('revoke')(id)
  t.strictSame(await codesThere(fresh), REFUSED)
})

await t.test('of simultaneous changes each is applied, and the ledger is sound', async (t) => {
  const { id } = await issue()
  const answers = await Promise.all([
    patch({ scopes: ['employees:read'] })(id),
    patch({ expires_at: '2099-01-01T00:00:00Z' })(id),
    patch({ allowed_networks: ['10.0.0.0/8'] })(id),
  ])
  for (const { status } of answers) t.equal(status, 200)
  t.match((await service.manage('GET', `/api-keys/${id}`)).body, {
    scopes: ['employees:read'],
    expires_at: '2099-01-01T00:00:00.000Z',
    allowed_networks: ['10.0.0.0/8'],
  })
  t.strictSame(await ledgerFaults(service.db, service.company.id), [])
})
