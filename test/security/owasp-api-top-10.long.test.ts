import t from 'tap'
import type { OpenApiDocument } from '../../src/http/openapi/build-document.ts'
import { operationsOf } from '../support/http/api-document.ts'
import { deliverToNobody, storeDelivery } from '../support/http/stored-deliveries.ts'
import { employee, send, startService, type Service } from '../support/service.ts'
import { browse, cookieOf, issueToken } from '../support/http/sessions.ts'

/*
 * OWASP API Security Top 10 (2023): at least one test for each risk; those for API7 and API10 are in
 * outgoing-connections.test.ts. `docs/security.md` lists all tests that cover each risk.
 */

const service: Service = await startService(t, {}, { singleDeliveries: deliverToNobody(() => service.pool) })
const [ours, theirs] = [service.company, await service.makeCompany('Other')]
const document: OpenApiDocument = (await service.call('GET', '/openapi.json')).body
const operations = operationsOf(document)
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

const made = await service.call('POST', '/v1/employees', { key: theirs.key, body: employee() })
await service.project(theirs.id)
const { body: theirToken } = await issueToken(service, theirs.admin, { name: 'theirs', expires_in_days: 1 })
const { body: theirWebhook } = await service.manage(
  'POST',
  '/webhooks',
  { url: 'https://example.com/hooks' },
  theirs.admin.token,
)
const { body: theirUpload } = await send(service.address, 'POST', '/admin/v1/uploads?file_name=theirs.csv', {
  key: null,
  body: 'email\na@example.com\n',
  headers: { 'content-type': 'text/csv', ...bearer(theirs.admin.token) },
})
const { id: theirDelivery } = await storeDelivery(service.pool, theirs.id, theirWebhook.id)
const THEIRS: Record<string, string> = {
  employees: made.body.employees[0].id,
  'bulk-user-logs': made.body.log_id,
  'api-keys': theirs.key.api_id,
  users: theirs.member.user_id,
  tokens: theirToken.id,
  webhooks: theirWebhook.id,
  uploads: theirUpload.id,
}

function bodyFor(path: string): object {
  if (path.includes('users')) return { role: 'member' }
  return path.endsWith('/mapping') ? { columns: [] } : {}
}

