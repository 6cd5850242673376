import t from 'tap'
import type { OpenApiDocument } from '../../../src/http/openapi/build-document.ts'
import { eventually } from '../../support/eventually.ts'
import { operationsOf } from '../../support/http/api-document.ts'
import { holdAnswers } from '../../support/http/hold-answers.ts'
import { cookieOf, OWN_PAGE } from '../../support/http/sessions.ts'
import { deliverToNobody } from '../../support/http/stored-deliveries.ts'
import type { Service } from '../../support/service.ts'
import { employee, startService } from '../../support/service.ts'

/*
 * Real answers of all routes, good and bad, checked against the document: status, headers, media type, every field.
 */

const service: Service = await startService(
  t,
  { BODY_LIMIT: '20000', MAX_RECORDS: '20' },
  { singleDeliveries: deliverToNobody(() => service.pool) },
)
const document: OpenApiDocument = (await service.call('GET', '/openapi.json')).body
const { check, hold, held } = holdAnswers(service, document)
const mergePatch = { 'content-type': 'application/merge-patch+json' }

const [CREATE, LIST, UPDATE_MANY] = ['POST /v1/employees', 'GET /v1/employees', 'PATCH /v1/employees']
const UPSERT = 'PUT /v1/employees'
const [READ, UPDATE, VERIFY] = ['GET /v1/employees/{id}', 'PATCH /v1/employees/{id}', 'GET /v1/auth/verify']

// The public API.
const one = employee({
  external_id: 'A-1',
  custom_attributes: { grade: 7 },
  phone: '+4930901820',
  start_date: '2026-12-01',
})
const headers = { 'idempotency-key': 'first' }
const created = await hold(201, CREATE, { body: one, headers })
await hold(201, CREATE, { body: one, headers })
await hold(201, CREATE, {
  body: [employee({ manager_external_id: 'A-1' }), employee({ status: 'inactive', external_id: 'A-2' })],
})
await hold(200, CREATE, { body: employee(), query: '?validate_only=true' })
await hold(422, CREATE, { body: [employee({ email: 'nonsense' })], headers: { 'idempotency-key': 'bad' } })
await hold(422, CREATE, { body: employee(), headers })
await hold(422, CREATE, { body: [] })
await hold(422, CREATE, { body: {}, query: '?validate_only=true' })
await hold(409, CREATE, { body: one })
await hold(409, CREATE, { body: employee({ external_id: 'A-2' }) })
await hold(400, CREATE, { body: '{' })
await hold(200, UPSERT, { body: [{ external_id: 'A-1', job_title: 'Lead' }, employee({ external_id: 'A-3' })] })
await hold(200, UPSERT, { body: [employee()], query: '?validate_only=true' })
await hold(422, UPSERT, { body: [{ external_id: 'A-4' }] })
await hold(400, UPSERT, { body: {} })
const partly = { query: '?all_or_none=false' }
await hold(200, CREATE, { body: [employee(), employee({ phone: 'x' })], ...partly })
await hold(200, UPSERT, { body: [employee(), { external_id: 'A-4' }], ...partly })
await hold(200, UPDATE_MANY, { body: [{ external_id: 'A-1', job_title: 'Dev' }, { external_id: 'nobody' }], ...partly })
await hold(200, CREATE, { body: [employee(), {}], query: '?all_or_none=false&validate_only=true' })
await hold(422, CREATE, { body: [{}], ...partly })
await hold(400, CREATE, { body: employee(), query: '?all_or_none=no' })
await hold(400, CREATE, { body: 'true' })
await hold(400, CREATE, { body: employee(), query: '?nothing=1' })
await hold(400, CREATE, { body: employee(), headers: { 'idempotency-key': 'with space' } })
await hold(401, CREATE, { body: employee(), as: 'nobody' })
await hold(413, CREATE, { body: employee({ job_title: 'x'.repeat(20_000) }) })
await hold(413, CREATE, { body: Array.from({ length: 21 }, () => ({})) })
await hold(415, CREATE, { body: 'x', headers: { 'content-type': 'text/plain' } })

