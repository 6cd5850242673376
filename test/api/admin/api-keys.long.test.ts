import t from 'tap'
import { streamOf } from '../../support/ledger/company-events.ts'
import { employee, startService } from '../../support/service.ts'
import { ledgerFaults } from '../../support/ledger/verify-ledger.ts'
import { moveBack } from '../../support/postgres/move-back.ts'
import { toUuid } from '../../../src/domain/ids.ts'

const service = await startService(t)
const { company } = service
const UNKNOWN = 'key_01h455vb4pex5vsknk084sn02q'

const issue = async (body: object = { name: 'Payroll' }) => (await service.manage('POST', '/api-keys', body)).body
const write = (key: { id: string; api_key: string }) =>
  service.call('POST', '/v1/employees', { key: { api_id: key.id, api_key: key.api_key }, body: employee() })

await t.test('a new key has the documented defaults, works at once, and its secret is shown once', async (t) => {
  const answer = await service.manage('POST', '/api-keys', { name: '  Payroll  ' })
  t.equal(answer.status, 201)
  t.equal(answer.headers['location'], `/admin/v1/api-keys/${answer.body.id}`)
  t.equal(answer.headers['cache-control'], 'no-store')
  t.match(answer.body.api_key, /^el_live_[0-9a-z]{26}_[0-9A-Za-z]{49}$/)
  t.match(answer.body, {
    name: 'Payroll',
    status: 'active',
    quota_limit: 10_000,
    refresh_period: 'monthly',
    last_used: null,
  })
  const noPrevious = { previous_secret_expires_at: null, previous_secret_last_four: null }
  t.strictSame(answer.body.rotation, { rotated_at: null, ...noPrevious })
  t.equal((await write(answer.body)).status, 201)
  const { body } = await service.manage('GET', `/api-keys/${answer.body.id}`)
  t.notOk('api_key' in body)
  t.match(body, { usage: { requests_made: 1 }, last_used: /^20/ })
  const [event] = await streamOf(service, answer.body.id)
  t.match(event, { type: 'ApiKeyIssued', version: 1, actor: company.admin.user_id, call_id: null })
  const access = { scopes: ['employees:read', 'employees:write'], expires_at: null, allowed_networks: null }
  t.match(answer.body, access)
  t.strictSame(event!.data, { name: 'Payroll', quota_limit: 10_000, refresh_period: 'monthly', ...access })
  t.equal(answer.headers['x-ledger-position'], String(event!.position))
})

await t.test('the list is newest first, and can be filtered by status', async (t) => {
  const other = await service.makeCompany('Other')
  const ids: string[] = []
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    const { body } = await service.manage('POST', '/api-keys', { name }, other.admin.token)
    ids.unshift(body.id)
  }
  ids.push(other.key.api_id)
  await service.manage('POST', `/api-keys/${ids[1]}/disable`, undefined, other.admin.token)
  await service.manage('POST', `/api-keys/${ids[3]}/revoke`, undefined, other.admin.token)
  const { body: listed } = await service.admin('/api-keys', other.admin.token)
  t.strictSame(
    listed.items.map(({ id }: { id: string }) => id),
    ids,
  )
  const expire = async (...names: string[]) =>
    service.pool.query(`update api_keys set expires_at = now() where company_id = $1 and name = any($2)`, [
      toUuid(other.id),
      names,
    ])
  // A revoked key stays one; an expired key is expired, also when it is disabled.
  await expire('a', 'b', 'd')
  const expected = { active: [ids[0], ids[2], ids[5]], disabled: [], expired: [ids[1], ids[4]], revoked: [ids[3]] }
  for (const [status, of] of Object.entries(expected)) {
    const { body } = await service.manage('GET', `/api-keys?status=${status}`, undefined, other.admin.token)
    t.strictSame(
      body.items.map(({ id }: { id: string }) => id),
      of,
    )
    for (const item of body.items) t.equal(item.status, status)
  }
})

await t.test('usage is counted in the current window', async (t) => {
  const key = await issue({ name: 'Hourly', refresh_period: 'hourly' })
  await write(key)
  await moveBack(service, 'api_key_usage', 'window_start', 3_600)
  const { body } = await service.manage('GET', `/api-keys/${key.id}`)
  t.equal(body.usage.requests_made, 0)
  t.equal(Date.parse(body.usage.window_end) - Date.parse(body.usage.window_start), 3_600_000)
})

