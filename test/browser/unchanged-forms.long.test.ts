import t from 'tap'
import type { Page } from 'playwright-core'
import type { Static } from '@sinclair/typebox'
import { addProvider } from '../../src/accounts/providers/providers.ts'
import { createConfiguredSecretBox } from '../../src/bootstrap/keys.ts'
import { MAX_CUSTOM_TEXT_CHARACTERS } from '../../src/domain/attributes.ts'
import { KEY_SCOPES, REFRESH_PERIODS, MAX_EVERY_HOURS, WEEKDAYS } from '../../src/domain/accounts/api-key.ts'
import { MAX_QUOTA, MAX_NETWORKS } from '../../src/domain/accounts/key-lifecycle.ts'
import { ROLES } from '../../src/domain/accounts/roles.ts'
import { TIME_ZONES, COUNTRIES } from '../../src/domain/accounts/company-settings.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { CLIENT_AUTHS, type ProviderSettings } from '../../src/domain/provider-settings.ts'
import { readProviderSettings } from '../../src/domain/providers/read-provider-settings.ts'
import { MAX_CONCURRENCY, MAX_DESCRIPTION, MAX_URL } from '../../src/domain/webhooks/webhook-lifecycle.ts'
import { WEBHOOK_TYPES } from '../../src/domain/webhook-types.ts'
import type { ChangeCompanyBody } from '../../src/api/admin/company.ts'
import { newId } from '../../src/ledger/new-id.ts'
import { openBrowser, openPage, signIn } from '../support/browser/browser.ts'
import { collectRoutes } from '../support/http/registered-routes.ts'
import { WITH_PROVIDERS } from '../support/providers/company-provider.ts'
import { employee, startService } from '../support/service.ts'

/*
 * A form that shows what something is, and is sent as it is, changes nothing: whatever the API allows must survive the
 * form. The table has every form, so that a new one can't be forgotten. The forms are sent by a browser, which changes
 * some values by itself.
 */

const routes = collectRoutes()
const service = await startService(t, WITH_PROVIDERS)
const { company, pool } = service

/** Something that a form edits, as the API or the command line can make it. */
interface State {
  name: string
  /** Brings it about. Returns the page and, if it isn't the form's own path, where the form is sent. */
  set(): Promise<{ page: string; action?: string }>
}

const TEXTS = [
  '"><b>&amp;',
  'two  spaces',
  'a\nline break',
  'a\r\nWindows line break',
  'a\ttab',
  ' padded ',
  '\u{1F600}'.repeat(120),
]
/** Texts of one line, where the API accepts no others. */
const LINES = TEXTS.filter((text) => !/\p{Cc}/u.test(text))
const LAST_INSTANT = '9999-12-31T23:59:59.999Z'

