import { randomBytes, randomUUID } from 'node:crypto'
import { changeWebhook, disableWebhook, rotateWebhookSecret } from '../../../src/accounts/webhooks/change-webhook.ts'
import { EVENT_TYPES } from '../../../src/domain/event-types.ts'
import type { EventType, NewEvent } from '../../../src/domain/events.ts'
import { fromUuid, toUuid } from '../../../src/domain/ids.ts'
import { appendCompanyEvents, nextVersion, OPERATOR } from '../../../src/ledger/append/append-company-events.ts'
import { newId } from '../../../src/ledger/new-id.ts'
import { leaseWebhook } from '../../../src/delivery/webhooks/progress.ts'
import { createSecretBox } from '../../../src/accounts/secrets/secret-box.ts'
import { makeWebhook } from '../stored-webhooks.ts'
import type { Service } from '../service.ts'
import { openAppends } from './appends.ts'
import { CALL_SOURCES } from '../../../src/domain/call-sources.ts'
import { PUBLIC_API } from '../../../src/domain/calls/answer-call.ts'
import { recordsCall, uploadCall } from './calls.ts'
import { issueUserToken } from '../../../src/accounts/users/user-tokens.ts'

/* Every type of event happens to one company, through the service where it can. */

const PEOPLE = [
  { first_name: 'Ana', last_name: 'Pérez', email: 'ana@example.com', external_id: 'A-1', phone: '+4930901820' },
  {
    first_name: '李',
    last_name: 'Nguyễn 🙂',
    email: 'li@example.com',
    external_id: 'A-2',
    manager_email: 'ana@example.com',
  },
  { first_name: 'Max', last_name: "O'Hara", email: 'max@example.com', external_id: 'A-3', status: 'inactive' },
  {
    first_name: 'Zoë',
    last_name: 'Forgotten',
    email: 'zoe@example.com',
    external_id: 'A-4',
    custom_attributes: { grade: 7.5, remote: true },
  },
]

/** Makes all events in the service's company. */
export async function tellStory(service: Service): Promise<void> {
  const zoe = await makeEmployeeEvents(service)
  await makeOtherCalls(service)
  await makeAccountEvents(service)
  await makeProviderEvents(service, zoe)
  await makeWebhookEvents(service)
  await makeSignInEvents(service)
  await makeErasures(service, zoe)
}

/** Returns the id of the employee to erase. */
async function makeEmployeeEvents({ call }: Service): Promise<string> {
  const created = await call('POST', '/v1/employees', { body: PEOPLE })
  const [ana, , , zoe] = (created.body.employees as { id: string }[]).map(({ id }) => id)
  await call('PATCH', `/v1/employees/${ana}`, {
    body: { job_title: 'Engineer', custom_attributes: { 'a/b~c': 'x', n: -0.5e-7 } },
  })
  await call('PATCH', `/v1/employees/${ana}`, { body: { job_title: 'Engineer' } })
  await call('PATCH', `/v1/employees/${zoe}`, { body: { last_name: 'Soon Forgotten', status: 'inactive' } })
  await call('PATCH', `/v1/employees/${zoe}`, { body: { status: 'active' } })
  const many = [
    { external_id: 'A-1', department: 'R&D' },
    { external_id: 'A-2', status: 'inactive', phone: '+15550100' },
    { external_id: 'A-3', status: 'active' },
    { external_id: 'A-4' },
  ]
  await call('PATCH', '/v1/employees', { body: many })
  // Partly applied: two records, but neither a wrong one nor one that needs it.
  await call('PUT', '/v1/employees?all_or_none=false', {
    body: [
      { external_id: 'A-3', job_title: 'Lead' },
      { external_id: 'A-5', first_name: 'Ida', email: 'ida@example.com', phone: 'none' },
      { external_id: 'A-6', first_name: 'Ole', manager_external_id: 'A-5' },
      { external_id: 'A-4' },
    ],
  })
  // Answered by 200 although it creates all of its records.
  await call('POST', '/v1/employees?all_or_none=false', { body: [{ first_name: 'Mia', external_id: 'A-7' }] })
  // Refused: records of a creation and a bulk update, single updates, an empty batch, an unreadable body.
  await call('POST', '/v1/employees', {
    body: [
      { first_name: 'Kim', last_name: 'Lee', email: 'ana@example.com' },
      { email: 7 },
      { ...PEOPLE[0], email: 'new@example.com', external_id: 'A-9' },
    ],
  })
  await call('PATCH', '/v1/employees', {
    body: [
      { external_id: 'A-4', email: 'nonsense' },
      { external_id: 'A-1', phone: null },
    ],
  })
  await call('PATCH', `/v1/employees/${ana}`, { body: { start_date: '2026-02-30' } })
  await call('PATCH', '/v1/employees/emp_unknown', { body: { status: 'active' } })
  await call('PATCH', '/v1/employees', { body: [] })
  await call('POST', '/v1/employees', { body: '{"employees":' })
  for (let at = 0; at < 12; at += 1) {
    const body = Array.from({ length: 1 + (at % 4) }, (_, n) => ({
      first_name: `N${at}`,
      last_name: 'Many',
      email: `n${at}.${n}@example.com`,
    }))
    const { body: answer } = await call('POST', '/v1/employees', { body })
    await call('PATCH', `/v1/employees/${answer.employees[0].id}`, {
      body: { location: ['Madrid', 'Hà Nội', null][at % 3] },
    })
  }
  return zoe!
}

