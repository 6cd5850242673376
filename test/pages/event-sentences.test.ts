import t from 'tap'
import type { ProviderSettings } from '../../src/domain/provider-settings.ts'
import type { EventData, EventType } from '../../src/domain/events.ts'
import { EVENT_TYPES } from '../../src/domain/event-types.ts'
import { EVENT_GROUPS } from '../../src/pages/events/event-query.ts'
import { listNamedIds, renderSentence } from '../../src/pages/events/event-sentence.ts'

const UUID = '01h455vb4pex5vsknk084sn02q'
const id = (prefix: string) => `${prefix}_${UUID}`
const MANAGER = 'emp_01h455vb4pex5vsknk084sn02r'
const NAMES = new Map([
  [id('emp'), 'Ana Pérez'],
  [MANAGER, 'Bo Li'],
  [id('key'), 'Nightly sync'],
  [id('usr'), 'Ada Admin'],
  [id('whk'), 'Payroll'],
  [id('idp'), 'Acme SSO'],
])
const QUOTA = { quota_limit: 1_000, refresh_period: 'daily' } as const
const WEBHOOK = {
  url: 'https://example.com/hook',
  description: 'Payroll',
  types: [],
  include_data: false,
  concurrency: 4,
}
const PROVIDER: ProviderSettings = {
  name: 'Acme SSO',
  issuer: 'https://idp.example.com',
  client_id: 'ledger',
  client_auth: 'client_secret',
  creates_users: true,
  role_claim: null,
  roles: [],
}
const ACCESS = { scopes: ['employees:read', 'employees:write'], expires_at: null, allowed_networks: null } as const
const COUNTS = { total: 1_000, updated: 12, deactivated: 1, failed: 0, no_updates: 987 }
const CALL = {
  requested_at: '2026-11-20T14:05:09.000Z',
  duration_ms: 1,
  key: { id: id('key'), name: '' },
  request_id: 'r',
  counts: COUNTS,
}