/** The admin endpoint, for what must succeed. */
async function manage(method: 'POST' | 'PATCH' | 'PUT', path: string, body: object) {
  const answer = await service.manage(method, path, body)
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

const key = `/api-keys/${(await manage('POST', '/api-keys', { name: 'Edited' })).id}`
const KEYS = [
  ...TEXTS.map((name) => ({ name })),
  ...REFRESH_PERIODS.map((period) => ({ refresh_period: period })),
  ...[0, 1, MAX_QUOTA].map((limit) => ({ quota_limit: limit })),
  ...KEY_SCOPES.map((scope) => ({ scopes: [scope] })),
  { scopes: KEY_SCOPES.toReversed() },
  ...KEY_SCOPES.slice(0, 2).map((scope) => ({ scopes: ['scim', scope] })),
  ...[null, '2040-06-01T10:20:30.456Z', LAST_INSTANT].map((expiry) => ({ expires_at: expiry })),
  // Clocks show this hour twice in Berlin, where it is the second of the two.
  { expires_at: '2040-10-28T01:30:00.000Z' },
  {
    allowed_networks: Array.from({ length: MAX_NETWORKS }, (_, at) =>
      at % 2 ? `2001:db8:${at}::/48` : `10.${at}.0.0/16`,
    ),
  },
]
const EXPECTED = [
  null,
  ...[1, MAX_EVERY_HOURS].map((hours) => ({ every_hours: hours })),
  ...WEEKDAYS.map((weekday) => ({ by_time: '00:00', weekdays: [weekday] })),
  { by_time: '23:59', weekdays: WEEKDAYS.toReversed() },
]

const webhook = `/webhooks/${(await manage('POST', '/webhooks', { url: 'https://example.com/' })).id}`
const WEBHOOKS = [
  ...WEBHOOK_TYPES.map((type) => ({ types: [type] })),
  { types: WEBHOOK_TYPES.toReversed() },
  ...['', 'x'.repeat(MAX_DESCRIPTION), ...TEXTS].map((description) => ({ description })),
  ...[true, false].map((includes) => ({ include_data: includes })),
  ...[1, MAX_CONCURRENCY].map((concurrency) => ({ concurrency })),
  { url: 'https://example.com/'.padEnd(MAX_URL, 'x') },
  { url: 'https://example.com/%20?a=%22&b=%27' },
]

const user = await manage('POST', '/users', { email: 'edited@example.com', name: 'Edited', role: 'member' })

const PROVIDERS: Partial<ProviderSettings>[] = [
  ...CLIENT_AUTHS.map((clientAuth) => ({ client_auth: clientAuth })),
  ...[true, false].map((creates) => ({ creates_users: creates })),
  ...LINES.map((name) => ({ name })),
  { issuer: 'https://idp.example.com/a/' },
  { role_claim: 'groups', roles: ROLES.map((role) => ({ value: `a = ${role}, "b"`, role })) },
]
async function setProvider(settings: Partial<ProviderSettings>): Promise<void> {
  await pool.query('delete from identity_providers where company_id = $1', [toUuid(company.id)])
  const clientAuth = settings.client_auth ?? 'client_secret'
  const usual = { name: 'IdP', issuer: 'https://idp.example.com', client_id: 'x', creates_users: false }
  const given = { ...usual, role_claim: null, roles: [], ...settings, client_auth: clientAuth }
  await addProvider(
    { pool, newId, secrets: await createConfiguredSecretBox(service.config) },
    { companyId: company.id, actor: company.admin.user_id },
    readProviderSettings(given, { allowsHttp: false }).settings!,
    clientAuth === 'client_secret' ? { clientAuth, secret: 'a secret' } : { clientAuth },
  )
}

const people = await service.call('POST', '/v1/employees', { body: [employee(), employee()] })
const [person, manager] = people.body.employees as { id: string }[]
const PEOPLE = [
  ...LINES.map((title) => ({ job_title: title })),
  ...[...LINES, 'x'.repeat(MAX_CUSTOM_TEXT_CHARACTERS), 0, -1.5, 1e21, 1e-7, true, false].map((note) => ({
    custom_attributes: { note },
  })),
  ...['1000-01-01', '9999-12-31'].map((date) => ({ start_date: date })),
  { manager_id: manager!.id },
  { status: 'inactive' },
]

/** Every setting of a company. The list of zones leaves some out, because they are other names. */
const COMPANY = {
  time_zone: [TIME_ZONES[0]!, TIME_ZONES.at(-1)!, 'US/Pacific', 'Asia/Calcutta', 'UTC'],
  country: [COUNTRIES[0]!.code, COUNTRIES.at(-1)!.code, null],
} satisfies Record<keyof Static<typeof ChangeCompanyBody>, readonly unknown[]>

/** Answers to what files leave open, since the form of an open question proposes what is likely. */
const ANSWERS = {
  unknown_managers: 'refuse',
  past_end_dates: 'keep',
  same_addresses: 'refuse',
  stored_end_dates: 'refuse',
}
const COLUMNS = [
  { to: 'custom', name: 'size', type: 'number' },
  { to: 'nothing' },
  { to: 'start_date', dates: 'month_first' },
  { to: 'full_name', names: 'one_first_name' },
  { to: 'manager', by: 'employee_number' },
  { to: 'status', words: { 7: 'inactive' } },
]

/** The forms that show what something is, with every kind of value that it can have. */
const EDITING: Record<string, readonly State[]> = {
  '/settings/api-keys/:id': KEYS.map((fields) => ({
    name: JSON.stringify(fields),
    set: async () => (await manage('PATCH', key, fields), { page: `/settings${key}` }),
  })),
  '/settings/api-keys/:id/expect': EXPECTED.map((expected) => ({
    name: JSON.stringify(expected),
    set: async () => {
      await manage('PATCH', key, { expected_calls: expected })
      return { page: `/settings${key}`, action: `/settings${key}/expect` }
    },
  })),
  '/settings/webhooks/:id': WEBHOOKS.map((fields) => ({
    name: JSON.stringify(fields),
    set: async () => (await manage('PATCH', webhook, fields), { page: `/settings${webhook}` }),
  })),
  '/settings/users/:id/role': ROLES.map((role) => ({
    name: role,
    set: async () => {
      await manage('PATCH', `/users/${user.id}`, { role })
      return { page: `/settings/users/${user.id}`, action: `/settings/users/${user.id}/role` }
    },
  })),
  '/settings/sign-in': PROVIDERS.map((settings) => ({
    name: JSON.stringify(settings),
    set: async () => (await setProvider(settings), { page: '/settings/sign-in' }),
  })),
  '/settings/sign-in/use/required': [
    {
      name: 'a break-glass administrator',
      set: async () => {
        await setProvider({})
        await pool.query(`update identity_providers set use = 'required', break_glass = $2 where company_id = $1`, [
          ...[toUuid(company.id), toUuid(company.admin.user_id)],
        ])
        return { page: '/settings/sign-in', action: '/settings/sign-in/use/required' }
      },
    },
  ],
  '/settings/company': Object.entries(COMPANY).flatMap(([setting, values]) =>
    values.map((value) => ({
      name: `${setting}: ${value}`,
      set: async () => (await manage('PATCH', '/company', { [setting]: value }), { page: '/settings/company' }),
    })),
  ),
  '/settings/employees/:id/edit': PEOPLE.map((fields) => ({
    name: JSON.stringify(fields),
    set: async () => {
      const { status, body } = await service.call('PATCH', `/v1/employees/${person!.id}`, { body: fields })
      if (status !== 200) throw new Error(JSON.stringify(body))
      return { page: `/settings/employees/${person!.id}/edit` }
    },
  })),
  '/settings/bulk-user-logs/upload/:id/mapping': COLUMNS.map((column) => ({
    name: column.to,
    set: async () => {
      const body = new Blob(['email,first_name,Shoe\na@example.com,A,7\n'])
      const { id } = (await (
        await fetch(`${service.address}/admin/v1/uploads?file_name=a.csv`, {
          method: 'POST',
          headers: { authorization: `Bearer ${company.admin.token}`, 'content-type': 'text/csv' },
          body,
        })
      ).json()) as { id: string }
      const columns = [
        { header: 'email', to: 'email', empty_cells: 'clear' },
        { header: 'first_name', to: 'as_named' },
        { header: 'Shoe', ...column },
      ]
      const mapping = { columns, country: 'DE', shared_emails: 'leave_out', ...ANSWERS }
      await manage('PUT', `/uploads/${id}/mapping`, mapping)
      const page = `/settings/bulk-user-logs/upload/${id}`
      return { page, action: `${page}/mapping` }
    },
  })),
}

/** Forms that show nothing that was set before. */
const OTHERS = {
  'make something new': [
    ...['/settings/api-keys/new', '/settings/users/new', '/settings/webhooks/new', '/settings/sign-in/new'],
    ...['/settings/bulk-user-logs/upload', '/settings/ledger/evidence', '/settings/ledger/verify'],
    ...['/account/tokens', '/account/passkeys', '/account/passkeys/new', '/account/recovery-codes'],
    ...['/account/personal-data', '/settings/users/:id/personal-data', '/settings/employees/personal-data'],
  ],
  'replace a secret, which is never shown': [
    ...['/settings/api-keys/:id/rotate', '/settings/webhooks/:id/rotate', '/settings/sign-in/secret'],
    ...['/account/password', '/settings/users/:id/reset-password'],
  ],
  'have no field, or ask for something to be done': [
    ...['allow', 'disable', 'enable', 'revoke'].map((action) => `/settings/api-keys/:id/${action}`),
    ...['pause', 'resume', 'ping', 'remove', 'replay'].map((action) => `/settings/webhooks/:id/${action}`),
    '/settings/webhooks/:id/deliveries/:delivery_id/redeliver',
    ...['erase', 'remove', 'unlink', 'tokens/:token/revoke'].map((action) => `/settings/users/:id/${action}`),
    ...['check', 'remove', 'use/off', 'use/optional'].map((action) => `/settings/sign-in/${action}`),
    ...['fix', 'undo'].map((action) => `/settings/bulk-user-logs/:log_id/${action}`),
    ...['apply', 'cancel', 'keep-missing', 'missing', 'read', 'undo'].map(
      (action) => `/settings/bulk-user-logs/upload/:id/${action}`,
    ),
    ...[
      '/settings/employees/erase',
      '/settings/employees/:id/edit/status',
      '/settings/employees/:id/erase',
      '/settings/health/resume',
      '/settings/ledger/cancel',
    ],
    ...['alerts', 'sessions', 'provider/link', 'provider/unlink', 'passkeys/:id/remove', 'tokens/:token/revoke'].map(
      (action) => `/account/${action}`,
    ),
  ],
  'put a problem off': ['/settings/attention', '/settings/attention/snooze'],
  'search, or sign in and out': [
    ...['/settings/search', '/settings/api-keys', '/invitation', '/sign-out', '/sign-in', '/sign-in/forgot-password'],
    ...['/sign-in/passkey', '/sign-in/passkey/options', '/sign-in/recovery-code'],
    '/sign-in/:company/backchannel-logout',
  ],
}

/** Everything in the database that a form can change, in the order of its text. */
async function readAll(): Promise<string[]> {
  const tables = ['events', 'api_keys', 'webhooks', 'users', 'identity_providers', 'companies', 'uploads', 'heads']
  const { rows } = await pool.query<{ row: string }>(
    tables.map((table) => `select '${table} ' || to_jsonb(r)::text as row from ${table} r`).join(' union all ') +
      ' order by 1',
  )
  return rows.map(({ row }) => row)
}

async function sendUnchanged(page: Page, { page: path, action = path }: Awaited<ReturnType<State['set']>>) {
  await page.goto(path)
  const form = page.locator(`form[action="${action}"]`).last()
  const invalid = await form.evaluate((element) => {
    const inputs = [...(element as unknown as { elements: { name: string; checkValidity(): boolean }[] }).elements]
    return inputs.filter((input) => !input.checkValidity()).map(({ name }) => name)
  })
  if (invalid.length > 0) return `the browser refuses ${invalid.join(', ')}`
  await Promise.all([
    page.waitForNavigation(),
    form.evaluate((element) => (element as unknown as { requestSubmit(): void }).requestSubmit()),
  ])
  const alerts = await page.getByRole('alert').allTextContents()
  return alerts.join(' ').trim()
}

await manage('PATCH', '/company', { time_zone: 'Europe/Berlin' })
const { page, faults } = await openPage(t, await openBrowser(), service)
await signIn(page, company, 'admin')

for (const [form, states] of Object.entries(EDITING)) {
  await t.test(`${form}, sent as it is, changes nothing`, async (t) => {
    for (const { name, set } of states) {
      const place = await set()
      const before = await readAll()
      t.equal(await sendUnchanged(page, place), '', `${name} is accepted`)
      t.strictSame(await readAll(), before, `${name} stays`)
    }
  })
}

await t.test('the tables have every form, and no other', async (t) => {
  const isOfApi = /^\/(?:v1|admin\/v1|audit\/v1|scim\/v2)\//
  const forms = routes.filter(({ method, url }) => method === 'POST' && !isOfApi.test(url))
  const listed = [...Object.keys(EDITING), ...Object.values(OTHERS).flat()]
  t.strictSame(listed.toSorted(), [...new Set(forms.map(({ url }) => url))].toSorted())
})

t.same(faults, [])