async function makeOtherCalls(service: Service): Promise<void> {
  const teardowns: (() => unknown)[] = []
  const { commit } = openAppends({ teardown: (task: () => unknown) => teardowns.push(task) }, service)
  const refused = uploadCall(service.company, [{ external_id: 'A-1', phone: '12' }], { fileName: 'Año "1".csv' })
  await commit([refused])
  const corrected = [{ external_id: 'A-1', phone: '+34910000000' }]
  await commit([uploadCall(service.company, corrected, { corrects: [refused.callId] }, 'PATCH')])
  // Of every other source: by the key, by the administrator, and refused.
  const admin = { userId: service.company.admin.user_id, upload: null }
  for (const source of CALL_SOURCES) {
    if (source === 'Public API' || source === 'File upload') continue
    const caller = source === 'SCIM' ? {} : { caller: admin }
    const of = { ...caller, protocol: { ...PUBLIC_API, source } }
    await commit([recordsCall(service.company, 'PATCH', [{ external_id: 'A-1', division: source }], of)])
    await commit([recordsCall(service.company, 'PUT', [{ external_id: 'A-1', email: 'none' }], of)])
  }
  for (const teardown of teardowns) await teardown()
  // An undo that is refused, because something was changed since, and then one of the rest.
  const { body: moved } = await service.call('PATCH', '/v1/employees', {
    body: [{ external_id: 'A-1', division: 'Moved', location: 'Oslo' }],
  })
  await service.call('PATCH', '/v1/employees', { body: [{ external_id: 'A-1', division: 'Stays' }] })
  for (const query of ['', '?all_or_none=false'])
    await service.manage('POST', `/bulk-user-logs/${moved.log_id}/undo${query}`)
}

/** What an identity provider does: it creates somebody without a status, which it may not write, and deletes Zoe. */
async function makeProviderEvents({ manage, call }: Service, zoe: string): Promise<void> {
  const { body: key } = await manage('POST', '/api-keys', { name: 'Okta', scopes: ['scim'] })
  const headers = { authorization: `Bearer ${key.id}.${key.api_key}` }
  const scim = (method: 'DELETE' | 'POST', path: string, body?: unknown) =>
    call(method, `/scim/v2/Users${path}`, { key: null, headers, ...(body === undefined ? {} : { body }) })
  await scim('DELETE', `/${zoe}`)
  const writable_fields = ['first_name', 'user_name', 'directory_external_id', 'custom_attributes']
  await manage('PATCH', `/api-keys/${key.id}`, { writable_fields })
  const uma = { userName: 'Uma', externalId: '00u1', displayName: 'Uma', locale: 'de-DE', active: false }
  await scim('POST', '', uma)
  await scim('POST', '', { ...uma, password: 'none of ours' })
}

