import t, { type Test } from 'tap'
import type { OpenApiDocument } from '../../../src/http/openapi/build-document.ts'
import { operationsOf } from '../../support/http/api-document.ts'
import { collectRoutes } from '../../support/http/registered-routes.ts'
import { deliverToNobody, storeDelivery } from '../../support/http/stored-deliveries.ts'
import { newId } from '../../../src/ledger/new-id.ts'
import { employee, startService, type Service } from '../../support/service.ts'
import { cookieOf, issueToken, OWN_PAGE } from '../../support/http/sessions.ts'

/* Who may call what: every registered route with every kind of caller. A route that no table has fails. */

type Allowed =
  | 'any key'
  | 'a SCIM key'
  | 'a reading key'
  | 'a writing key'
  | 'admin'
  | 'admin or auditor'
  | 'any user'
  | 'a session'
  | 'anybody'

const registered = collectRoutes()
const service: Service = await startService(t, {}, { singleDeliveries: deliverToNobody(() => service.pool) })
const [ours, theirs] = [service.company, await service.makeCompany('Other')]
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const keyHeaders = ({ api_id, api_key }: { api_id: string; api_key: string }) => ({
  'x-api-id': api_id,
  'x-api-key': api_key,
})

/** Makes a change as the administrator, to set up what the table needs. */
async function change(method: string, path: string, body?: unknown) {
  const answer = await ask(method, `/admin/v1${path}`, bearer(ours.admin.token), body)
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
  return answer.text === '' ? null : JSON.parse(answer.text)
}

const quota = { quota_limit: 1000, refresh_period: 'daily' }
const issue = async (name: string, access = {}) => {
  const issued = await change('POST', '/api-keys', { name, ...quota, ...access })
  return {
    id: issued.id ?? issued.api_id,
    headers: { 'x-api-id': issued.api_id ?? issued.id, 'x-api-key': issued.api_key },
  }
}
const token = async (name: string, scope = {}) =>
  (await issueToken(service, ours.admin, { name, expires_in_days: 7, ...scope })).body

const made = await service.call('POST', '/v1/employees', { body: employee({ last_name: 'Ourselves' }) })
await service.project()
const employeeId: string = made.body.employees[0].id
const logId: string = made.body.log_id
const spare = {
  key: await issue('spare'),
  user: await change('POST', '/users', { email: 's@example.com', name: 'S', role: 'member' }),
  token: await token('spare'),
  webhook: await change('POST', '/webhooks', { url: 'https://example.com/hooks' }),
}
const deliveryId = (await storeDelivery(service.pool, ours.id, spare.webhook.id)).id
const disabled = await issue('disabled')
await change('POST', `/api-keys/${disabled.id}/disable`)
const reading = await issue('reading', { scopes: ['employees:read'] })
const writing = await issue('writing', { scopes: ['employees:write'] })
const provider = await issue('provider', { scopes: ['scim'] })
const elsewhere = await issue('elsewhere', { allowed_networks: ['192.0.2.0/24', '2001:db8::/32'] })
const expired = await issue('expired', { expires_at: '2099-01-01T00:00:00Z' })
await service.pool.query('update api_keys set expires_at = now() where expires_at is not null')
const revoked = { key: await issue('revoked'), token: await token('revoked') }
const SCOPES = ['logs:read', 'uploads:write', 'people:read', 'audit'] as const
const narrowed = await Promise.all(SCOPES.map((scope) => token(scope, { scopes: [scope] })))
await change('POST', `/api-keys/${revoked.key.id}/revoke`)
await change('DELETE', `/tokens/${revoked.token.id}`)

const ID: Record<string, string> = {
  keys: spare.key.id,
  users: spare.user.id,
  tokens: spare.token.id,
  webhooks: spare.webhook.id,
  uploads: newId('upl'),
}
const DELIVERIES = `/admin/v1/webhooks/${ID['webhooks']}/deliveries`

