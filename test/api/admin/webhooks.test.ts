import t from 'tap'
import { toUuid } from '../../../src/domain/ids.ts'
import { WEBHOOK_TYPES } from '../../../src/domain/webhook-types.ts'
import { streamOf } from '../../support/ledger/company-events.ts'
import { startService } from '../../support/service.ts'
import { ledgerFaults } from '../../support/ledger/verify-ledger.ts'

const service = await startService(t)
const { company } = service
const UNKNOWN = 'whk_01h455vb4pex5vsknk084sn02q'
const URL = 'https://example.com/hooks'

const create = async (body: object = {}) => (await service.manage('POST', '/webhooks', { url: URL, ...body })).body
const remove = (id: string) => service.manage('DELETE', `/webhooks/${id}`)
const headOf = async () => (await service.admin(`/webhooks/${hook.id}`)).body.position + (await behind())
const behind = async () => (await service.admin(`/webhooks/${hook.id}`)).body.behind
const hook = await create()

await t.test('a new webhook has the documented defaults, and its secret is shown once', async (t) => {
  const answer = await service.manage('POST', '/webhooks', { url: ` ${URL} `, description: '  Directory ' })
  const { id, secret } = answer.body
  t.equal(answer.status, 201)
  t.equal(answer.headers['location'], `/admin/v1/webhooks/${id}`)
  t.equal(answer.headers['cache-control'], 'no-store')
  t.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  const settings = {
    url: URL,
    description: 'Directory',
    types: [...WEBHOOK_TYPES],
    include_data: false,
    concurrency: 4,
  }
  t.match(answer.body, { ...settings, version: 1, status: 'enabled', disabled: null, failing: null })
  t.match(answer.body, { behind: 1, secret_rotated_at: null, previous_secret_expires_at: null })
  const { body } = await service.admin(`/webhooks/${id}`)
  t.strictSame({ ...body, secret }, answer.body)
  const [event] = await streamOf(service, id)
  t.match(event, { type: 'WebhookCreated', version: 1, actor: company.admin.user_id, data: settings })
  t.equal(answer.headers['x-ledger-position'], String(event!.position))
  t.equal(answer.body.position, event!.position - 1, 'its messages begin with the next event')
  await remove(id)
})

await t.test('a changed setting is one event with the old and the new value; an unchanged one is none', async (t) => {
  const { id } = await create({ types: ['employee.created', 'api_key.issued'] })
  const patch = (body: object) => service.manage('PATCH', `/webhooks/${id}`, body)
  t.match(await patch({ concurrency: 8, description: ' New ' }), {
    status: 200,
    body: { concurrency: 8, description: 'New', url: URL, version: 2 },
  })
  for (const body of [{}, { types: ['api_key.issued', 'employee.created'] }, { url: 'HTTPS://EXAMPLE.com/hooks' }]) {
    const answer = await patch(body)
    t.match(answer, { status: 200, body: { version: 2 } })
    t.notOk(answer.headers['x-ledger-position'])
  }
  t.match(await patch({ types: ['api_key.issued'] }), { status: 200, body: { types: ['api_key.issued'] } })
  const [, first, second, ...more] = await streamOf(service, id)
  t.match(first, {
    type: 'WebhookChanged',
    data: { from: { concurrency: 4, description: '' }, to: { concurrency: 8, description: 'New' } },
  })
  t.strictSame(second?.data, {
    from: { types: ['employee.created', 'api_key.issued'] },
    to: { types: ['api_key.issued'] },
  })
  t.strictSame(more, [])
  await remove(id)
})