async function makeAccountEvents({ pool, manage, makeCompany, company }: Service): Promise<void> {
  await makeCompany('Another company, whose events stand between')
  const { body: key } = await manage('POST', '/api-keys', { name: 'Spare', quota_limit: 100, refresh_period: 'daily' })
  await manage('PATCH', `/api-keys/${key.id}`, { name: 'Renamed', quota_limit: 50 })
  const narrow = { expires_at: '2099-12-31T23:00:00Z', allowed_networks: ['192.0.2.0/24', '2001:db8::/32'] }
  await manage('PATCH', `/api-keys/${key.id}`, { scopes: ['employees:read'], ...narrow })
  await manage('PATCH', `/api-keys/${key.id}`, { expected_calls: { by_time: '06:00', weekdays: [1, 2, 3, 4, 5] } })
  await manage('PATCH', `/api-keys/${key.id}`, { max_deactivations: '10%', max_changes: 500 })
  await manage('POST', `/api-keys/${key.id}/allow`, { max_deactivations: 412 })
  await manage('POST', `/api-keys/${key.id}/rotate`, { overlap_seconds: 60 })
  for (const change of ['disable', 'enable', 'revoke']) await manage('POST', `/api-keys/${key.id}/${change}`)
  const { body: user } = await manage('POST', '/users', { email: 'gone@example.com', name: 'Gone', role: 'member' })
  await manage(
    'POST',
    '/invitations/accept',
    { token: user.invitation.token, password: 'a long enough password' },
    null,
  )
  await manage('PATCH', `/users/${user.id}`, { role: 'auditor' })
  await manage('POST', `/users/${user.id}/reset-password`)
  const acting = { companyId: company.id, actor: company.admin.user_id }
  const wanted = {
    userId: acting.actor,
    name: 'spare',
    expiresInDays: 7,
    scopes: ['logs:read', 'uploads:write'],
  } as const
  const { token } = await issueUserToken({ pool, newId }, acting, wanted)
  await manage('DELETE', `/tokens/${token.id}`)
  await manage('DELETE', `/users/${user.id}`)
}

async function makeWebhookEvents({ pool, company, project }: Service): Promise<void> {
  const acting = { companyId: company.id, actor: company.admin.user_id }
  const services = { pool, newId, secrets: createSecretBox([randomBytes(32)]) }
  const { id } = await makeWebhook({ pool, company }, services.secrets)
  await changeWebhook(services, acting, id, { change: 'edit', settings: { description: 'Añadido', concurrency: 1 } })
  await rotateWebhookSecret(services, acting, id, 3_600)
  await changeWebhook(services, acting, id, { change: 'pause' })
  await changeWebhook(services, acting, id, { change: 'resume', position: 1 })
  const place = { companyId: company.id, webhookId: id, leaseId: randomUUID() }
  await project(company.id)
  await leaseWebhook(pool, place, place.leaseId)
  await disableWebhook(pool, place, 'gone')
  await changeWebhook(services, acting, id, { change: 'remove' })
}

async function makeSignInEvents(service: Service): Promise<void> {
  const admin = service.company.admin.user_id
  await append(service, 'UserAlertsChanged', admin, { from: false, to: true })
  const attention = { kind: 'calls_failed', subject_id: service.company.key.api_id, code: 'validation_failed' } as const
  await append(service, 'PersonalDataReported', service.company.id, { subject_id: admin })
  await append(service, 'AttentionRaised', service.company.id, attention)
  const snooze = { ...attention, until: '2026-12-24', reason: 'The supplier mends it' }
  await append(service, 'AttentionSnoozed', service.company.id, snooze)
  await append(service, 'AttentionResolved', service.company.id, attention)
  const passkeyId = newId('psk')
  await append(service, 'UserPasskeyAdded', admin, { passkey_id: passkeyId, name: 'Clé de sécurité' })
  await append(service, 'UserRecoveryCodesIssued', admin, { count: 10 })
  await append(service, 'UserRecoveryCodeUsed', admin, { remaining: 9 })
  await append(service, 'UserPasskeyRemoved', admin, { passkey_id: passkeyId })
  const at = '2026-11-20T15:01:40.325Z'
  await append(service, 'UserSignedIn', admin, { method: 'recovery_code', at })
  await append(service, 'UserSignedOut', admin, { at })
  await append(service, 'UserSessionsEnded', admin, { reason: 'password_set', count: 2, at })
  await append(service, 'UserSignInFailed', admin, { hour: '2026-11-20T15:00:00.000Z', attempts: { password: 7 } })
  const provider = newId('idp')
  const settings = {
    name: 'Añejo',
    issuer: 'https://idp.example.com',
    client_id: 'ledger',
    client_auth: 'client_secret',
    creates_users: true,
    role_claim: 'groups',
    roles: [{ value: 'HR', role: 'admin' }],
  }
  await append(service, 'IdentityProviderAdded', provider, settings)
  await append(service, 'IdentityProviderChanged', provider, {
    from: { role_claim: 'groups' },
    to: { role_claim: null },
  })
  await append(service, 'IdentityProviderSecretReplaced', provider, {})
  const off = { use: 'off', break_glass: null }
  await append(service, 'IdentityProviderUseChanged', provider, {
    from: off,
    to: { use: 'required', break_glass: admin },
  })
  await append(service, 'UserIdentityLinked', admin, { issuer: settings.issuer, subject: 'auth0|5f7c8ec7' })
  await append(service, 'UserIdentityUnlinked', admin, {})
  await append(service, 'IdentityProviderRemoved', provider, {})
}