/** An example of each event type, with its actor and its sentence. */
const EXAMPLES: { [Type in EventType]: [actor: string, data: EventData[Type], sentence: string] } = {
  EmployeeCreated: [
    'key',
    { attributes: { first_name: 'Anna', last_name: 'Pérez', status: 'active' } },
    'Nightly sync created Anna Pérez',
  ],
  EmployeeUpdated: [
    'key',
    { changes: { manager_id: { from: null, to: MANAGER }, 'custom_attributes.<b>': { from: 1, to: 'x' } } },
    'Nightly sync changed Ana Pérez: Manager: from not set → to Bo Li; <b>: from 1 → to x',
  ],
  EmployeeDeactivated: ['key', {}, 'Nightly sync deactivated Ana Pérez'],
  EmployeeReactivated: ['key', {}, 'Nightly sync reactivated Ana Pérez'],
  EmployeeDeprovisioned: ['key', {}, 'Nightly sync deprovisioned Ana Pérez'],
  EmployeeRecordRejected: [
    'key',
    {
      locator: null,
      employee_id: null,
      record: {},
      errors: [{ pointer: '/3/phone', code: 'invalid_format', message: 'phone must be in E.164 format' }],
      errors_omitted: 2,
    },
    'Nightly sync sent record 4, which was refused: phone must be in E.164 format and 2 more errors',
  ],
  ApiCallCompleted: [
    'key',
    { ...CALL, operation: 'update_many', unchanged: [] },
    'Nightly sync updated 12 and deactivated 1 of 1,000 employees; 987 had no changes call',
  ],
  ApiCallFailed: [
    'key',
    {
      ...CALL,
      operation: 'create',
      http_status: 422,
      code: 'validation_failed',
      detail: '3 of 1000 records have errors',
    },
    'Nightly sync failed to create 1,000 employees: 3 of 1000 records have errors call',
  ],
  FileUploaded: ['usr', { name: 'corrected.csv' }, 'Ada Admin uploaded the file corrected.csv'],
  EmployeeErased: ['usr', { positions: [1, 2] }, 'Ada Admin erased Ana Pérez: the data of 2 events'],
  RecordsRetired: [
    'schedule',
    { positions: [7] },
    'The schedule deleted the data of 1 event (refused records and file names), because their retention period had ended',
  ],
  PersonalDataReported: ['usr', { subject_id: id('emp') }, 'Ada Admin got a report of what is held about Ana Pérez'],
  CompanyRegistered: ['operator', { name: 'Acme' }, 'The command line registered the company Acme'],
  CompanyRenamed: [
    'operator',
    { from: 'Acme', to: 'Acme Ltd' },
    'The command line renamed the company: from Acme → to Acme Ltd',
  ],
  CompanyTimeZoneChanged: [
    'usr',
    { from: 'UTC', to: 'Asia/Tokyo' },
    "Ada Admin changed the company's time zone: from UTC → to Asia/Tokyo",
  ],
  CompanyCountryChanged: [
    'usr',
    { from: null, to: 'DE' },
    "Ada Admin changed the company's country: from not set → to DE",
  ],
  UserInvited: [
    'operator',
    { email: 'cy@example.com', name: 'Cy', role: 'auditor' },
    'The command line invited Cy (cy@example.com) as auditor',
  ],
  UserAlertsChanged: ['usr', { from: false, to: true }, 'Ada Admin asked for alerts by email'],
  AttentionRaised: [
    'operator',
    { kind: 'work_failing', subject_id: 'jobs' },
    'Something began to need attention: background work of the service fails',
  ],
  AttentionResolved: [
    'operator',
    { kind: 'projection_parked', subject_id: 'employees' },
    'Something stopped needing attention: a list has stopped',
  ],
  AttentionSnoozed: [
    'usr',
    { kind: 'call_missing', subject_id: id('key'), until: '2025-01-07', reason: 'The supplier is away' },
    'Ada Admin snoozed Nightly sync: an expected call did not come, until 7 Jan 2025: The supplier is away',
  ],
  UserRoleChanged: [
    'operator',
    { from: 'member', to: 'admin' },
    'The command line changed the role of Ada Admin: from member → to admin',
  ],
  UserPasswordReset: [
    'operator',
    { link_expires_at: '2026-11-20T14:05:09.000Z' },
    'The command line reset the password of Ada Admin',
  ],
  UserPasswordSet: ['usr', {}, 'Ada Admin set their password'],
  UserRemoved: ['operator', {}, 'The command line removed user Ada Admin'],
  UserErased: ['operator', { positions: [1] }, 'The command line erased user Ada Admin: the data of 1 event'],
  UserTokenIssued: [
    'usr',
    { token_id: id('tok'), name: 'CI', expires_at: '2026-11-20T14:05:09.000Z', scope: 'audit' },
    'Ada Admin issued token CI that lets a program read the audit endpoints, until 20 Nov 2026, 14:05:09 UTC',
  ],
  UserTokenRevoked: ['operator', { token_id: id('tok') }, 'The command line revoked a token of Ada Admin'],
  ApiKeyIssued: [
    'usr',
    { name: 'Test', ...QUOTA, ...ACCESS },
    'Ada Admin issued key Test with a quota of 1,000 calls daily',
  ],
  ApiKeyRenamed: ['usr', { from: 'Test', to: 'HR' }, 'Ada Admin renamed key Test to HR'],
  ApiKeyQuotaChanged: [
    'usr',
    { from: QUOTA, to: { ...QUOTA, quota_limit: 5 } },
    'Ada Admin changed the quota of key Nightly sync: 1,000 calls daily → 5 calls daily',
  ],
  ApiKeyAccessChanged: [
    'usr',
    { from: ACCESS, to: { ...ACCESS, scopes: ['employees:read'], expires_at: '2026-12-20T14:05:09.000Z' } },
    'Ada Admin changed the access of key Nightly sync: read and write → read only; no expiry → expires 20 Dec 2026, 14:05:09 UTC',
  ],
  ApiKeyExpectedCallsChanged: [
    'usr',
    { from: null, to: { by_time: '06:00', weekdays: [1, 2, 3, 4, 5] } },
    'Ada Admin changed when calls of key Nightly sync are expected: never → by 06:00 on Mon–Fri',
  ],
  ApiKeyLimitsChanged: [
    'usr',
    { from: { max_deactivations: null, max_changes: null }, to: { max_deactivations: '10%', max_changes: 1 } },
    'Ada Admin changed the daily limits of key Nightly sync: no limits → deactivations of 10% of the active people, 1 change',
  ],
  ApiKeyExcessAllowed: [
    'usr',
    { max_deactivations: 412, max_changes: null, until: '2026-12-20T14:05:09.000Z' },
    'Ada Admin allowed key Nightly sync 412 deactivations until 20 Dec 2026, 14:05:09 UTC',
  ],
  ApiKeyRotated: [
    'usr',
    { overlap_seconds: 0, previous_expires_at: null },
    'Ada Admin rotated the secret of key Nightly sync; the old one stopped at once',
  ],
  ApiKeyDisabled: ['usr', {}, 'Ada Admin disabled key Nightly sync'],
  ApiKeyEnabled: ['usr', {}, 'Ada Admin enabled key Nightly sync'],
  ApiKeyRevoked: ['usr', {}, 'Ada Admin revoked key Nightly sync'],
  WebhookCreated: ['usr', WEBHOOK, 'Ada Admin created webhook Payroll to https://example.com/hook'],
  WebhookChanged: [
    'usr',
    {
      from: { url: 'https://example.com/old', include_data: true },
      to: { url: 'https://example.com/hook', include_data: false },
    },
    'Ada Admin changed webhook Payroll: URL and what messages contain',
  ],
  WebhookSecretRotated: [
    'usr',
    { overlap_seconds: 0, previous_expires_at: null },
    'Ada Admin rotated the secret of webhook Payroll',
  ],
  WebhookPaused: ['usr', {}, 'Ada Admin paused webhook Payroll'],
  WebhookResumed: ['usr', { position: 1_200 }, 'Ada Admin resumed webhook Payroll after position 1,200'],
  WebhookDisabled: [
    'schedule',
    { reason: 'gone', position: 7 },
    'Deliveries to webhook Payroll were stopped: the receiver answered 410 Gone',
  ],
  WebhookRemoved: ['usr', {}, 'Ada Admin removed webhook Payroll'],
  UserIdentityLinked: [
    'usr',
    { issuer: 'https://idp.example.com', subject: 's-1' },
    'Ada Admin linked their user to an account at the identity provider',
  ],
  UserIdentityUnlinked: [
    'operator',
    {},
    'The command line unlinked Ada Admin from the account at the identity provider',
  ],
  UserPasskeyAdded: ['usr', { passkey_id: id('psk'), name: 'Laptop' }, 'Ada Admin added passkey Laptop'],
  UserPasskeyRemoved: ['operator', { passkey_id: id('psk') }, 'The command line removed a passkey of Ada Admin'],
  UserRecoveryCodesIssued: ['usr', { count: 10 }, 'Ada Admin made 10 new recovery codes'],
  UserRecoveryCodeUsed: ['usr', { remaining: 9 }, 'Ada Admin used a recovery code; 9 codes left'],
  UserSignedIn: [
    'usr',
    { method: 'recovery_code', at: '2026-11-20T14:05:09.000Z' },
    'Ada Admin signed in with a password and a recovery code',
  ],
  UserSignedOut: ['usr', { at: '2026-11-20T14:05:09.000Z' }, 'Ada Admin signed out'],
  UserSessionsEnded: [
    'operator',
    { reason: 'password_reset', count: 2, at: '2026-11-20T14:05:09.000Z' },
    'The command line ended 2 sessions of Ada Admin by resetting the password',
  ],
  UserSignInFailed: [
    'schedule',
    { hour: '2026-11-20T14:00:00.000Z', attempts: { password: 1_012, recovery_code: 1 } },
    'Signing in as Ada Admin failed 1,012 times with a wrong password, once with a wrong recovery code in the hour from ' +
      '20 Nov 2026, 14:00:00 UTC',
  ],
  IdentityProviderAdded: ['usr', PROVIDER, 'Ada Admin set up identity provider Acme SSO at https://idp.example.com'],
  IdentityProviderChanged: [
    'usr',
    { from: { name: 'SSO' }, to: { name: 'Acme SSO' } },
    'Ada Admin changed the settings of identity provider Acme SSO: name',
  ],
  IdentityProviderSecretReplaced: ['usr', {}, 'Ada Admin replaced the secret for identity provider Acme SSO'],
  IdentityProviderUseChanged: [
    'usr',
    { from: { use: 'off', break_glass: null }, to: { use: 'optional', break_glass: null } },
    'Ada Admin changed the use of identity provider Acme SSO from off to optional',
  ],
  IdentityProviderRemoved: ['usr', {}, 'Ada Admin removed identity provider Acme SSO'],
}

