import { setTimeout } from 'node:timers/promises'
import { beginSession } from '../../src/accounts/users/sessions.ts'
import { issueUserToken } from '../../src/accounts/users/user-tokens.ts'
import { createConfiguredSecretBox } from '../../src/bootstrap/keys.ts'
import type { WebhookSettings } from '../../src/domain/webhook-types.ts'
import type { TokenScopes } from '../../src/domain/accounts/roles.ts'
import { newId } from '../../src/ledger/new-id.ts'
import type { NewEvent } from '../../src/domain/events.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { appendCompanyEvents, nextVersion } from '../../src/ledger/append/append-company-events.ts'
import { COUNTRY } from '../support/domain/arbitraries.ts'
import type { Service, TestCompany } from '../support/service.ts'
import { employee, send } from '../support/service.ts'
import { storeDelivery } from '../support/http/stored-deliveries.ts'
import { makeWebhook } from '../support/stored-webhooks.ts'
import { OWN_PAGE } from '../support/http/sessions.ts'
import type { Thing } from './hostile-text.ts'
import type { Promised } from './judge-ledger.ts'

/** Who sends a request. No placeholder refers to any of them, so none is ever locked out. */
export const CALLERS = [
  'key',
  'disabled key',
  'wrong key',
  'provider',
  'admin',
  'auditor',
  'member',
  'narrowed token',
  'admin session',
  'auditor session',
  'member session',
  'nobody',
] as const

export type Caller = (typeof CALLERS)[number]

/** A company with one of everything, and another one that nobody may touch. */
export interface World {
  company: TestCompany
  /** The headers that authenticate a caller. */
  credentials(caller: Caller): [string, string][]
  /** Replaces the placeholders with things of the world. */
  fill(text: string): string
  /** Starts the session of a request's caller again, if the request may have ended it. */
  renewAfter(request: { url: string; caller: Caller }): Promise<void>
}

/** A company's things, by placeholder. */
interface Things {
  employee: string
  'other-employee': string
  log: string
  key: string
  user: string
  token: string
  cursor: string
  'key-cursor': string
  invitation: string
  upload: string
  webhook: string
  delivery: string
}

const SESSION_HOURS = 12
/** How often a change of a world is tried while requests of other worlds keep the service busy. */
const BUSY_TRIES = 30
let count = 0

/** Makes a company with its things. */
export async function makeThings(
  service: Service,
  name: string,
): Promise<{
  company: TestCompany
  things: Things
  disabledKey: { id: string; api_key: string }
  narrowed: string
  /** The token of an identity provider. */
  provider: string
}> {
  const company = await service.makeCompany(name)
  count += 1
  const change = (path: string, body: object) => changeOnceFree(service, company, path, body)
  const people = [employee({ external_id: 'E-1', email: 'ana@example.com' }), employee({ external_id: 'E-9' })]
  const created = await service.call('POST', '/v1/employees', { key: company.key, body: people })
  const quota = { quota_limit: 5, refresh_period: 'daily' }
  const [key, disabledKey] = [
    await change('/api-keys', { name: 'spare', ...quota }),
    await change('/api-keys', { name: 'disabled', ...quota }),
  ]
  await change(`/api-keys/${disabledKey.id}/disable`, {})
  const provider = await change('/api-keys', { name: 'provider', scopes: ['scim'] })
  const user = await change('/users', { email: `spare.${count}@example.com`, name: 'Spare', role: 'member' })
  await giveWaysToSignIn(service, company.id, user.id)
  const issue = (token: { name: string; scopes: TokenScopes }) =>
    issueUserToken(
      { pool: service.pool, newId },
      { companyId: company.id, actor: company.admin.user_id },
      { userId: company.admin.user_id, expiresInDays: 7, ...token },
    )
  const { token } = await issue({ name: 'spare', scopes: null })
  const { secret: narrowed } = await issue({ name: 'narrowed', scopes: ['audit'] })
  const { next_cursor: keyCursor } = (await service.admin('/api-keys?limit=1', company.admin.token)).body
  // The service sends nothing to a private address.
  const settings: Partial<WebhookSettings> = { url: 'http://127.0.0.1:9/', types: ['employee.created'] }
  const secrets = await createConfiguredSecretBox(service.config)
  const { id: webhook } = await makeWebhook({ ...service, company }, secrets, settings)
  const { id: delivery } = await storeDelivery(service.pool, company.id, webhook, {
    type: 'webhook.ping',
    position: null,
  })
  const [first, second] = created.body.employees.map(({ id }: { id: string }) => id)
  const things = {
    employee: first,
    'other-employee': second,
    log: created.body.log_id,
    key: key.id,
    user: user.id,
    token: token.id,
    cursor: 'MTo1',
    'key-cursor': keyCursor,
    invitation: user.invitation.token,
    upload: await uploadStaff(service, company),
    webhook,
    delivery,
  }
  return { company, things, disabledKey, narrowed, provider: `${provider.id}.${provider.api_key}` }
}