async function makeErasures(service: Service, zoe: string): Promise<void> {
  const { id } = service.company
  await append(service, 'CompanyTimeZoneChanged', id, { from: 'UTC', to: 'Europe/Madrid' })
  await append(service, 'CompanyRenamed', id, { from: 'Acme', to: 'Acme Ltd' })
  await append(service, 'CompanyCountryChanged', id, { from: null, to: 'ES' })
  const ofZoe = (await positionsOf(service, 'stream', zoe, ...EMPLOYEE_EVENTS)).concat(
    await positionsOf(service, 'data', 'A-4', 'EmployeeRecordRejected'),
  )
  await erase(service, 'EmployeeErased', zoe, ofZoe)
  // A person who was refused and never created.
  await erase(
    service,
    'EmployeeErased',
    newId('emp'),
    await positionsOf(service, 'data', 'Kim', 'EmployeeRecordRejected'),
  )
  const [gone] = (
    await service.pool.query<{ id: string }>(
      `select stream_id as id from events where company_id = $1 and type = 'UserRemoved'`,
      [toUuid(id)],
    )
  ).rows
  const removed = fromUuid('usr', gone!.id)
  const ofRemoved = await positionsOf(service, 'stream', removed, 'UserInvited', 'UserTokenIssued')
  await erase(service, 'UserErased', removed, ofRemoved)
  await erase(
    service,
    'RecordsRetired',
    id,
    (await positionsOf(service, 'data', 'locator', 'EmployeeRecordRejected')).slice(-1),
  )
  await service.call('POST', '/v1/employees', {
    body: { first_name: 'The', last_name: 'Last', email: 'last@example.com' },
  })
}

const EMPLOYEE_EVENTS = Object.entries(EVENT_TYPES).flatMap(([type, { stream, erasedBy }]) =>
  stream === 'emp' && erasedBy ? [type] : [],
)

/** The positions of the events of these types that are in a stream, or whose data contains a text. */
async function positionsOf(
  { pool, company }: Service,
  by: 'stream' | 'data',
  text: string,
  ...types: string[]
): Promise<number[]> {
  const condition = by === 'stream' ? 'stream_id = $2' : `data like '%' || $2 || '%'`
  const { rows } = await pool.query<{ position: number }>(
    `select position from events where company_id = $1 and ${condition} and type = any($3) order by position`,
    [toUuid(company.id), by === 'stream' ? toUuid(text) : text, types],
  )
  return rows.map(({ position }) => position)
}

/** Appends an erasing event, which erases the data that it names. */
async function erase(
  service: Service,
  type: 'EmployeeErased' | 'UserErased' | 'RecordsRetired',
  stream: string,
  positions: number[],
): Promise<void> {
  if (positions.length === 0) throw new Error(`${type} names nothing`)
  await append(service, type, stream, { positions })
}

/** Appends an event as the next of its stream. */
async function append({ pool, company }: Service, type: EventType, stream: string, data: unknown): Promise<void> {
  await appendCompanyEvents(pool, { companyId: company.id, actor: OPERATOR }, async (client) => {
    const version = await nextVersion(client, company.id, stream)
    return { events: [{ type, stream, version, index: null, data } as NewEvent], result: null }
  })
}