const BAD_SETTINGS: [string, object, string, string][] = [
  ['an empty URL', { url: '  ' }, '/url', 'too_short'],
  ['a long URL', { url: `${URL}/${'x'.repeat(2_048)}` }, '/url', 'too_long'],
  ['a URL that is long when encoded', { url: `${URL}/${'é'.repeat(600)}` }, '/url', 'too_long'],
  ['no text', { url: 5 }, '/url', 'invalid_type'],
  ['no URL', { url: 'example.com' }, '/url', 'invalid_format'],
  ['a URL without a host', { url: 'https://' }, '/url', 'invalid_format'],
  ['white space', { url: 'https://example.com/a\tb' }, '/url', 'invalid_format'],
  ['a bad port', { url: 'https://example.com:99999/' }, '/url', 'invalid_format'],
  ['http', { url: 'http://example.com/' }, '/url', 'invalid_value'],
  ['another protocol', { url: 'ftp://example.com/' }, '/url', 'invalid_value'],
  ['a script', { url: 'javascript:alert(1)' }, '/url', 'invalid_value'],
  ['a file', { url: 'file:///etc/passwd' }, '/url', 'invalid_value'],
  ['a user name', { url: 'https://me@example.com/' }, '/url', 'invalid_value'],
  ['a password', { url: 'https://:secret@example.com/' }, '/url', 'invalid_value'],
  ['a fragment', { url: `${URL}#top` }, '/url', 'invalid_value'],
  ['an empty fragment', { url: `${URL}#` }, '/url', 'invalid_value'],
  ['a long description', { description: 'x'.repeat(201) }, '/description', 'too_long'],
  ['null', { description: null }, '/description', 'null_not_allowed'],
  ['no types', { types: [] }, '/types', 'too_short'],
  ['one text for types', { types: 'employee.created' }, '/types', 'invalid_type'],
  ['an unknown type', { types: ['employee.created', 'employee.hired'] }, '/types/1', 'invalid_value'],
  ['the type of pings', { types: ['webhook.ping'] }, '/types/0', 'invalid_value'],
  ['a type twice', { types: ['employee.created', 'employee.created'] }, '/types', 'invalid_value'],
  ['a text for a flag', { include_data: 'yes' }, '/include_data', 'invalid_type'],
  ['no concurrency', { concurrency: 0 }, '/concurrency', 'invalid_value'],
  ['too much concurrency', { concurrency: 17 }, '/concurrency', 'invalid_value'],
  ['a fraction', { concurrency: 1.5 }, '/concurrency', 'invalid_type'],
  ['an unknown field', { secret: 'whsec_mine' }, '/secret', 'unknown_field'],
]

for (const [name, body, pointer, code] of BAD_SETTINGS) {
  await t.test(`${name}: 422 with the place and the fault, and nothing is stored`, async (t) => {
    const before = await headOf()
    for (const answer of [
      await service.manage('POST', '/webhooks', { url: URL, ...body }),
      await service.manage('PATCH', `/webhooks/${hook.id}`, body),
    ]) {
      t.match(answer, { status: 422, body: { code: 'validation_failed', errors: [{ pointer, code }] } })
      t.equal(answer.body.errors.length, 1)
      t.notMatch(answer.body.errors[0].message, /secret@|alert|whsec_mine/, 'the value is not repeated')
    }
    t.equal(await headOf(), before)
  })
}

await t.test('a URL is required, and is stored as it is called', async (t) => {
  t.match(await service.manage('POST', '/webhooks', {}), {
    status: 422,
    body: { errors: [{ pointer: '/url', code: 'required' }] },
  })
  const { id, url } = await create({ url: 'https://EXAMPLE.com:443\\a/../b?q=é' })
  t.equal(url, 'https://example.com/b?q=%C3%A9')
  await remove(id)
})

await t.test('http is allowed for development', async (t) => {
  const open = await startService(t, { OUTGOING_PRIVATE: '1' })
  t.match(await open.manage('POST', '/webhooks', { url: 'http://127.0.0.1:9/x' }), { status: 201 })
  t.match(await open.manage('POST', '/webhooks', { url: 'ftp://127.0.0.1/' }), { status: 422 })
})

await t.test('without a key for secrets, nothing is stored', async (t) => {
  const keyless = await startService(t, { SECRETS_KEY: '' })
  t.match(await keyless.manage('POST', '/webhooks', { url: URL }), {
    status: 503,
    body: { code: 'secrets_key_missing' },
  })
  t.strictSame((await keyless.admin('/webhooks')).body.items, [])
})