/** The bodies change nothing: a caller who is let in gets an error about the body. */
const TABLE: Record<string, { allowed: Allowed; path?: string; body?: unknown }> = {
  'GET /v1/auth/verify': { allowed: 'any key' },
  'GET /v1/employees': { allowed: 'a reading key' },
  'POST /v1/employees': { allowed: 'a writing key', body: {} },
  'PATCH /v1/employees': { allowed: 'a writing key', body: [{ id: employeeId }] },
  'PUT /v1/employees': { allowed: 'a writing key', body: {} },
  'GET /v1/employees/erased': { allowed: 'a reading key' },
  'GET /v1/employees/{id}': { allowed: 'a reading key', path: `/v1/employees/${employeeId}` },
  'PATCH /v1/employees/{id}': { allowed: 'a writing key', path: `/v1/employees/${employeeId}`, body: {} },
  'GET /admin/v1/bulk-user-logs': { allowed: 'admin' },
  'GET /admin/v1/bulk-user-logs.csv': { allowed: 'admin' },
  'GET /admin/v1/bulk-user-logs/stream': { allowed: 'admin' },
  'GET /admin/v1/bulk-user-logs/{log_id}': { allowed: 'admin', path: `/admin/v1/bulk-user-logs/${logId}` },
  'POST /admin/v1/bulk-user-logs/{log_id}/undo': {
    allowed: 'admin',
    path: `/admin/v1/bulk-user-logs/${logId}/undo?validate_only=true`,
  },
  'GET /admin/v1/bulk-user-logs/{log_id}/records': {
    allowed: 'admin',
    path: `/admin/v1/bulk-user-logs/${logId}/records`,
  },
  'GET /admin/v1/bulk-user-logs/{log_id}/failed-records.json': {
    allowed: 'admin',
    path: `/admin/v1/bulk-user-logs/${logId}/failed-records.json`,
  },
  'GET /admin/v1/bulk-user-logs/failed-records.csv': { allowed: 'admin' },
  'GET /admin/v1/bulk-user-logs/{log_id}/failed-records.csv': {
    allowed: 'admin',
    path: `/admin/v1/bulk-user-logs/${logId}/failed-records.csv`,
  },
  'GET /admin/v1/bulk-user-logs/{log_id}/records.csv': {
    allowed: 'admin',
    path: `/admin/v1/bulk-user-logs/${logId}/records.csv`,
  },
  'GET /admin/v1/employees.csv': { allowed: 'admin' },
  'GET /admin/v1/employees.xlsx': { allowed: 'admin' },
  'GET /admin/v1/employees/by-day': { allowed: 'admin' },
  'GET /admin/v1/refusals': { allowed: 'admin' },
  'GET /admin/v1/refusals/failed-records.csv': {
    allowed: 'admin',
    path: '/admin/v1/refusals/failed-records.csv?code=invalid_format',
  },
  'GET /admin/v1/usage': { allowed: 'admin' },
  'GET /admin/v1/attention': { allowed: 'admin' },
  'GET /admin/v1/api-keys': { allowed: 'admin' },
  'POST /admin/v1/api-keys': { allowed: 'admin', body: {} },
  ...idRoutes('api-keys', ID['keys']!, [
    'GET',
    'PATCH',
    'POST rotate',
    'POST disable',
    'POST enable',
    'POST revoke',
    'POST allow',
  ]),
  'GET /admin/v1/webhooks': { allowed: 'admin' },
  'POST /admin/v1/webhooks': { allowed: 'admin', body: {} },
  ...idRoutes('webhooks', ID['webhooks']!, [
    ...['GET', 'PATCH', 'POST pause', 'POST resume', 'POST rotate', 'POST ping', 'GET deliveries'],
  ]),
  'GET /admin/v1/webhooks/{id}/deliveries/{delivery_id}': { allowed: 'admin', path: `${DELIVERIES}/${deliveryId}` },
  'POST /admin/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver': {
    allowed: 'admin',
    path: `${DELIVERIES}/${deliveryId}/redeliver`,
  },
  ...idRoutes('webhooks', ID['webhooks']!, ['DELETE']),
  'GET /admin/v1/uploads': { allowed: 'admin' },
  'POST /admin/v1/uploads': { allowed: 'admin', path: '/admin/v1/uploads?file_name=a.json', body: [] },
  ...idRoutes('uploads', ID['uploads']!, [
    ...['GET', 'GET not-applied.csv', 'PUT missing', 'GET missing', 'DELETE missing', 'POST apply', 'POST cancel'],
  ]),
  'POST /admin/v1/uploads/{id}/undo': { allowed: 'admin', path: `/admin/v1/uploads/${ID['uploads']}/undo` },
  'GET /admin/v1/uploads/{id}/mapping': { allowed: 'admin', path: `/admin/v1/uploads/${ID['uploads']}/mapping` },
  'PUT /admin/v1/uploads/{id}/mapping': {
    allowed: 'admin',
    path: `/admin/v1/uploads/${ID['uploads']}/mapping`,
    body: { columns: [] },
  },
  'GET /admin/v1/uploads/{id}/parts/{number}/preview': {
    allowed: 'admin',
    path: `/admin/v1/uploads/${ID['uploads']}/parts/1/preview`,
  },
  'GET /admin/v1/users': { allowed: 'admin' },
  'POST /admin/v1/users': { allowed: 'admin', body: {} },
  ...idRoutes('users', ID['users']!, ['GET', 'PATCH', 'POST reset-password', 'DELETE', 'POST erase']),
  'POST /admin/v1/erasures': { allowed: 'admin', body: {} },
  'POST /admin/v1/personal-data-reports': { allowed: 'admin', body: {} },
  'GET /admin/v1/company': { allowed: 'admin' },
  'PATCH /admin/v1/company': { allowed: 'admin', body: {} },
  'POST /admin/v1/secrets/find': { allowed: 'admin', body: {} },
  'GET /admin/v1/tokens': { allowed: 'any user' },
  'POST /admin/v1/tokens': { allowed: 'a session', body: {} },
  // Members see and revoke only their own tokens; somebody else's does not exist for them.
  'DELETE /admin/v1/tokens/{id}': { allowed: 'any user', path: '/admin/v1/tokens/tok_01h455vb4pex5vsknk084sn02q' },
  'GET /audit/v1/events': { allowed: 'admin or auditor' },
  'GET /audit/v1/events/stream': { allowed: 'admin or auditor' },
  'GET /audit/v1/proofs/inclusion': { allowed: 'admin or auditor', path: '/audit/v1/proofs/inclusion?position=1' },
  'GET /audit/v1/proofs/consistency': { allowed: 'admin or auditor', path: '/audit/v1/proofs/consistency?from=1' },
  'GET /audit/v1/evidence': { allowed: 'admin or auditor', path: `/audit/v1/evidence?employee=${employeeId}` },
  'GET /audit/v1/employees/{id}': { allowed: 'admin or auditor', path: `/audit/v1/employees/${employeeId}` },
  'GET /audit/v1/employees/{id}/history': {
    allowed: 'admin or auditor',
    path: `/audit/v1/employees/${employeeId}/history`,
  },
  'POST /admin/v1/invitations/accept': { allowed: 'anybody', body: {} },
  'GET /audit/v1/checkpoint': { allowed: 'admin or auditor' },
  'GET /audit/v1/keys': { allowed: 'admin or auditor' },
}