const { id } = created.body.employees[0]
const read = await hold(200, READ, { id })
await hold(404, READ)
await hold(412, READ, { id, headers: { 'if-match': '"999"' } })
await hold(200, UPDATE, { id, body: { job_title: 'X' }, headers: { ...mergePatch, 'if-match': read.headers['etag']! } })
await hold(412, UPDATE, { id, body: { job_title: 'Y' }, headers: { 'if-match': read.headers['etag']! } })
await hold(200, UPDATE, { id, body: { status: 'inactive' }, query: '?validate_only=true' })
await hold(200, UPDATE, { id, body: { custom_attributes: { grade: null } } })
await hold(404, UPDATE, { body: {} })
await hold(422, UPDATE, { id, body: { id: 'me' } })
await hold(409, UPDATE, { id, body: { external_id: 'A-2' } })

await hold(200, UPDATE_MANY, { body: [{ external_id: 'A-1', status: 'inactive' }], headers: mergePatch })
await hold(200, UPDATE_MANY, { body: { employees: [{ id, status: 'active' }, { external_id: 'A-2' }] } })
await hold(200, UPDATE_MANY, { body: [{ external_id: 'A-1' }], query: '?validate_only=true' })
await hold(422, UPDATE_MANY, { body: [{ email: 'nobody@example.com', phone: '1' }] })
await hold(400, UPDATE_MANY, { body: {} })

await service.project()
await hold(200, LIST, { query: '?limit=1' })
await hold(200, LIST, { query: '?status=inactive' })
await hold(400, LIST, { query: '?status=gone' })
await hold(200, VERIFY)
await hold(400, VERIFY, { query: '?x=1' })

// Bulk User Logs.
const LOGS = 'GET /admin/v1/bulk-user-logs'
const failed = await service.call('POST', '/v1/employees', { body: [{}] })
await service.project()
const log = { id: created.body.log_id }
await hold(200, LOGS, { query: '?limit=3' })
await hold(400, LOGS, { query: '?limit=0' })
await hold(401, LOGS, { as: 'nobody' })
await hold(403, LOGS, { as: 'nobody', headers: { authorization: `Bearer ${service.company.member.token}` } })
await hold(200, `${LOGS}/{log_id}`, log)
await hold(404, `${LOGS}/{log_id}`)
await hold(200, `${LOGS}/{log_id}/records`, log)
await hold(200, `${LOGS}/{log_id}/records`, { id: failed.body.log_id })
await hold(404, `${LOGS}/{log_id}/records`)
await hold(200, `${LOGS}.csv`)
await hold(400, `${LOGS}.csv`, { query: '?limit=1' })
await hold(200, `${LOGS}/{log_id}/records.csv`, log)
await hold(404, `${LOGS}/{log_id}/records.csv`)
await hold(200, `${LOGS}/{log_id}/failed-records.json`, log)
await hold(404, `${LOGS}/{log_id}/failed-records.json`)
await hold(200, `${LOGS}/{log_id}/failed-records.csv`, log)
await hold(404, `${LOGS}/{log_id}/failed-records.csv`)
await hold(200, `${LOGS}/failed-records.csv`)
await hold(400, `${LOGS}/failed-records.csv`, { query: '?limit=1' })
await hold(400, `${LOGS}/stream`, { query: '?x=1' })
await hold(200, 'GET /admin/v1/usage')
await hold(200, 'GET /admin/v1/employees/by-day')
const REFUSALS = 'GET /admin/v1/refusals'
await hold(200, REFUSALS)
await hold(400, REFUSALS, { query: '?limit=0' })
await hold(200, `${REFUSALS}/failed-records.csv`, { query: '?code=invalid_format&field=phone' })
await hold(400, `${REFUSALS}/failed-records.csv`)
await hold(200, 'GET /admin/v1/employees.csv')
await hold(400, 'GET /admin/v1/employees.csv', { query: '?order=age' })
await hold(200, 'GET /admin/v1/employees.xlsx')
await hold(400, 'GET /admin/v1/employees.xlsx', { query: '?order=age' })
await hold(200, 'GET /admin/v1/attention')
await hold(400, 'GET /admin/v1/attention', { query: '?from=x' })
await hold(400, 'GET /admin/v1/usage', { query: '?from=x' })
await hold(400, 'GET /admin/v1/employees/by-day', { query: '?from=x' })