/** Renders the sentence of an event with this data as text. */
async function tell(type: EventType, actor: string, data: string | null, isErased = false): Promise<string> {
  const stream = id(EVENT_TYPES[type].stream)
  const header = {
    position: 9,
    call_id: id('log'),
    stream,
    version: 1,
    type,
    schema_version: 1,
    index: 3,
    recorded_at: '2026-11-20T14:05:09.000Z',
    actor: ['key', 'usr'].includes(actor) ? id(actor) : actor,
  }
  const viewer = { role: 'admin', timeZone: 'UTC' } as Parameters<typeof renderSentence>[1]['viewer']
  const event = { position: 9, header, data, summary: data, isErased }
  for (const named of listNamedIds(event).filter((one) => !one.startsWith('log') && one.includes('_')))
    t.ok(NAMES.has(named) || named === id('com'), `${type} needs the name of ${named}`)
  const html = (await renderSentence(event, { viewer, names: NAMES })).toString()
  const text = html.replaceAll(/<\/?(?:a|bdi|em|span|strong)\b[^>]*>/g, '').replaceAll(/\s+/g, ' ')
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&#39;', "'").trim()
}

await t.test('every event type has a sentence and a group', async (t) => {
  for (const type of Object.keys(EVENT_TYPES) as EventType[]) {
    const [actor, data, sentence] = EXAMPLES[type]
    t.equal(await tell(type, actor, JSON.stringify(data)), sentence, type)
    const groups = Object.values(EVENT_GROUPS).filter(({ types }) => types.includes(type))
    t.equal(groups.length, 1, `${type} is in one group`)
  }
})