await t.test('a new name and a new quota are one event each; unchanged values are none', async (t) => {
  const { id } = await issue({ name: 'Old', quota_limit: 5 })
  const patch = (body: object) => service.manage('PATCH', `/api-keys/${id}`, body)
  t.match(await patch({ name: 'New', quota_limit: 7 }), { status: 200, body: { name: 'New', quota_limit: 7 } })
  t.match(await patch({ refresh_period: 'daily' }), { status: 200, body: { quota_limit: 7, refresh_period: 'daily' } })
  for (const body of [{}, { name: ' New ' }, { quota_limit: 7, refresh_period: 'daily' }]) {
    const answer = await patch(body)
    t.match(answer, { status: 200, body: { name: 'New', quota_limit: 7 } })
    t.notOk(answer.headers['x-ledger-position'])
  }
  const [, renamed, limit, period, ...more] = await streamOf(service, id)
  t.match(renamed, { type: 'ApiKeyRenamed', version: 2, data: { from: 'Old', to: 'New' } })
  t.match(limit, { type: 'ApiKeyQuotaChanged', version: 3, data: { from: { quota_limit: 5 }, to: { quota_limit: 7 } } })
  t.match(period, { type: 'ApiKeyQuotaChanged', version: 4, data: { to: { quota_limit: 7, refresh_period: 'daily' } } })
  t.strictSame(more, [])
})

await t.test('a changed quota applies to the next call', async (t) => {
  const key = await issue({ name: 'Small', quota_limit: 1 })
  t.equal((await write(key)).status, 201)
  t.equal((await write(key)).status, 429)
  await service.manage('PATCH', `/api-keys/${key.id}`, { quota_limit: 2 })
  t.equal((await write(key)).status, 201)
  t.equal((await write(key)).status, 429)
})

await t.test('a disabled key is refused and an enabled one works; repeating either adds no event', async (t) => {
  const key = await issue()
  for (const [action, status, answered] of [
    ['disable', 'disabled', 403],
    ['enable', 'active', 201],
  ] as const) {
    for (const isFirst of [true, false]) {
      const answer = await service.manage('POST', `/api-keys/${key.id}/${action}`)
      t.match(answer, { status: 200, body: { id: key.id, status } })
      t.equal('x-ledger-position' in answer.headers, isFirst)
    }
    t.equal((await write(key)).status, answered)
  }
  const events = await streamOf(service, key.id)
  t.strictSame(
    events.map(({ type }) => type),
    ['ApiKeyIssued', 'ApiKeyDisabled', 'ApiKeyEnabled'],
  )
})

await t.test('a revoked key stays listed, is always refused, and can only be revoked again', async (t) => {
  const key = await issue()
  for (const isFirst of [true, false]) {
    const answer = await service.manage('POST', `/api-keys/${key.id}/revoke`)
    t.match(answer, { status: 200, body: { status: 'revoked' } })
    t.equal('x-ledger-position' in answer.headers, isFirst)
  }
  t.match(await write(key), { status: 401, body: { code: 'invalid_credentials' } })
  const changes = [
    ['POST', '/enable'],
    ['POST', '/disable'],
    ['POST', '/rotate'],
    ['PATCH', '', { name: 'x' }],
  ] as const
  for (const [method, path, body] of changes) {
    const answer = await service.manage(method, `/api-keys/${key.id}${path}`, body)
    t.match(answer, { status: 409, body: { code: 'key_revoked' } })
  }
  t.match(await service.manage('GET', `/api-keys/${key.id}`), { status: 200, body: { status: 'revoked' } })
  t.equal((await streamOf(service, key.id)).length, 2)
})

await t.test("another company's key is answered exactly like one that does not exist", async (t) => {
  const foreign = (await service.makeCompany('Foreign')).key.api_id
  const calls = [
    ...([
      ['GET', ''],
      ['PATCH', '', {}],
      ['POST', '/disable'],
      ['POST', '/enable'],
    ] as const),
    ...([
      ['POST', '/rotate'],
      ['POST', '/revoke'],
    ] as const),
  ]
  const bytes = new Set<string>()
  for (const [method, path, body] of calls) {
    for (const id of [foreign, UNKNOWN, 'me', company.admin.user_id]) {
      const answer = await service.manage(method, `/api-keys/${id}${path}`, body)
      t.match(answer, { status: 404, body: { code: 'key_not_found' } })
      bytes.add(JSON.stringify({ ...answer.body, request_id: '' }))
    }
  }
  t.equal(bytes.size, 1)
  const { rows } = await service.pool.query('select 1 from api_keys where is_revoked and name = $1', ['HR sync'])
  t.equal(rows.length, 0)
})