// Erasure.
const ERASURES = 'POST /admin/v1/erasures'
const forgotten = await service.call('POST', '/v1/employees', { body: employee() })
await hold(200, ERASURES, { body: { employee_id: forgotten.body.employees[0].id } })
const REPORTS = 'POST /admin/v1/personal-data-reports'
await hold(200, REPORTS, { body: { employee_id: forgotten.body.employees[0].id } })
await hold(404, REPORTS, { body: { email: 'unheard.of@example.com' } })
await hold(422, REPORTS, { body: {} })
await service.project()
await hold(200, `${LOGS}/{log_id}/records`, { id: forgotten.body.log_id })
// Somebody who appears only in a body that could not be read.
await service.call('POST', '/v1/employees', { body: '{"external_id":"unread",' })
await hold(200, ERASURES, { body: { external_id: 'unread' } })
await hold(404, ERASURES, { body: { email: 'unheard.of@example.com' } })
await hold(422, ERASURES, { body: { email: 'a@example.com', external_id: 'x' } })

const ERASED = 'GET /v1/employees/erased'
await hold(200, ERASED)
await hold(400, ERASED, { query: '?after=-1' })

// Keys, users and tokens.
const KEYS = '/admin/v1/api-keys'
const issued = await hold(201, `POST ${KEYS}`, { body: { name: 'A', quota_limit: 5, refresh_period: 'daily' } })
const apiKey = { id: issued.body.id }
await hold(422, `POST ${KEYS}`, { body: {} })
const FIND = 'POST /admin/v1/secrets/find'
await hold(200, FIND, { body: { q: issued.body.api_key } })
await hold(200, FIND, { body: { q: service.company.admin.token } })
await hold(422, FIND, { body: {} })
await hold(200, `GET ${KEYS}`)
await hold(400, `GET ${KEYS}`, { query: '?cursor=x' })
await hold(200, `GET ${KEYS}/{id}`, apiKey)
await hold(404, `GET ${KEYS}/{id}`)
await hold(200, `PATCH ${KEYS}/{id}`, { ...apiKey, body: { name: 'B' } })
const narrow = {
  scopes: ['employees:read'],
  expires_at: '2099-01-01T00:00:00Z',
  allowed_networks: ['::1', '10.0.0.0/8'],
}
await hold(200, `PATCH ${KEYS}/{id}`, { ...apiKey, body: narrow })
await hold(422, `PATCH ${KEYS}/{id}`, { ...apiKey, body: { allowed_networks: ['10.0.0.1/8'] } })
await hold(422, `PATCH ${KEYS}/{id}`, { ...apiKey, body: { name: 1 } })
await hold(200, `POST ${KEYS}/{id}/rotate`, { ...apiKey, body: {} })
await hold(200, `POST ${KEYS}/{id}/allow`, { ...apiKey, body: { max_deactivations: 5 } })
await hold(422, `POST ${KEYS}/{id}/allow`, { ...apiKey, body: {} })
await hold(400, `POST ${KEYS}/{id}/allow`, apiKey)
await hold(404, `POST ${KEYS}/{id}/allow`, { body: { max_changes: 5 } })
for (const action of ['disable', 'enable', 'revoke']) {
  await hold(200, `POST ${KEYS}/{id}/${action}`, apiKey)
  await hold(404, `POST ${KEYS}/{id}/${action}`)
}
await hold(409, `POST ${KEYS}/{id}/rotate`, { ...apiKey, body: {} })
await hold(409, `POST ${KEYS}/{id}/allow`, { ...apiKey, body: { max_changes: 5 } })

const HOOKS = '/admin/v1/webhooks'
const DELIVERIES = `${HOOKS}/{id}/deliveries`
const hook = (await hold(201, `POST ${HOOKS}`, { body: { url: 'https://example.com/hooks' } })).body
await hold(422, `POST ${HOOKS}`, { body: { url: 'https://example.com/hooks', types: ['x'] } })
await hold(200, `GET ${HOOKS}`)
await hold(400, `GET ${HOOKS}`, { query: '?limit=1' })
await hold(200, `PATCH ${HOOKS}/{id}`, { id: hook.id, body: { description: 'Payroll' } })
await hold(422, `PATCH ${HOOKS}/{id}`, { id: hook.id, body: { url: 'http://example.com' } })
for (const action of ['pause', 'resume', 'rotate', 'ping']) {
  await hold(200, `POST ${HOOKS}/{id}/${action}`, { id: hook.id })
  await hold(404, `POST ${HOOKS}/{id}/${action}`)
}
await hold(422, `POST ${HOOKS}/{id}/resume`, { id: hook.id, body: { after: 1_000_000 } })
await service.pool.query(
  `update webhook_progress set attempts = 1, failing_since = now(), error = 'The address is private'`,
)
await service.pool.query(`update webhooks set status = 'disabled', disabled_reason = 'failing', disabled_at = now()`)
await hold(200, `GET ${HOOKS}/{id}`, { id: hook.id })
await hold(404, `GET ${HOOKS}/{id}`)
const [delivery] = (await hold(200, `GET ${DELIVERIES}`, { id: hook.id, query: '?status=delivered' })).body.items
await hold(404, `GET ${DELIVERIES}`)
await hold(200, `GET ${DELIVERIES}/{delivery_id}`, { id: hook.id, second: delivery.id })
await hold(404, `GET ${DELIVERIES}/{delivery_id}`, { id: hook.id })
await hold(200, `POST ${DELIVERIES}/{delivery_id}/redeliver`, { id: hook.id, second: delivery.id })
await hold(404, `POST ${DELIVERIES}/{delivery_id}/redeliver`, { id: hook.id })
await hold(204, `DELETE ${HOOKS}/{id}`, { id: hook.id })
await hold(404, `DELETE ${HOOKS}/{id}`, { id: hook.id })