await t.test('what needs attention has a sentence, also of a kind that only another version knows', async (t) => {
  const calls = JSON.stringify({ kind: 'calls_failed', subject_id: id('key'), code: 'malformed_json' })
  const began = 'Nightly sync began to need attention: calls failed (body is not JSON)'
  t.equal(await tell('AttentionRaised', 'schedule', calls), began)
  const data = JSON.stringify({ kind: 'key_shared', subject_id: id('key') })
  t.equal(await tell('AttentionRaised', 'schedule', data), 'Nightly sync began to need attention: key shared')
  t.equal(await tell('AttentionResolved', 'schedule', data), 'Nightly sync stopped needing attention: key shared')
})

await t.test('an event without readable data still has a sentence', async (t) => {
  for (const type of Object.keys(EVENT_TYPES) as EventType[]) {
    const [actor, , sentence] = EXAMPLES[type]
    const verb = sentence.split(' ').slice(0, 2).join(' ')
    const erased = await tell(type, actor, null, true)
    t.match(erased, /\(data erased\)$/, type)
    t.ok(erased.startsWith(verb) || type.startsWith('Api') || type === 'UserTokenIssued', erased)
    for (const data of ['</script>', '7', '{}', 'null', '{"changes":3,"errors":3,"counts":3}'])
      t.type(await tell(type, actor, data), 'string', `${type} with ${data}`)
  }
})

await t.test('a sentence shows three changes, and short values', async (t) => {
  const changes = Object.fromEntries(
    ['a', 'b', 'c', 'd', 'e'].map((name) => [`custom_attributes.${name}`, { from: null, to: 'x'.repeat(100) }]),
  )
  const text = await tell('EmployeeUpdated', 'key', JSON.stringify({ changes }))
  t.match(text, /a: .*b: .*c: .* and 2 more$/)
  t.match(text, `to ${'x'.repeat(60)}…;`)
})

await t.test('a sentence says how a key is narrowed, and which networks were added and removed', async (t) => {
  const narrow = {
    scopes: ['employees:write'],
    expires_at: '2026-12-20T14:05:09.000Z',
    allowed_networks: ['10.0.0.0/8', '10.1.0.0/16', '192.0.2.1/32', '::1/128'],
  }
  t.equal(
    await tell('ApiKeyIssued', 'usr', JSON.stringify({ name: 'Test', ...QUOTA, ...narrow })),
    'Ada Admin issued key Test with a quota of 1,000 calls daily, write only, until 20 Dec 2026, 14:05:09 UTC, ' +
      'from 10.0.0.0/8, 10.1.0.0/16, 192.0.2.1/32 and 1 more',
  )
  const changed = async (from: string[] | null, to: string[] | null) => {
    const data = { from: { ...ACCESS, allowed_networks: from }, to: { ...ACCESS, allowed_networks: to } }
    return (await tell('ApiKeyAccessChanged', 'usr', JSON.stringify(data))).replace(/^.*sync: /, '')
  }
  t.equal(await changed(null, ['::1/128']), 'allowed only from ::1/128')
  t.equal(await changed(['::1/128'], null), 'allowed from any address')
  t.equal(
    await changed(['10.0.0.0/8', '::1/128'], ['10.0.0.0/8', '::2/128']),
    'allowed from ::2/128; not allowed from ::1/128',
  )
})