await t.test('a paused webhook goes on where it stopped; repeating either adds no event', async (t) => {
  const { id, position } = await create()
  for (const [action, status] of [
    ['pause', 'paused'],
    ['resume', 'enabled'],
  ] as const) {
    for (const isFirst of [true, false]) {
      const answer = await service.manage('POST', `/webhooks/${id}/${action}`)
      t.match(answer, { status: 200, body: { id, status, position } })
      t.equal('x-ledger-position' in answer.headers, isFirst)
    }
  }
  const events = await streamOf(service, id)
  t.strictSame(
    events.map(({ type }) => type),
    ['WebhookCreated', 'WebhookPaused', 'WebhookResumed'],
  )
  await remove(id)
})

await t.test('deliveries are replayed or skipped from a position or a time', async (t) => {
  const { id, created_at: createdAt } = await create()
  const [created] = await streamOf(service, id)
  const resume = (body: object) => service.manage('POST', `/webhooks/${id}/resume`, body)
  t.match(await resume({ after: 0 }), { status: 200, body: { position: 0, status: 'enabled' } })
  t.match(await resume({ since: createdAt }), { status: 200, body: { position: created!.position - 1 } })
  t.match(await resume({ since: '0001-01-01T00:00:00Z' }), { status: 200, body: { position: 0 } })
  const head = await headOf()
  t.match(await resume({ since: '2999-01-01T00:00:00+02:00' }), { status: 200, body: { position: head, behind: 1 } })
  t.match((await streamOf(service, id)).at(-1), { type: 'WebhookResumed', data: { position: head } })
  for (const [body, pointer, code] of [
    [{ after: head + 100 }, '/after', 'invalid_value'],
    [{ after: -1 }, '/after', 'invalid_value'],
    [{ after: '1' }, '/after', 'invalid_type'],
    [{ after: 1e300 }, '/after', 'invalid_value'],
    [{ after: 1, since: createdAt }, '/since', 'invalid_value'],
    [{ since: 'yesterday' }, '/since', 'invalid_format'],
    [{ since: '0000-01-01T00:00:00Z' }, '/since', 'invalid_value'],
    [{ before: 1 }, '/before', 'unknown_field'],
  ] as const) {
    t.match(await resume(body), { status: 422, body: { errors: [{ pointer, code }] } }, JSON.stringify(body))
  }
  await remove(id)
})

await t.test('resuming a failing or disabled webhook makes a fresh start', async (t) => {
  const { id } = await create()
  await service.pool.query(
    `update webhook_progress set attempts = 3, failing_since = now(), due_at = now(), error = 'The receiver answered 500'
     where webhook_id = $1`,
    [toUuid(id)],
  )
  const failing = { attempts: 3, reason: 'The receiver answered 500' }
  t.match(await service.admin(`/webhooks/${id}`), { body: { status: 'enabled', failing } })
  await service.pool.query(
    `update webhooks set status = 'disabled', disabled_reason = 'failing', disabled_at = now() where webhook_id = $1`,
    [toUuid(id)],
  )
  t.match(await service.admin(`/webhooks/${id}`), {
    body: { status: 'disabled', disabled: { reason: 'failing', at: /^20/ }, failing },
  })
  t.match(await service.manage('POST', `/webhooks/${id}/resume`), {
    body: { status: 'enabled', disabled: null, failing: null },
  })
  await remove(id)
})