const UPLOADS = '/admin/v1/uploads'
const uploaded = { query: '?file_name=a.json', body: [employee()] }
const upload = { id: (await hold(201, `POST ${UPLOADS}`, uploaded)).body.id }
await hold(400, `POST ${UPLOADS}`, { ...uploaded, query: '?name=a.json' })
await hold(422, `POST ${UPLOADS}`, { ...uploaded, body: '{' })
await hold(413, `POST ${UPLOADS}`, { ...uploaded, body: 'x'.repeat(80_001) })
await hold(400, `POST ${UPLOADS}`, {
  ...uploaded,
  body: 'x',
  headers: { 'content-type': 'multipart/form-data; boundary=x' },
})
await hold(415, `POST ${UPLOADS}`, { ...uploaded, headers: { 'content-encoding': 'gzip' } })
await hold(200, `GET ${UPLOADS}`)
await hold(400, `GET ${UPLOADS}`, { query: '?limit=1' })
await hold(200, `GET ${UPLOADS}/{id}`, upload)
await hold(404, `GET ${UPLOADS}/{id}`)
await hold(409, `GET ${UPLOADS}/{id}/mapping`, upload)
await hold(409, `PUT ${UPLOADS}/{id}/mapping`, { ...upload, body: { columns: [] } })
const table = { query: '?file_name=a.csv', body: 'email\na@example.com\n', headers: { 'content-type': 'text/csv' } }
const mapped = { id: (await hold(201, `POST ${UPLOADS}`, table)).body.id }
const { body: mapping } = await hold(200, `GET ${UPLOADS}/{id}/mapping`, mapped)
await hold(200, `PUT ${UPLOADS}/{id}/mapping`, { ...mapped, body: mapping })
await hold(422, `PUT ${UPLOADS}/{id}/mapping`, { ...mapped, body: { columns: [] } })
await hold(404, `GET ${UPLOADS}/{id}/mapping`)
const ofPart = { ...upload, second: '1' }
await hold(200, `GET ${UPLOADS}/{id}/parts/{number}/preview`, ofPart)
await hold(200, `GET ${UPLOADS}/{id}/not-applied.csv`, upload)
await hold(404, `GET ${UPLOADS}/{id}/not-applied.csv`)
await hold(200, `PUT ${UPLOADS}/{id}/missing`, upload)
await hold(200, `GET ${UPLOADS}/{id}/missing`, upload)
await hold(400, `GET ${UPLOADS}/{id}/missing`, { ...upload, query: '?limit=x' })
await hold(204, `DELETE ${UPLOADS}/{id}/missing`, upload)
for (const method of ['PUT', 'GET', 'DELETE']) await hold(404, `${method} ${UPLOADS}/{id}/missing`)
await hold(200, `POST ${UPLOADS}/{id}/apply`, upload)
for (const method of ['PUT', 'DELETE']) await hold(409, `${method} ${UPLOADS}/{id}/missing`, upload)
await hold(409, `GET ${UPLOADS}/{id}/parts/{number}/preview`, ofPart)
for (const action of ['apply', 'cancel']) await hold(404, `POST ${UPLOADS}/{id}/${action}`)
await hold(204, `POST ${UPLOADS}/{id}/cancel`, upload)