function idRoutes(kind: string, id: string, routes: string[]): typeof TABLE {
  return Object.fromEntries(
    routes.map((route) => {
      const [method, action] = route.split(' ')
      const end = action === undefined ? '' : `/${action}`
      const body = method === 'PATCH' || action === 'rotate' || action === 'allow' ? { body: {} } : {}
      return [
        `${method} /admin/v1/${kind}/{id}${end}`,
        { allowed: 'admin', path: `/admin/v1/${kind}/${id}${end}`, ...body },
      ]
    }),
  )
}

const CALLERS: Record<string, Record<string, string>> = {
  'no credentials': {},
  'a wrong secret': {
    ...keyHeaders({ ...ours.key, api_key: theirs.key.api_key }),
    ...bearer(`${ours.admin.token.slice(0, -1)}!`),
  },
  'an API key': keyHeaders(ours.key),
  'a disabled API key': disabled.headers,
  'a revoked API key': revoked.key.headers,
  'an expired API key': expired.headers,
  'a reading API key': reading.headers,
  'a writing API key': writing.headers,
  "another network's API key": elsewhere.headers,
  'a member': bearer(ours.member.token),
  'an auditor': bearer(ours.auditor.token),
  ...Object.fromEntries(narrowed.map(({ name, token }) => [`a token with the scope ${name}`, bearer(token)])),
  'a revoked token': bearer(revoked.token.token),
  "another company's API key": keyHeaders(theirs.key),
  "another company's administrator": bearer(theirs.admin.token),
  'a session': { ...OWN_PAGE, cookie: await cookieOf(service, ours.admin) },
  // Last, because only they change anything.
  'an administrator': bearer(ours.admin.token),
}