/** Makes a change, again for as long as the service says that it is too busy, and returns the answer's body. */
async function changeOnceFree(service: Service, { admin }: TestCompany, path: string, body: object) {
  for (let tries = 1; ; tries += 1) {
    const answer = await service.manage('POST', path, body, admin.token)
    if (answer.status < 300) return answer.body
    if (answer.status !== 503 || tries === BUSY_TRIES)
      throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    await setTimeout(Number(answer.headers['retry-after']) * 1_000)
  }
}

/** Uploads a file in which one of the people is missing. Returns the id of the upload. */
async function uploadStaff({ address }: Service, { admin }: TestCompany): Promise<string> {
  const { status, body } = await send(address, 'POST', '/admin/v1/uploads?file_name=staff.csv', {
    key: null,
    headers: { 'content-type': 'text/csv', authorization: `Bearer ${admin.token}` },
    body: 'Employee ID,First Name,Last Name,Status\nE-1,Ana,Perez,Active\nE-2,Bo,Ek,On leave',
  })
  if (status !== 201) throw new Error(`the file is answered with ${status} ${JSON.stringify(body)}`)
  return body.id
}

/** Links a user to an account at an identity provider, and adds a passkey. */
async function giveWaysToSignIn({ pool }: Service, companyId: string, userId: string): Promise<void> {
  await appendCompanyEvents(pool, { companyId, actor: userId }, async (client) => {
    const version = await nextVersion(client, companyId, userId)
    const place = { stream: userId, index: null } as const
    const account = { issuer: 'https://idp.example.com', subject: 'spare' }
    const passkey = { passkey_id: newId('psk'), name: 'Laptop' }
    await client.query('update users set version = $3 where company_id = $1 and user_id = $2', [
      ...[toUuid(companyId), toUuid(userId), version + 1],
    ])
    const events: NewEvent[] = [
      { ...place, type: 'UserIdentityLinked', version, data: account },
      { ...place, type: 'UserPasskeyAdded', version: version + 1, data: passkey },
    ]
    return { events, result: null }
  })
}

/** Erases the user of a world, whatever requests have done to it. Returns what went wrong. */
export async function eraseUser(service: Service, { company, fill }: World): Promise<string[]> {
  const path = `/users/${fill('{{user}}')}`
  await service.manage('DELETE', path, undefined, company.admin.token)
  const { status, body } = await service.manage('POST', `${path}/erase`, {}, company.admin.token)
  return status === 200 ? [] : [`erasing a user is answered with ${status} ${JSON.stringify(body)}`]
}

/** Names in a path that are nobody's, among whatever requests have sent to others. */
const NAMES_IN_PATHS: ((nth: number) => [by: 'email' | 'external_id', name: string])[] = [
  (nth) => ['external_id', `only/in a path ${nth} é`],
  (nth) => ['email', `only.in.a.path.${nth}@example.com`],
]