await t.test('a rotation shows a new secret once, and says how long the old one signs too', async (t) => {
  const { id, secret } = await create()
  const rotate = (body?: object) => service.manage('POST', `/webhooks/${id}/rotate`, body)
  const first = await rotate()
  t.equal(first.headers['cache-control'], 'no-store')
  t.match(first.body.secret, /^whsec_/)
  t.not(first.body.secret, secret)
  const rotatedAt = Date.parse(first.body.secret_rotated_at)
  t.equal(Date.parse(first.body.previous_secret_expires_at) - rotatedAt, 86_400_000)
  t.match(await rotate({ overlap_seconds: 0 }), { status: 200, body: { previous_secret_expires_at: null } })
  t.match(await rotate({ overlap_seconds: 604_801 }), {
    status: 422,
    body: { errors: [{ pointer: '/overlap_seconds', code: 'invalid_value' }] },
  })
  t.notOk('secret' in (await service.admin(`/webhooks/${id}`)).body)
  await remove(id)
})

await t.test('a removed webhook is gone, but its events stay', async (t) => {
  const { id } = await create()
  const { status, headers } = await remove(id)
  t.equal(status, 204)
  t.ok(headers['x-ledger-position'])
  t.match(await service.admin(`/webhooks/${id}`), { status: 404 })
  t.match(await remove(id), { status: 404 })
  t.match((await streamOf(service, id)).at(-1), { type: 'WebhookRemoved' })
})

await t.test('a company has at most 20 webhooks, also when several are created at once', async (t) => {
  const { admin } = await service.makeCompany('Busy')
  const one = () => service.manage('POST', '/webhooks', { url: URL }, admin.token)
  for (let at = 0; at < 19; at += 1) t.equal((await one()).status, 201)
  const answers = await Promise.all([one(), one(), one()])
  t.strictSame(answers.map(({ status }) => String(status)).toSorted(), ['201', '409', '409'])
  t.match(await one(), { status: 409, body: { code: 'too_many_webhooks' } })
  const { items } = (await service.admin('/webhooks', admin.token)).body
  t.equal(items.length, 20)
  t.strictSame(
    items.map(({ id }: { id: string }) => id),
    items.map(({ id }: { id: string }) => id).toSorted(),
    'oldest first',
  )
})

await t.test("another company's webhook is answered exactly like one that does not exist", async (t) => {
  const foreign = await service.makeCompany('Foreign')
  const { body: theirs } = await service.manage('POST', '/webhooks', { url: URL }, foreign.admin.token)
  const calls = [
    ['GET', ''],
    ['PATCH', '', { concurrency: 1 }],
    ['DELETE', ''],
    ['POST', '/pause'],
    ['POST', '/resume'],
    ['POST', '/rotate'],
    ['GET', '/deliveries'],
    ['GET', '/deliveries/dlv_01h455vb4pex5vsknk084sn02q'],
  ] as const
  const bytes = new Set<string>()
  for (const [method, path, body] of calls) {
    for (const id of [theirs.id, UNKNOWN, 'me', company.key.api_id]) {
      const answer = await service.manage(method, `/webhooks/${id}${path}`, body)
      t.match(answer, { status: 404, body: { code: 'webhook_not_found' } }, `${method} ${path}`)
      bytes.add(JSON.stringify({ ...answer.body, request_id: '' }))
    }
  }
  t.equal(bytes.size, 1)
  const { body } = await service.admin(`/webhooks/${theirs.id}`, foreign.admin.token)
  t.match(body, { version: 1, status: 'enabled' })
})

await t.test('bad queries and bodies are refused as everywhere', async (t) => {
  t.match(await service.admin('/webhooks?limit=1'), { status: 400, body: { code: 'invalid_query' } })
  t.match(await service.manage('POST', '/webhooks', '[]'), { status: 400, body: { code: 'invalid_body' } })
  t.match(await service.manage('POST', '/webhooks', `{"url":"${'x'.repeat(20_000)}"}`), { status: 413 })
})

await t.test('the ledger is sound afterwards, and no row has a secret', async (t) => {
  t.strictSame(await ledgerFaults(service.db, company.id), [])
  for (const table of ['events', 'webhooks']) {
    const { rows } = await service.pool.query(`select row_to_json(e)::text as text from ${table} e`)
    t.notMatch(rows.map(({ text }) => text).join('\n'), /whsec_/)
  }
})
