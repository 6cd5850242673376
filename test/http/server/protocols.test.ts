import t from 'tap'
import type { FastifyRequest } from 'fastify'
import { readMany } from '../../../src/domain/calls/commands.ts'
import { doAtOnce } from '../../../src/domain/pieces.ts'
import { budgetBodies } from '../../../src/http/access/body-budget.ts'
import { chargedReading } from '../../../src/http/access/quota.ts'
import { writingCall, type KeyProtocol } from '../../../src/http/calls/writing-call.ts'
import { publicApi } from '../../../src/api/v1/public-api.ts'
import { employee, startService } from '../../support/service.ts'

/* A protocol of its own beside `/v1`: whatever answers below its path, answers in its form. */

const TYPE = 'application/plain+json'
const BODY_LIMIT = 70_000

const plain: KeyProtocol = {
  source: 'Public API',
  scope: 'employees:write',
  prefix: '/plain',
  challenge: 'Bearer realm="plain"',
  answerType: TYPE,
  refusalType: TYPE,
  bodyTypes: [TYPE],
  readCredentials: ({ headers: { authorization = '' } }) => {
    const [, apiId, secret] = /^Bearer ([^.]+)\.(.+)$/i.exec(authorization) ?? []
    return apiId === undefined || secret === undefined ? { missing: 'no token' } : { apiId, secret }
  },
  answer: (_context, { outcomes }, logId) => ({ status: 201, headers: {}, body: { made: outcomes.length, logId } }),
  refuse: ({ status, code }, _requestId, logId) => ({ status, headers: {}, body: { refused: code, logId } }),
  addRoutes: async (app, services) => {
    const { maxRecords, newId } = services.commands
    await app.register(async (writing) => {
      budgetBodies(writing, services.bodyBudget, plain.scope)
      const { config, ...options } = writingCall(services, {
        protocol: plain,
        operation: 'create',
        read: async ({ body }: FastifyRequest) => {
          return { command: doAtOnce(readMany('create', body, maxRecords, newId)), idempotency: null }
        },
        switchesOf: () => ({ isAllOrNone: true, linksByEmail: false, validateOnly: false }),
        keepsBody: () => false,
      })
      writing.post('/people', { ...options, config: { ...config, mediaTypes: [TYPE] } })
    })
    app.get('/people', chargedReading(services.keyUsage), async () => [])
  },
}

const service = await startService(t, { BODY_LIMIT: String(BODY_LIMIT) }, { keyProtocols: [publicApi, plain] })
const tokenOf = ({ api_id, api_key }: { api_id: string; api_key: string }) => `Bearer ${api_id}.${api_key}`
const TOKEN = { authorization: tokenOf(service.company.key) }

async function issue(more: object): Promise<{ authorization: string }> {
  const quota = { quota_limit: 1, refresh_period: 'monthly' }
  const { body } = await service.manage('POST', '/api-keys', { name: 'Narrow', ...quota, ...more })
  return { authorization: tokenOf({ api_id: body.id, api_key: body.api_key }) }
}

async function ask(method: 'GET' | 'POST' | 'DELETE', path: string, headers: Record<string, string>, body?: unknown) {
  const answer = await service.call(method, `/plain${path}`, {
    key: null,
    headers: { ...(body === undefined ? {} : { 'content-type': TYPE }), ...headers },
    body,
  })
  return { ...answer, body: typeof answer.body === 'string' ? JSON.parse(answer.body) : answer.body }
}

const narrow = await issue({ scopes: ['employees:read'] })
const used = await issue({})
await ask('GET', '/people', used)

await t.test('its calls are answered in its form, and have their entries', async (t) => {
  const made = await ask('POST', '/people', TOKEN, [employee()])
  t.match(made, { status: 201, headers: { 'content-type': /^application\/plain\+json/ }, body: { made: 1 } })
  t.match(await service.logOf(made.body.logId), { entry: { status: 'Completed', http_status: 201 } })

  const refused = await ask('POST', '/people', TOKEN, [employee({ phone: '12' })])
  t.match(refused, { status: 422, body: { refused: 'validation_failed' } })
  t.match(await service.logOf(refused.body.logId), { entry: { status: 'Failed' }, records: [{ errors: [{}] }] })
})