// What is taken back: an entry, and an upload that a worker has applied.
const UNDO = `POST ${LOGS.split(' ')[1]}/{log_id}/undo`
const mistaken = await service.call('POST', '/v1/employees', { body: [employee(), employee()] })
await service.call('PATCH', `/v1/employees/${mistaken.body.employees[1].id}`, { body: { job_title: 'Dev' } })
const mistake = { id: mistaken.body.log_id }
await service.project()
await hold(200, UNDO, { ...mistake, query: '?validate_only=true&all_or_none=false' })
await hold(422, UNDO, mistake)
await hold(200, UNDO, { ...mistake, query: '?all_or_none=false' })
await hold(400, UNDO, { ...mistake, query: '?all_or_none=no' })
await hold(404, UNDO)
await startService(t, { SWEEP_INTERVAL_MS: '100' }, { urls: service.urls, workers: true })
const waiting = { id: (await service.manage('POST', '/uploads?file_name=b.json', [employee()])).body.id }
await hold(409, `POST ${UPLOADS}/{id}/undo`, waiting)
await service.manage('POST', `/uploads/${waiting.id}/apply`)
await eventually(
  'the upload has ended',
  async () => (await service.admin(`/uploads/${waiting.id}`)).body.state === 'ended',
)
await hold(201, `POST ${UPLOADS}/{id}/undo`, waiting)
await hold(404, `POST ${UPLOADS}/{id}/undo`)

const USERS = '/admin/v1/users'
const invited = await hold(201, `POST ${USERS}`, { body: { email: 'new@example.com', name: 'New', role: 'member' } })
const user = { id: invited.body.id }
await hold(409, `POST ${USERS}`, { body: { email: 'new@example.com', name: 'New', role: 'member' } })
const password = 'a long enough password'
await hold(200, 'POST /admin/v1/invitations/accept', {
  as: 'nobody',
  body: { token: invited.body.invitation.token, password },
})
await hold(401, 'POST /admin/v1/invitations/accept', {
  as: 'nobody',
  body: { token: invited.body.invitation.token, password },
})
await hold(422, 'POST /admin/v1/invitations/accept', { as: 'nobody', body: {} })
await hold(200, `GET ${USERS}`)
await hold(400, `GET ${USERS}`, { query: '?limit=x' })
await hold(200, `GET ${USERS}/{id}`, user)
await hold(404, `GET ${USERS}/{id}`)
await hold(200, `PATCH ${USERS}/{id}`, { ...user, body: { role: 'auditor' } })
await hold(422, `PATCH ${USERS}/{id}`, { ...user, body: { role: 'x' } })
await hold(200, `POST ${USERS}/{id}/reset-password`, user)
await hold(404, `POST ${USERS}/{id}/reset-password`)
await hold(409, `POST ${USERS}/{id}/reset-password`, { id: service.company.admin.user_id })
await hold(204, `DELETE ${USERS}/{id}`, user)
await hold(409, `POST ${USERS}/{id}/erase`, { id: service.company.admin.user_id })
await hold(200, `POST ${USERS}/{id}/erase`, user)
await hold(404, `POST ${USERS}/{id}/erase`)
await hold(409, `DELETE ${USERS}/{id}`, { id: service.company.admin.user_id })

const COMPANY = '/admin/v1/company'
await hold(200, `GET ${COMPANY}`)
await hold(400, `GET ${COMPANY}`, { query: '?x=1' })
await hold(200, `PATCH ${COMPANY}`, { body: { time_zone: 'Asia/Tokyo' } })
await hold(422, `PATCH ${COMPANY}`, { body: { time_zone: 'Nowhere/Land' } })

const TOKENS = '/admin/v1/tokens'
const { admin: issuer } = service.company
const session = { as: 'nobody', headers: { ...OWN_PAGE, cookie: await cookieOf(service, issuer) } } as const
const script = { name: 'script', expires_in_days: 1, current_password: issuer.password }
const token = await hold(201, `POST ${TOKENS}`, { ...session, body: script })
await hold(422, `POST ${TOKENS}`, { ...session, body: {} })
await hold(403, `POST ${TOKENS}`, { ...session, body: { name: 'script' } })
await hold(403, `POST ${TOKENS}`, { body: script })
await hold(200, `GET ${TOKENS}`)
await hold(404, `GET ${TOKENS}`, { query: '?user=x' })
await hold(204, `DELETE ${TOKENS}/{id}`, { id: token.body.id })
await hold(404, `DELETE ${TOKENS}/{id}`)

