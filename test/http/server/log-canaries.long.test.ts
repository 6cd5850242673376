import t from 'tap'
import { asSuperuser } from '../../support/postgres/as-superuser.ts'
import { makeDataDir, startServer } from '../../support/processes/cli.ts'
import { cookieOf, OWN_PAGE } from '../../support/http/sessions.ts'
import type { Answer } from '../../support/service.ts'
import { send, startService } from '../../support/service.ts'

/*
 * The log of a real process at trace level while every route for keys, users and tokens succeeds and fails in every
 * way: it holds nothing that was sent or shown.
 */

const service = await startService(t)
const { admin, member } = service.company
const PASSWORD = 'canary-password-4711'
const EMAIL = 'canary.4711@example.com'
const NAME = 'Canary Name 4711'

const server = await startServer(t, ['serve'], {
  DATABASE_URL: service.urls.serviceUrl,
  DATA_DIR: makeDataDir(t),
  LOG_LEVEL: 'trace',
  FAILURE_LIMIT: '0',
})
const session = await cookieOf({ ...service, address: server.address }, admin)
const SESSION = { ...OWN_PAGE, cookie: session }
const secrets = new Set([admin.password, session, PASSWORD, EMAIL, NAME, admin.token, member.token, 'canary.4711'])

async function request(
  method: string,
  path: string,
  body?: unknown,
  token: string | null = admin.token,
): Promise<Answer> {
  const headers = token === null ? {} : token === session ? SESSION : { authorization: `Bearer ${token}` }
  const answer = await send(server.address, method, `/admin/v1${path}`, { headers, body })
  for (const shown of [answer.body?.api_key, answer.body?.token, answer.body?.invitation?.token]) {
    if (typeof shown === 'string') secrets.add(shown)
  }
  return answer
}

// These are used when creating new ones fails.
const { body: spareKey } = await request('POST', '/api-keys', { name: NAME })
const { body: spareUser } = await request('POST', '/users', { email: `spare${EMAIL}`, name: NAME, role: 'auditor' })
const { body: spareToken } = await request('POST', '/tokens', { name: NAME, current_password: admin.password }, session)

/** Calls every route so that it succeeds in the first round and is refused in the second. */
async function everyRoute(round: string): Promise<number[]> {
  const statuses: number[] = []
  const call = async (...args: Parameters<typeof request>) => {
    const answer = await request(...args)
    statuses.push(answer.status)
    return answer.body
  }
  const key = await call('POST', '/api-keys', { name: NAME })
  const keyPath = `/api-keys/${key.id ?? spareKey.id}`
  await call('GET', '/api-keys')
  const secret = key.api_key ?? spareKey.api_key
  await call('POST', '/secrets/find', { q: `${secret} ${NAME}` })
  await call('POST', '/secrets/find', { q: NAME })
  await call('POST', '/secrets/find', { q: secret, secret_sha256: NAME })
  await call('GET', keyPath)
  await call('PATCH', keyPath, { name: `${NAME} ${round}` })
  for (const action of ['disable', 'enable', 'rotate', 'revoke', 'enable']) await call('POST', `${keyPath}/${action}`)
  const user = await call('POST', '/users', { email: `${round}${EMAIL}`, name: NAME, role: 'auditor' })
  const userPath = `/users/${user.id ?? spareUser.id}`
  await call('POST', '/users', { email: `${round}${EMAIL}`, name: NAME, role: 'auditor' })
  await call('GET', `/users?status=pending`)
  await call('GET', userPath)
  await call('PATCH', userPath, { role: 'member' })
  const reset = await call('POST', `${userPath}/reset-password`)
  const link = (reset.invitation ?? user.invitation)?.token ?? spareUser.invitation.token
  for (let at = 0; at < 2; at += 1) await call('POST', '/invitations/accept', { token: link, password: PASSWORD }, null)
  const token = await call('POST', '/tokens', { name: NAME, current_password: admin.password }, session)
  await call('POST', '/tokens', { name: NAME, current_password: PASSWORD }, session)
  await call('GET', '/tokens', undefined, token.token ?? admin.token)
  await call('GET', '/tokens', undefined, `${admin.token}x`)
  await call('DELETE', `/tokens/${token.id ?? spareToken.id}`)
  await call('DELETE', userPath)
  await call('GET', '/api-keys', undefined, member.token)
  return statuses
}

async function badBodies(): Promise<void> {
  const bodies = [
    ...[`{"name":"${NAME}"`, [PASSWORD], { name: `${NAME} \ud800` }, NAME.repeat(5_000)],
    { [EMAIL]: PASSWORD, email: [EMAIL], token: 5 },
  ]
  const routes = [
    ...[
      ['POST', '/api-keys'],
      ['PATCH', '/api-keys/x'],
      ['POST', '/users'],
      ['PATCH', '/users/x'],
    ],
    ...[
      ['POST', '/tokens'],
      ['POST', '/invitations/accept'],
    ],
  ]
  for (const [method, path] of routes) {
    for (const body of bodies) await request(method!, path!, body)
    if (path === '/tokens') for (const body of bodies) await request(method!, path, body, session)
    await request(method!, `${path}?q=${encodeURIComponent(EMAIL)}`, {})
    await request(method!, path!, undefined, PASSWORD)
  }
}

await t.test('the routes succeed, and are refused', async (t) => {
  const statuses = await everyRoute('a')
  t.strictSame(
    [...new Set(statuses)].sort((a, b) => a - b),
    [200, 201, 204, 401, 403, 409, 422],
  )
  await badBodies()
})

await t.test('calls fail where the database quotes whole rows in its errors', async (t) => {
  for (const table of ['api_keys', 'users', 'user_tokens', 'events']) {
    await asSuperuser(service.urls.superUrl, `alter table ${table} add constraint canary check (false) not valid`)
    const statuses = await everyRoute(table.charAt(0))
    t.ok(statuses.includes(500), table)
    await asSuperuser(service.urls.superUrl, `alter table ${table} drop constraint canary`)
  }
})

await t.test('nothing sent or shown is in the log', async (t) => {
  t.ok(secrets.size > 15)
  const { stdout, stderr } = await server.end('SIGTERM')
  const text = stdout + stderr
  t.ok(text.split('"DatabaseError"').length > 11, 'the failures were logged')
  for (const secret of secrets) t.notOk(text.includes(secret), secret.slice(0, 8))
  t.notMatch(text, /canary[. -]name|el_(?:live|user|link)_[0-9A-Za-z]{20}|argon2id/i)
})