const large = [employee({ job_title: 'x'.repeat(BODY_LIMIT) })]
const REFUSALS: [string, Parameters<typeof ask>, code: string, status: number, hasEntry: boolean][] = [
  ['no credentials', ['POST', '/people', {}, []], 'invalid_credentials', 401, false],
  ["another protocol's credentials", ['GET', '/people', keyHeaders()], 'invalid_credentials', 401, false],
  [
    'a wrong secret',
    ['GET', '/people', { authorization: `${TOKEN.authorization}x` }],
    'invalid_credentials',
    401,
    false,
  ],
  ['no such route', ['GET', '/nothing', TOKEN], 'route_not_found', 404, false],
  ['no such route, for a browser', ['GET', '/nothing', { accept: 'text/html' }], 'route_not_found', 404, false],
  ['a method that the route lacks', ['DELETE', '/people', TOKEN], 'method_not_allowed', 405, false],
  ['a body that is too large', ['POST', '/people', TOKEN, large], 'payload_too_large', 413, true],
  [
    'an unknown type',
    ['POST', '/people', { ...TOKEN, 'content-type': 'text/csv' }, 'a'],
    'unsupported_media_type',
    415,
    true,
  ],
  [
    "another route's type",
    ['POST', '/people', { ...TOKEN, 'content-type': 'application/json' }, []],
    'unsupported_media_type',
    415,
    true,
  ],
  [
    'a compressed body',
    ['POST', '/people', { ...TOKEN, 'content-encoding': 'br' }, []],
    'unsupported_media_type',
    415,
    true,
  ],
  ['a body that is no JSON', ['POST', '/people', TOKEN, '{'], 'malformed_json', 400, true],
  ['a key without the scope', ['POST', '/people', narrow, []], 'scope_missing', 403, true],
  ['a used-up quota, writing', ['POST', '/people', used, []], 'quota_exceeded', 429, true],
  ['a used-up quota, reading', ['GET', '/people', used], 'quota_exceeded', 429, false],
]

function keyHeaders() {
  const { api_id, api_key } = service.company.key
  return { 'x-api-id': api_id, 'x-api-key': api_key }
}

for (const [name, asked, code, status, hasEntry] of REFUSALS) {
  await t.test(`${name}: ${status} ${code}, in its form`, async (t) => {
    const answer = await ask(...asked)
    t.match(answer, { status, body: { refused: code }, headers: { 'content-type': /^application\/plain\+json/ } })
    t.equal(answer.headers['www-authenticate'], status === 401 ? plain.challenge : undefined)
    t.equal(answer.headers['cache-control'], 'no-store')
    t.equal(answer.body.logId !== null, hasEntry)
    if (!hasEntry) return
    const { entry } = await service.logOf(answer.body.logId)
    t.match(entry, { status: 'Failed', http_status: status, error: { code } })
  })
}

await t.test('a body that it may not keep is in no entry', async (t) => {
  const { body } = await ask('POST', '/people', TOKEN, '{"password": "secret"')
  const { rows } = await service.pool.query('select count(*)::integer as kept from rejected_bodies')
  t.match(await service.logOf(body.logId), { entry: { error: { code: 'malformed_json' } } })
  t.equal(rows[0].kept, 0)
})

await t.test('the type of its bodies is none of other routes', async (t) => {
  const call = { headers: { 'content-type': TYPE }, body: [employee()] }
  t.match(await service.call('POST', '/v1/employees', call), { status: 415, body: { code: 'unsupported_media_type' } })
  const { api_id, api_key } = service.company.key
  const bearer = { authorization: tokenOf({ api_id, api_key }) }
  t.equal((await service.call('GET', '/v1/employees', { key: null, headers: bearer })).status, 401)
  const admin = { authorization: `Bearer ${service.company.admin.token}`, 'content-type': TYPE }
  t.equal((await service.call('POST', '/admin/v1/users', { key: null, headers: admin, body: {} })).status, 415)
})