// The audit endpoint.
const EVENTS = 'GET /audit/v1/events'
const AT = 'GET /audit/v1/employees/{id}'
const asAuditor = { as: 'nobody', headers: { authorization: `Bearer ${service.company.auditor.token}` } } as const
await hold(200, EVENTS, asAuditor)
await hold(200, EVENTS, { ...asAuditor, query: '?format=proof&limit=10' })
await hold(400, EVENTS, { ...asAuditor, query: '?limit=0' })
await hold(401, EVENTS, { as: 'nobody' })
await hold(403, EVENTS, { as: 'nobody', headers: { authorization: `Bearer ${service.company.member.token}` } })
await hold(400, `${EVENTS}/stream`, { ...asAuditor, query: '?after=x' })
await hold(200, 'GET /audit/v1/proofs/inclusion', { ...asAuditor, query: '?position=5&size=9' })
await hold(400, 'GET /audit/v1/proofs/inclusion', { ...asAuditor, query: '?position=5&size=4' })
await hold(200, 'GET /audit/v1/proofs/consistency', { ...asAuditor, query: '?from=5' })
await hold(400, 'GET /audit/v1/proofs/consistency', asAuditor)
await hold(200, 'GET /audit/v1/evidence', { ...asAuditor, query: '?to=2100-01-01T00:00:00Z' })
await hold(400, 'GET /audit/v1/evidence', { ...asAuditor, query: '?employee=emp_1' })
for (const query of ['?employee=emp_01h455vb4pex5vsknk084sn02q', '?call=log_01h455vb4pex5vsknk084sn02q'])
  await hold(404, 'GET /audit/v1/evidence', { ...asAuditor, query })
await hold(200, AT, { ...asAuditor, id })
await hold(404, AT, asAuditor)
await hold(400, AT, { ...asAuditor, id, query: '?at=999999' })
await hold(200, `${AT}/history`, { ...asAuditor, id, query: '?limit=2' })
await hold(404, `${AT}/history`, asAuditor)
for (const route of ['GET /audit/v1/checkpoint', 'GET /audit/v1/keys']) {
  await hold(200, route)
  await hold(400, route, { query: '?x=1' })
  await hold(401, route, { as: 'nobody' })
  await hold(403, route, { as: 'nobody', headers: { authorization: `Bearer ${service.company.member.token}` } })
}

// A used-up quota, and a key that does not allow the call.
await service.pool.query('update api_keys set quota_limit = 0')
await hold(429, CREATE, { body: employee() })
await hold(429, READ, { id })
await service.pool.query(`update api_keys set quota_limit = 1000, scopes = '{employees:write}'`)
await hold(403, READ, { id })
await service.pool.query(`update api_keys set scopes = '{employees:read}'`)
for (const [route, body] of [
  [CREATE, employee()],
  [UPSERT, [employee()]],
  [UPDATE, {}],
] as const)
  await hold(403, route, { id, body })
await service.pool.query(`update api_keys set allowed_networks = '{192.0.2.0/24}'`)
for (const route of [VERIFY, LIST]) await hold(403, route)
await hold(403, UPDATE_MANY, { body: [{}] })
await service.pool.query('update api_keys set is_enabled = false')
await hold(403, UPDATE_MANY, { body: [{}] })
await hold(403, LIST)

/** Streams without an end. */
const ENDLESS = ['GET /admin/v1/bulk-user-logs/stream', 'GET /audit/v1/events/stream']

for (const { path, method } of operationsOf(document)) {
  const route = `${method} ${path}`
  const { statuses, faults } = held.get(route) ?? { statuses: [], faults: [] }
  await t.test(`${route} answers ${[...new Set(statuses)].join(', ')} as documented`, async (t) => {
    t.strictSame(faults, [])
    t.ok(statuses.some((status) => status < 300) || ENDLESS.includes(route), 'a success was seen')
    t.ok(
      statuses.some((status) => status >= 400),
      'a refusal was seen',
    )
  })
}

await t.test('an answer with an undocumented field, header or status is detected', async (t) => {
  const place = { path: '/v1/employees/{id}', method: 'GET' }
  t.strictSame(check(place, read), [])
  t.equal(check(place, { ...read, body: { ...read.body, salary: 1 } }).length, 1)
  t.equal(check(place, { ...read, headers: { ...read.headers, 'x-secret': '1' } }).length, 1)
  t.equal(check(place, { ...read, status: 418 }).length, 1)
  const { email: _, ...without } = read.body
  t.equal(check(place, { ...read, body: without }).length, 1)
})