await t.test(
  "API1 broken object level authorization: another company's id is answered exactly like an unknown one",
  async (t) => {
    const ofThings = operations.filter(({ path }) => path.includes('{'))
    for (const { method, path } of ofThings) {
      const [, kind] = /\/([a-z-]+)\/\{/.exec(path)!
      const [id, unknown] = [THEIRS[kind!]!, THEIRS[kind!]!.replace(/.{5}$/, '00000')]
      const body = ['POST', 'PATCH', 'PUT'].includes(method) ? { body: bodyFor(path) } : {}
      const answers = []
      for (const named of [id, unknown]) {
        const address = path
          .replace(/\{\w+\}/, named)
          .replace('{delivery_id}', theirDelivery)
          .replace('{number}', '1')
        const options = {
          key: path.startsWith('/v1') ? ours.key : null,
          headers: path.startsWith('/v1') ? {} : bearer(ours.admin.token),
          ...body,
        }
        const { status, body: answer } = await send(service.address, method, address, options)
        const { request_id: _, log_id: __, ...shown } = answer
        answers.push({ status, shown })
      }
      t.equal(answers[0]!.status, 404, `${method} ${path}`)
      t.strictSame(answers[0], answers[1], `${method} ${path}`)
    }
    t.ok(ofThings.length > 15)
  },
)

await t.test('API2 broken authentication: a route accepts only its own kind of credentials', async (t) => {
  const forged = [
    'Bearer null',
    'Bearer undefined',
    'Bearer eyJhbGciOiJub25lIn0.eyJyb2xlIjoiYWRtaW4ifQ.',
    `Basic ${btoa(`${ours.admin.email}:${ours.admin.password}`)}`,
    `Bearer ${ours.key.api_key}`,
    `Bearer ${ours.admin.token} x`,
  ]
  for (const { method, path, operation } of operations.filter(({ operation }) => operation.security.length > 0)) {
    const address = path.replace(/\{\w+\}/, 'x')
    const inQuery = `?x-api-id=${ours.key.api_id}&x-api-key=${ours.key.api_key}&access_token=${ours.admin.token}`
    t.equal(
      (await send(service.address, method, address + inQuery, {})).status,
      401,
      `${operation.operationId} by the query`,
    )
    for (const authorization of forged) {
      const { status } = await send(service.address, method, address, { headers: { authorization } })
      t.equal(status, 401, `${operation.operationId} by ${authorization}`)
    }
  }
})

await t.test(
  "API3 broken object property level authorization: clients can't set what the service maintains",
  async (t) => {
    const created = await service.call('POST', '/v1/employees', { body: employee() })
    const { id } = created.body.employees[0]
    for (const field of ['id', 'company_id', 'role', 'is_admin', 'constructor']) {
      t.equal((await service.call('POST', '/v1/employees', { body: employee({ [field]: 'x' }) })).status, 422, field)
      t.equal((await service.call('PATCH', `/v1/employees/${id}`, { body: { [field]: 'x' } })).status, 422, field)
    }
    // These are ignored, so that a client can send back what it has read.
    for (const field of ['version', 'created_at', 'updated_at', 'deactivated_at'])
      t.match(await service.call('PATCH', `/v1/employees/${id}`, { body: { [field]: 'x' } }), {
        status: 200,
        body: { result: 'no_updates' },
      })
    t.strictSame((await service.call('GET', `/v1/employees/${id}`)).body, created.body.employees[0])
    const ofKey = ['secret_hash', 'company_id', 'requests_made', 'is_enabled', 'is_revoked', 'api_key']
    for (const field of ofKey)
      t.equal((await service.manage('PATCH', `/api-keys/${ours.key.api_id}`, { [field]: 'x' })).status, 422, field)
    const ofUser = ['password_hash', 'company_id', 'email', 'is_removed', 'password']
    for (const field of ofUser)
      t.equal(
        (await service.manage('PATCH', `/users/${ours.member.user_id}`, { role: 'member', [field]: 'x' })).status,
        422,
        field,
      )
    t.equal((await issueToken(service, ours.member, { name: 'x', user_id: ours.admin.user_id })).status, 422)
  },
)

await t.test('API3: no answer to a read holds a secret or its hash', async (t) => {
  for (const path of [
    '/api-keys',
    `/api-keys/${ours.key.api_id}`,
    '/users',
    `/users/${ours.admin.user_id}`,
    '/tokens',
    '/company',
    '/bulk-user-logs',
  ]) {
    t.notMatch(
      JSON.stringify((await service.admin(path)).body),
      /"\w*(?:hash|salt|password|secret)"|el_(?:live|user|link)_/,
      path,
    )
  }
})

await t.test(
  'API4 unrestricted resource consumption: bodies, batches, pages, depth and waits have bounds',
  async (t) => {
    const small = await startService(t, {
      BODY_LIMIT: '2000',
      MAX_RECORDS: '3',
      BURST_LIMIT: '5',
      FAILURE_LIMIT: '5',
      STREAMS_PER_USER: '1',
    })
    const one = (body: unknown) => small.call('POST', '/v1/employees', { body }).then(({ body: { code } }) => code)
    t.equal(await one({ a: 'x'.repeat(3_000) }), 'payload_too_large')
    t.equal(await one([{}, {}, {}, {}]), 'batch_too_large')
    t.equal(await one('['.repeat(33) + ']'.repeat(33)), 'malformed_json')
    for (const path of ['/bulk-user-logs?limit=201', '/users?limit=201', '/api-keys?limit=100000'])
      t.equal((await small.admin(path)).status, 400, path)
    const burst = await Promise.all(Array.from({ length: 30 }, () => small.call('GET', '/v1/auth/verify')))
    t.ok(burst.some(({ status, headers }) => status === 429 && headers['retry-after'] !== undefined))
    const failing = await Promise.all(Array.from({ length: 12 }, () => small.admin('/users', null)))
    t.ok(failing.some(({ status }) => status === 429))
    for (const setting of ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']) {
      t.not((await small.pool.query(`show ${setting}`)).rows[0][setting], '0', setting)
    }
  },
)

await t.test("API5 broken function level authorization: no administrator's page opens to others", async (t) => {
  const pages = service.app.registeredRoutes.filter(
    ({ url, schema }) => url.startsWith('/settings/') && schema.hide !== true,
  )
  const [member, auditor] = [await cookieOf(service, ours.member), await cookieOf(service, ours.auditor)]
  const ofAuditors = /^\/settings\/(?:events|ledger|employees(?:$|\/:id$)|\*)/
  const ofEverybody = new Set(['/settings/*', '/settings/search'])
  for (const { method, url } of pages.filter(({ url }) => !ofEverybody.has(url))) {
    const path = url.replaceAll(/:\w+/g, '1')
    const form = method === 'POST' ? { form: { name: 'x' } } : {}
    t.equal((await browse(service, path, { cookie: member, ...form })).status, 403, `a member: ${method} ${url}`)
    if (!ofAuditors.test(url))
      t.equal((await browse(service, path, { cookie: auditor, ...form })).status, 403, `an auditor: ${method} ${url}`)
  }
  t.ok(pages.length > 20)
})

await t.test(
  "API6 unrestricted access to sensitive business flows: simultaneous calls can't exceed a quota, and sign-ins are limited",
  async (t) => {
    const { body: key } = await service.manage('POST', '/api-keys', {
      name: 'small',
      quota_limit: 3,
      refresh_period: 'monthly',
    })
    const calls = await Promise.all(
      Array.from({ length: 12 }, () =>
        service.call('POST', '/v1/employees', { key: { api_id: key.id, api_key: key.api_key }, body: employee() }),
      ),
    )
    t.equal(calls.filter(({ status }) => status === 201).length, 3)
    const limited = await startService(t, { SIGN_IN_LIMIT: '3' })
    const tries = []
    for (let at = 0; at < 5; at += 1)
      tries.push(
        (await browse(limited, '/sign-in', { form: { email: 'admin@example.com', password: 'a wrong password' } }))
          .status,
      )
    t.strictSame(tries, [401, 401, 401, 429, 429])
  },
)

await t.test(
  'API8 security misconfiguration: answers are safe from sniffing and caches, and do not reveal the software',
  async (t) => {
    const cases: [string, string, Record<string, string>][] = [
      ['GET', '/v1/auth/verify', {}],
      ['GET', '/admin/v1/users', bearer(ours.admin.token)],
      ['GET', '/audit/v1/keys', bearer(ours.auditor.token)],
      ['GET', '/v1/nothing', {}],
      ['PUT', '/v1/employees', {}],
      ['GET', '/v1/%ff', {}],
    ]
    for (const [method, path, headers] of cases) {
      const answer = await send(service.address, method, path, {
        key: path.startsWith('/v1') ? ours.key : null,
        headers: { ...headers, origin: 'http://evil.example' },
      })
      t.match(
        answer.headers,
        {
          'x-content-type-options': 'nosniff',
          'content-security-policy': /^default-src 'none'/,
          'cache-control': 'no-store',
        },
        path,
      )
      for (const name of ['server', 'x-powered-by', 'access-control-allow-origin', 'access-control-allow-credentials'])
        t.notOk(name in answer.headers, `${path} ${name}`)
      t.notMatch(JSON.stringify(answer.body), /node_modules|\.ts:|at \w+ \(|fastify|postgres/i, path)
    }
    for (const method of ['TRACE', 'PROPFIND', 'DEBUG']) {
      const status = await fetch(`${service.address}/v1/employees`, { method }).then(
        (answer) => answer.status,
        () => 'refused',
      )
      t.ok([400, 404, 405, 'refused'].includes(status), method)
    }
  },
)

const NOT_DESCRIBED = [
  '/',
  '/livez',
  '/readyz',
  '/openapi.json',
  '/docs',
  '/docs/:id',
  '/problems',
  '/problems/:code',
  '/sign-in',
  '/sign-in/passkey',
  '/sign-in/passkey/options',
  '/sign-in/recovery-code',
  '/sign-in/forgot-password',
  '/sign-in/:company',
  '/sign-in/:company/start',
  '/sign-in/:company/callback',
  '/sign-in/:company/backchannel-logout',
  '/sign-in/:company/jwks',
  '/sign-out',
  '/invitation',
  '/settings',
  '/account',
  '/audit/v1/tlog/:company_id/checkpoint',
  '/audit/v1/tlog/:company_id/tile/:level/*',
  '/audit/v1/tlog/:company_id/tile/entries/*',
  '/verify',
  '/verify/format',
  '/verify/verify_ledger.go',
  '/verify/verify_ledger.py',
  '/client.tgz',
  '/docs.md',
  '/llms.txt',
  // RFC 7644 describes these; which parts of it there are, /scim/v2/ServiceProviderConfig says.
  ...[
    ...['/Users', '/Users/:id', '/Users/.search', '/.search', '/Bulk', '/Me'],
    ...['/Groups', '/Groups/:id', '/Groups/.search'],
    ...['/ServiceProviderConfig', '/ResourceTypes', '/ResourceTypes/:id', '/Schemas', '/Schemas/:id'],
  ].map((path) => `/scim/v2${path}`),
]

await t.test(
  'API9 improper inventory management: each route is documented, or is a page, or is in this list',
  async (t) => {
    const known = service.app.registeredRoutes.filter(
      ({ schema, url }) => schema.operationId === undefined && !/^\/(?:settings|account|assets)\//.test(url),
    )
    const described = new Set(operations.map(({ path }) => path.replaceAll(/\{(\w+)\}/g, ':$1')))
    const others = [...new Set(known.map(({ url }) => url).filter((url) => !described.has(url)))]
    t.strictSame(others.toSorted(), NOT_DESCRIBED.toSorted())
    t.ok(
      operations.every(({ path }) => /^\/(?:v1|admin\/v1|audit\/v1)\//.test(path)),
      'each path has its version',
    )
  },
)