/** Who may use the routes that the document doesn't have: those of pages, and what needs no credentials. */
const UNDOCUMENTED: [RegExp, Allowed][] = [
  [/^\/(?:openapi\.json|livez|readyz|docs(?:\/:id|\.md)?|llms\.txt|client\.tgz|problems(?:\/:code)?)$/, 'anybody'],
  [/^\/scim\/v2\/(?:ServiceProviderConfig|ResourceTypes|Schemas)(?:\/:id)?$/, 'anybody'],
  [/^\/scim\/v2\//, 'a SCIM key'],
  [/^\/verify(?:\/(?:format|verify_ledger\.(?:py|go)))?$/, 'anybody'],
  [/^\/assets\/\w+\/[\w-]+\.\w+$/, 'anybody'],
  [/^\/audit\/v1\/tlog\/:company_id\/(?:checkpoint|tile\/(?:entries|:level)\/\*)$/, 'anybody'],
  [/^\/(?:sign-in(?:\/.+)?|sign-out|invitation)$/, 'anybody'],
  [/^\/(?:settings(?:\/search|\/\*)?|account(?:\/.+)?)?$/, 'any user'],
  [/^\/settings\/(?:events|ledger|employees$|employees\/:id$)/, 'admin or auditor'],
  [/^\/settings\/./, 'admin'],
]

/** The callers of pages, each with the kinds of routes that let them in. */
const PAGE_CALLERS: [name: string, headers: Record<string, string>, allowed: Allowed[]][] = [
  ['no credentials', {}, []],
  ['an API key', CALLERS['an API key']!, []],
  ['a SCIM key', bearer(`${provider.id}.${provider.headers['x-api-key']}`), ['a SCIM key']],
  ["an administrator's token", CALLERS['an administrator']!, []],
  ["a member's session", await sessionOf(ours.member), ['any user']],
  ["an auditor's session", await sessionOf(ours.auditor), ['any user', 'admin or auditor']],
  ["an administrator's session", await sessionOf(ours.admin), ['any user', 'admin or auditor', 'admin']],
]

async function sessionOf(user: Parameters<typeof cookieOf>[1]): Promise<Record<string, string>> {
  return { cookie: await cookieOf(service, user) }
}

/** The scope of tokens that may call a route; null if only tokens without scopes may. */
function scopeOf(path: string): (typeof SCOPES)[number] | null {
  if (path.endsWith('/undo') && !path.includes('/uploads/')) return null
  const [, scope] = SCOPED.find(([pattern]) => pattern.test(path)) ?? []
  return scope ?? null
}
const SCOPED: [RegExp, (typeof SCOPES)[number]][] = [
  [/^\/admin\/v1\/(?:bulk-user-logs|refusals|usage)\b/, 'logs:read'],
  [/^\/admin\/v1\/uploads\b/, 'uploads:write'],
  [/^\/admin\/v1\/employees\b/, 'people:read'],
  [/^\/audit\/v1\//, 'audit'],
]

/** Whether the caller is let in, or the code of the refusal. */
function expected(allowed: Allowed, caller: string, path: string): string {
  const [, scope] = /^a token with the scope (.+)$/.exec(caller) ?? []
  if (scope !== undefined && ['admin', 'admin or auditor', 'any user', 'a session'].includes(allowed))
    return scope === scopeOf(path) ? 'let in' : 'role_required'
  const isKey = caller.endsWith('API key') && !['a revoked API key', 'an expired API key'].includes(caller)
  const isUser = [
    'a member',
    'an auditor',
    'an administrator',
    "another company's administrator",
    'a session',
  ].includes(caller)
  switch (allowed) {
    case 'anybody':
      return 'let in'
    case 'any key':
      if (caller === "another network's API key") return 'address_not_allowed'
      return isKey ? 'let in' : 'invalid_credentials'
    case 'a reading key':
    case 'a writing key':
      if (caller === 'a disabled API key') return 'key_disabled'
      if (caller === "another network's API key") return 'address_not_allowed'
      if (caller === (allowed === 'a reading key' ? 'a writing API key' : 'a reading API key')) return 'scope_missing'
      return isKey ? 'let in' : 'invalid_credentials'
    case 'a SCIM key':
      return 'invalid_credentials'
    case 'any user':
      return isUser ? 'let in' : 'invalid_credentials'
    case 'a session':
      if (caller === 'a session') return 'let in'
      return isUser ? 'session_required' : 'invalid_credentials'
    case 'admin or auditor':
      if (caller === 'a member') return 'role_required'
      return isUser ? 'let in' : 'invalid_credentials'
    case 'admin':
      if (!isUser) return 'invalid_credentials'
      return caller.endsWith('administrator') || caller === 'a session' ? 'let in' : 'admin_only'
  }
}

const document: OpenApiDocument = (await service.call('GET', '/openapi.json')).body

await t.test('the table has every documented route, and no other', async (t) => {
  const routes = operationsOf(document).map(({ method, path }) => `${method} ${path}`)
  t.strictSame(Object.keys(TABLE).toSorted(), routes.toSorted())
})

/** What the document does not have, because another method does the same: `curl -T` puts its file. */
const SAME = { 'PUT /admin/v1/uploads': TABLE['POST /admin/v1/uploads']! }

for (const [route, { allowed, path, body }] of Object.entries({ ...TABLE, ...SAME })) {
  const [method, template] = route.split(' ') as [string, string]
  for (const [caller, headers] of Object.entries(CALLERS)) {
    const outcome = expected(allowed, caller, template)
    await t.test(`${route} with ${caller}: ${outcome}`, async (t) => {
      const answer = await ask(method, path ?? template, headers, body)
      t.equal(outcomeOf(answer), outcome, answer.text.slice(0, 300))
      if (outcome === 'let in' && caller.startsWith('another company')) assertBlind(t, answer, template)
    })
  }
}

await t.test('every registered route that the document does not have is for somebody', async (t) => {
  const documented = new Set(Object.keys({ ...TABLE, ...SAME }).map((route) => route.replaceAll(/\{(\w+)\}/g, ':$1')))
  const others = registered.filter(({ method, url }) => method !== 'HEAD' && !documented.has(`${method} ${url}`))
  t.ok(others.length > 50)
  for (const { method, url } of others) {
    const allowed = UNDOCUMENTED.find(([pattern]) => pattern.test(url))?.[1]
    t.ok(allowed, `${method} ${url} is in a table`)
    if (allowed === undefined || allowed === 'anybody') continue
    for (const [caller, headers, mayUse] of PAGE_CALLERS) {
      const isAllowed = mayUse.includes(allowed)
      // Whoever is let in would change something.
      if (isAllowed && method !== 'GET') continue
      const form = method === 'GET' ? {} : { 'content-type': 'application/x-www-form-urlencoded' }
      const answer = await fetch(service.address + url.replaceAll(/:\w+|\*/g, '1'), {
        method,
        headers: { ...OWN_PAGE, accept: 'text/html', ...headers, ...form },
        redirect: 'manual',
        ...(method === 'GET' ? {} : { body: 'name=x' }),
      })
      await answer.body?.cancel()
      const isSentAway = /^\/sign-in\b/.test(answer.headers.get('location') ?? '')
      const isIn = !isSentAway && answer.status !== 401 && answer.status !== 403
      t.equal(isIn, isAllowed, `${method} ${url} with ${caller}: ${answer.status}`)
    }
  }
})

/** Nothing that belongs to one company exists for another. */
function assertBlind(t: Test, { status, text }: Asked, template: string): void {
  if (template.includes('{')) t.equal(status, 404, text)
  // Their own ledger keeps what they sent themselves: our employee's id in a path.
  const unsent = template.startsWith('/audit/') ? [] : [employeeId]
  const secrets = [...unsent, logId, spare.key.id, spare.user.id, spare.token.id, spare.webhook.id, 'Ourselves']
  t.strictSame(
    secrets.filter((secret) => text.includes(secret)),
    [],
  )
}

interface Asked {
  status: number
  code: string | undefined
  text: string
}

/** The stream has no end, so only its first chunk is read. */
async function ask(method: string, path: string, headers: Record<string, string>, body?: unknown): Promise<Asked> {
  const content = body === undefined ? {} : { body: JSON.stringify(body) }
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
  const response = await fetch(service.address + path, { method, headers: { ...headers, ...type }, ...content })
  if (path.endsWith('/stream') && response.ok) {
    await response.body?.cancel()
    return { status: response.status, code: undefined, text: '' }
  }
  const text = await response.text()
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json') === true
  return { status: response.status, code: isProblem ? JSON.parse(text).code : undefined, text }
}

function outcomeOf({ status, code }: Asked): string {
  return status === 401 || status === 403 ? (code ?? String(status)) : 'let in'
}