/** Erases people whom only the path of a call with an unreadable body names. Returns what went wrong. */
export async function erasePeopleInPaths(
  service: Service,
  { company }: World,
  { calls }: Pick<Promised, 'calls'>,
): Promise<string[]> {
  const faults: string[] = []
  for (const nameOf of NAMES_IN_PATHS) {
    count += 1
    const [by, name] = nameOf(count)
    const body = `{"last_name": "Secret ${count}"`
    const path = `/v1/employees/${encodeURIComponent(name)}`
    const refused = await service.call('PATCH', path, { key: company.key, body })
    calls.set(refused.body.log_id, refused.status)
    const { status } = await service.manage('POST', '/erasures', { [by]: name }, company.admin.token)
    const { rowCount } = await service.pool.query('select from rejected_bodies where company_id = $1 and body = $2', [
      toUuid(company.id),
      body,
    ])
    if (status !== 200 || rowCount !== 0)
      faults.push(`erasing the ${by} ${name} of a path is answered with ${status}, and ${rowCount} bodies stay`)
  }
  return faults
}

/** Makes a batch's world. `theirs` are the things of the other company. */
export async function makeWorld(service: Service, theirs: Things): Promise<World> {
  const { company, things, disabledKey, narrowed, provider } = await makeThings(service, 'Fuzzed')
  await service.manage('PATCH', '/company', { country: COUNTRY }, company.admin.token)
  const all: Record<Thing, string> = {
    ...things,
    'their-employee': theirs.employee,
    'their-log': theirs.log,
    'their-key': theirs.key,
    'their-user': theirs.user,
    'their-upload': theirs.upload,
    'their-webhook': theirs.webhook,
    company: company.id,
  }
  const cookies = new Map<Caller, string>()
  const keyHeaders = (id: string, secret: string): [string, string][] => [
    ['x-api-id', id],
    ['x-api-key', secret],
  ]
  async function renew(caller: Caller): Promise<void> {
    if (!caller.endsWith(' session')) return
    const { user_id: userId } = company[caller.split(' ', 1)[0] as 'admin']
    const { password_hash: passwordHash } = await service.db
      .selectFrom('users')
      .select('password_hash')
      .where('company_id', '=', toUuid(company.id))
      .where('user_id', '=', toUuid(userId))
      .executeTakeFirstOrThrow()
    const session = await beginSession(
      service.pool,
      { companyId: company.id, userId },
      { method: 'password', passwordHash: passwordHash!, beside: 'nothing' },
      { hours: SESSION_HOURS, userAgent: '', address: '' },
    )
    cookies.set(caller, session!)
  }
  const world: World = {
    company,
    credentials(caller) {
      if (caller === 'key') return keyHeaders(company.key.api_id, company.key.api_key)
      if (caller === 'disabled key') return keyHeaders(disabledKey.id, disabledKey.api_key)
      if (caller === 'wrong key') return keyHeaders(company.key.api_id, disabledKey.api_key)
      if (caller === 'nobody') return []
      if (caller === 'provider') return [['authorization', `Bearer ${provider}`]]
      if (caller === 'narrowed token') return [['authorization', `Bearer ${narrowed}`]]
      if (caller === 'admin' || caller === 'auditor' || caller === 'member')
        return [['authorization', `Bearer ${company[caller].token}`]]
      return [['cookie', `session=${cookies.get(caller)}`], ...Object.entries(OWN_PAGE)]
    },
    fill: (text) =>
      text.replaceAll(/(?:\{\{|%7B%7B)([a-z-]+)(?:\}\}|%7D%7D)/g, (whole, name: string) => all[name as Thing] ?? whole),
    async renewAfter({ url, caller }) {
      if (url.startsWith('/account/') || url === '/sign-out') await renew(caller)
    },
  }
  for (const caller of CALLERS) await renew(caller)
  return world
}

export type { Things }
