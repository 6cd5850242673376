import t from 'tap'
import { streamOf } from '../../support/ledger/company-events.ts'
import { employee, startService } from '../../support/service.ts'

const service = await startService(t)

const issue = async (body: object) => (await service.manage('POST', '/api-keys', body)).body
const write = (key: { id: string; api_key: string }) =>
  service.call('POST', '/v1/employees', { key: { api_id: key.id, api_key: key.api_key }, body: employee() })

await t.test('a new access is one event, applies at once, and is shown in its usual form', async (t) => {
  const issued = await issue({ name: 'Narrow', scopes: ['employees:read'], expires_at: '2099-01-01T00:00:00+01:00' })
  t.match(issued, { scopes: ['employees:read'], expires_at: '2098-12-31T23:00:00.000Z', allowed_networks: null })
  t.match(await write(issued), { status: 403, body: { code: 'scope_missing' } })
  const patch = (body: object) => service.manage('PATCH', `/api-keys/${issued.id}`, body)
  const both = ['employees:write', 'employees:read']
  t.match(await patch({ scopes: both, allowed_networks: ['::1', '127.0.0.1', '::FFFF:127.0.0.0/104'] }), {
    status: 200,
    body: { scopes: both.toReversed(), allowed_networks: ['127.0.0.0/8', '127.0.0.1/32', '::1/128'] },
  })
  t.equal((await write(issued)).status, 201)
  t.match(await patch({ allowed_networks: ['10.0.0.0/8'] }), { status: 200 })
  t.match(await write(issued), { status: 403, body: { code: 'address_not_allowed' } })
  t.match(await patch({ allowed_networks: [], expires_at: null }), {
    status: 200,
    body: { scopes: both.toReversed(), expires_at: null, allowed_networks: null },
  })
  t.equal((await write(issued)).status, 201)
  for (const same of [{}, { scopes: both }, { expires_at: null, allowed_networks: null }]) {
    t.notOk((await patch(same)).headers['x-ledger-position'])
  }
  const [, ...changes] = await streamOf(service, issued.id)
  t.strictSame(
    changes.map(({ type }) => type),
    ['ApiKeyAccessChanged', 'ApiKeyAccessChanged', 'ApiKeyAccessChanged'],
  )
  t.match(changes[1]!.data, { from: { allowed_networks: { length: 3 } }, to: { allowed_networks: ['10.0.0.0/8'] } })
})

await t.test('an expired key is listed as such, and works again with another expiry', async (t) => {
  const key = await issue({ name: 'Ended', expires_at: '2099-01-01T00:00:00Z' })
  await service.pool.query(`update api_keys set expires_at = now() where name = 'Ended'`)
  t.match(await write(key), { status: 401, body: { code: 'invalid_credentials' } })
  t.match((await service.manage('GET', `/api-keys/${key.id}`)).body, { status: 'expired' })
  t.match(await service.manage('PATCH', `/api-keys/${key.id}`, { name: 'Still ended' }), { status: 200 })
  t.match(await service.manage('PATCH', `/api-keys/${key.id}`, { expires_at: null }), { body: { status: 'active' } })
  t.equal((await write(key)).status, 201)
})