const BAD_BODIES: [string, object | string, string, string][] = [
  ['no name', {}, '/name', 'required'],
  ['an empty name', { name: ' \t ' }, '/name', 'too_short'],
  ['a long name', { name: 'x'.repeat(121) }, '/name', 'too_long'],
  ['no text', { name: 5 }, '/name', 'invalid_type'],
  ['null', { name: null }, '/name', 'null_not_allowed'],
  ['a string for a number', { name: 'x', quota_limit: '5' }, '/quota_limit', 'invalid_type'],
  ['a negative quota', { name: 'x', quota_limit: -1 }, '/quota_limit', 'invalid_value'],
  ['a fraction', { name: 'x', quota_limit: 1.5 }, '/quota_limit', 'invalid_type'],
  ['a quota too large to store', { name: 'x', quota_limit: 2_147_483_648 }, '/quota_limit', 'invalid_value'],
  ['an unknown period', { name: 'x', refresh_period: 'yearly' }, '/refresh_period', 'invalid_value'],
  ['an unknown field', { name: 'x', 'a/b': 1 }, '/a~1b', 'unknown_field'],
  ['no scope', { name: 'x', scopes: [] }, '/scopes', 'too_short'],
  ['null for scopes', { name: 'x', scopes: null }, '/scopes', 'null_not_allowed'],
  ['an unknown scope', { name: 'x', scopes: ['employees:delete'] }, '/scopes/0', 'invalid_value'],
  ['a scope twice', { name: 'x', scopes: ['employees:read', 'employees:read'] }, '/scopes', 'invalid_value'],
  ['a past expiry', { name: 'x', expires_at: '2020-01-01T00:00:00Z' }, '/expires_at', 'invalid_value'],
  ['the year 10000', { name: 'x', expires_at: '9999-12-31T23:59:59-01:00' }, '/expires_at', 'invalid_value'],
  ['five digits of a year', { name: 'x', expires_at: '10000-01-01T00:00:00Z' }, '/expires_at', 'invalid_format'],
  ['a day that does not exist', { name: 'x', expires_at: '2030-02-30T00:00:00Z' }, '/expires_at', 'invalid_format'],
  ['a number for a time', { name: 'x', expires_at: 1 }, '/expires_at', 'invalid_type'],
  ['one network as text', { name: 'x', allowed_networks: '10.0.0.0/8' }, '/allowed_networks', 'invalid_type'],
  ['33 networks', { name: 'x', allowed_networks: Array(33).fill('10.0.0.0/8') }, '/allowed_networks', 'too_long'],
  ['host bits', { name: 'x', allowed_networks: ['::/0', '10.0.0.1/8'] }, '/allowed_networks/1', 'invalid_format'],
  ['no network', { name: 'x', allowed_networks: ['localhost'] }, '/allowed_networks/0', 'invalid_format'],
  ['a space', { name: 'x', allowed_networks: ['10.0.0.0 '] }, '/allowed_networks/0', 'invalid_format'],
  ['a huge network', { name: 'x', allowed_networks: ['1'.repeat(10_000)] }, '/allowed_networks/0', 'too_long'],
]

for (const [name, body, pointer, code] of BAD_BODIES) {
  await t.test(`${name}: 422 with the place and the fault, and no key`, async (t) => {
    const answer = await service.manage('POST', '/api-keys', body)
    t.match(answer, {
      status: 422,
      body: { code: 'validation_failed', errors: [{ index: 0, id: null, pointer, code }] },
    })
    t.equal(answer.body.errors.length, 1)
  })
}

await t.test('all faults of a body are reported together; a name may have 120 characters after trimming', async (t) => {
  const { body } = await service.manage('POST', '/api-keys', { quota_limit: -1, refresh_period: 5, color: 'crimson' })
  const found = body.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)
  const faults = [
    '/color unknown_field',
    '/name required',
    '/quota_limit invalid_value',
    '/refresh_period invalid_type',
  ]
  t.strictSame(found.sort(), faults)
  t.notMatch(JSON.stringify(body.errors.map(({ message }: { message: string }) => message)), /crimson|-1/)
  t.equal((await service.manage('POST', '/api-keys', { name: ` ${'💼'.repeat(120)} ` })).status, 201)
})

await t.test('a body that is no JSON object, too large, or of another media type is refused as usual', async (t) => {
  const large = JSON.stringify({ name: 'x'.repeat(20_000) })
  const refusals = { '[]': [400, 'invalid_body'], '{': [400, 'malformed_json'], [large]: [413, 'payload_too_large'] }
  for (const [body, [status, code]] of Object.entries(refusals)) {
    t.match(await service.manage('POST', '/api-keys', body), { status, body: { code } })
  }
  const headers = { authorization: `Bearer ${company.admin.token}`, 'content-type': 'text/plain' }
  const text = await service.call('POST', '/admin/v1/api-keys', { key: null, headers, body: 'x' })
  t.match(text, { status: 415, body: { code: 'unsupported_media_type' } })
  t.match(await service.manage('GET', '/api-keys?color=red'), { status: 400, body: { code: 'invalid_query' } })
  t.match(await service.manage('POST', '/api-keys?limit=1', { name: 'x' }), {
    status: 400,
    body: { code: 'invalid_query' },
  })
})

await t.test('the ledger is sound afterwards, without a secret or its digest', async (t) => {
  t.strictSame(await ledgerFaults(service.db, company.id), [])
  const { rows } = await service.pool.query(`select e::text as text from events e`)
  t.notMatch(rows.map(({ text }) => text).join('\n'), /el_live_|el_user_|el_link_|secret_hash/)
})
