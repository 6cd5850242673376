import { hash } from 'node:crypto'
import t from 'tap'
import { toUuid } from '../../../src/domain/ids.ts'
import { openEventStream } from '../../support/http/event-stream.ts'
import { startService } from '../../support/service.ts'
import { browse, cookieOf, letsIn, OWN_PAGE } from '../../support/http/sessions.ts'
import { moveBack } from '../../support/postgres/move-back.ts'

/* Sessions: their cookies, when they end, and what they allow. Times are moved in the database. */

const service = await startService(t, { SIGN_IN_LIMIT: '0' })
const { admin, auditor, member } = service.company

/** Moves a timestamp of all sessions back. */
const moveSessionsBack = (column: 'last_used' | 'created_at' | 'expires_at', minutes: number) =>
  moveBack(service, 'sessions', column, minutes * 60)
const secretOf = (cookie: string) => cookie.slice(cookie.indexOf('=') + 1)
const sessionOf = async (cookie: string) => {
  const { rows } = await service.pool.query('select * from sessions where session_hash = $1', [
    hash('sha256', secretOf(cookie), 'buffer'),
  ])
  return rows[0]
}
const newUser = async (role: string) => {
  const [email, password] = [`${role}.${process.hrtime.bigint()}@example.com`, 'a password of one']
  const { body } = await service.manage('POST', '/users', { email, name: role, role })
  await service.manage('POST', '/invitations/accept', { token: body.invitation.token, password }, null)
  return { id: body.id as string, email, password }
}

await t.test("neither scripts nor other sites can reach a session's cookie", async (t) => {
  const { headers, location } = await browse(service, '/sign-in', {
    form: { email: admin.email, password: admin.password },
  })
  t.match(headers['set-cookie'], [/^session=el_ses_[0-9a-z]{26}_[0-9A-Za-z]{49}; Path=\/; HttpOnly; SameSite=Lax$/])
  t.equal(location, '/settings/bulk-user-logs')
  t.equal(headers['strict-transport-security'], undefined)
})

await t.test('a service reached by https sends its cookie by https alone, and browsers stay on https', async (t) => {
  const secure = await startService(t, { PUBLIC_URL: 'https://hr.example.com' })
  const { headers, cookie } = await browse(secure, '/sign-in', {
    form: { email: admin.email, password: secure.company.admin.password },
  })
  t.match(headers['set-cookie'], [/^__Host-session=el_ses_\w+; Path=\/; HttpOnly; Secure; SameSite=Lax$/])
  t.equal(headers['strict-transport-security'], 'max-age=31536000')
  for (const path of ['/sign-in', '/openapi.json', '/v1/auth/verify', '/assets/none']) {
    t.equal((await browse(secure, path)).headers['strict-transport-security'], 'max-age=31536000', path)
  }
  t.ok(await letsIn(secure, cookie!))
  t.notOk(
    await letsIn(secure, cookie!.replace('__Host-', '')),
    'a cookie that any page of the domain may set does not count',
  )
  const out = await browse(secure, '/sign-out', { cookie: cookie!, form: {} })
  t.match(out.headers['set-cookie'], [
    /^__Host-session=; Max-Age=0; Path=\/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; Secure; SameSite=Lax$/,
  ])
})

await t.test('only the hash of a cookie is stored', async (t) => {
  const cookie = await cookieOf(service, admin)
  t.match(await sessionOf(cookie), { user_id: toUuid(admin.user_id), role: 'admin' })
  const { rows } = await service.pool.query('select s::text as row from sessions s')
  const secret = secretOf(cookie)
  t.ok(rows.length > 0)
  for (const { row } of rows) t.notOk(row.includes(secret) || row.includes(Buffer.from(secret).toString('hex')))
})

await t.test('a session ends after an hour without a page, and opening a page keeps it alive', async (t) => {
  const cookie = await cookieOf(service, member)
  await moveSessionsBack('last_used', 59)
  t.ok(await letsIn(service, cookie))
  await moveSessionsBack('last_used', 59)
  t.ok(await letsIn(service, cookie), 'the last page counted')
  await moveSessionsBack('last_used', 60)
  t.notOk(await letsIn(service, cookie))
})

await t.test('with the shortest idle time a session still lives that long after each page', async (t) => {
  const brief = await startService(t, { SESSION_IDLE_MINUTES: '1' })
  const cookie = await cookieOf(brief, brief.company.member)
  for (let pages = 0; pages < 4; pages += 1) {
    await moveBack(brief, 'sessions', 'last_used', 45)
    t.ok(await letsIn(brief, cookie))
  }
  await moveBack(brief, 'sessions', 'last_used', 60)
  t.notOk(await letsIn(brief, cookie))
})

await t.test("a page's own requests do not keep a session alive: fetches, the endpoints, a stream", async (t) => {
  const cookie = await cookieOf(service, admin)
  await moveSessionsBack('last_used', 30)
  const { last_used: before } = await sessionOf(cookie)
  const ofScript = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }
  t.equal((await browse(service, '/account', { cookie, headers: ofScript })).status, 200)
  t.equal((await browse(service, '/admin/v1/bulk-user-logs', { cookie, headers: ofScript })).status, 200)
  t.equal((await browse(service, '/admin/v1/bulk-user-logs.csv', { cookie })).status, 200)
  const stream = await openEventStream(t, `${service.address}/admin/v1/bulk-user-logs/stream`, {
    cookie,
    ...ofScript,
  })
  t.equal(stream.status, 200)
  stream.close()
  t.strictSame((await sessionOf(cookie)).last_used, before)
  t.ok(await letsIn(service, cookie))
  t.not((await sessionOf(cookie)).last_used, before, 'opening a page does')
  await moveSessionsBack('last_used', 60)
  t.equal(
    (await browse(service, '/account', { cookie, headers: ofScript })).status,
    401,
    'a script gets an error, not a redirect',
  )
})

await t.test('a session ends after twelve hours of any use', async (t) => {
  const cookie = await cookieOf(service, member)
  await moveSessionsBack('expires_at', 12 * 60 - 1)
  t.ok(await letsIn(service, cookie))
  await moveSessionsBack('expires_at', 1)
  t.notOk(await letsIn(service, cookie))
})

await t.test("signing in starts a new session and ends the browser's old one, so none can be planted", async (t) => {
  const planted = await cookieOf(service, member)
  const { cookie } = await browse(service, '/sign-in', {
    cookie: planted,
    form: { email: admin.email, password: admin.password },
  })
  t.not(cookie, planted)
  t.ok(await letsIn(service, cookie!))
  t.notOk(await letsIn(service, planted))
  const unknown = `session=${secretOf(planted)}`
  t.not(
    (await browse(service, '/sign-in', { cookie: unknown, form: { email: admin.email, password: admin.password } }))
      .cookie,
    unknown,
  )
})

await t.test("a new role applies at once, and the next page replaces the old role's cookie", async (t) => {
  const user = await newUser('member')
  const cookie = await cookieOf(service, user)
  t.equal((await browse(service, '/settings/api-keys', { cookie })).status, 403)
  await service.manage('PATCH', `/users/${user.id}`, { role: 'admin' })
  const ofScript = { ...OWN_PAGE, 'sec-fetch-mode': 'cors' }
  t.equal(
    (await browse(service, '/settings/api-keys', { cookie, headers: ofScript })).cookie,
    null,
    "a script's request does not renew it",
  )
  const page = await browse(service, '/settings/api-keys', { cookie })
  t.equal(page.status, 200)
  t.ok(page.cookie)
  t.notOk(await letsIn(service, cookie))
  t.equal((await browse(service, '/settings/api-keys', { cookie: page.cookie })).cookie, null, 'one renewal is enough')
  await service.manage('PATCH', `/users/${user.id}`, { role: 'auditor' })
  t.equal((await browse(service, '/settings/api-keys', { cookie: page.cookie })).status, 403)
  t.equal((await browse(service, '/admin/v1/api-keys', { cookie: page.cookie })).status, 401)
})

await t.test('two pages opened at once after a change of role are both shown, and one renews the cookie', async (t) => {
  const user = await newUser('member')
  const cookie = await cookieOf(service, user)
  await service.manage('PATCH', `/users/${user.id}`, { role: 'admin' })
  const pages = await Promise.all([1, 2].map(() => browse(service, '/account', { cookie })))
  // The second may come after the first is done: then its cookie is already void.
  t.equal(pages.filter(({ cookie }) => cookie !== null).length, 1)
  t.ok(await letsIn(service, pages.find(({ cookie }) => cookie !== null)!.cookie!))
})

const ENDS = {
  'a removal': (id: string) => service.manage('DELETE', `/users/${id}`),
  'a reset of the password': (id: string) => service.manage('POST', `/users/${id}/reset-password`),
}
for (const [name, end] of Object.entries(ENDS)) {
  await t.test(`${name} ends all sessions of the user at once, and nobody else's`, async (t) => {
    const user = await newUser('admin')
    const [first, second, other] = [
      await cookieOf(service, user),
      await cookieOf(service, user),
      await cookieOf(service, admin),
    ]
    await end(user.id)
    for (const cookie of [first, second]) {
      t.notOk(await letsIn(service, cookie))
      t.equal((await browse(service, '/admin/v1/users', { cookie })).status, 401)
    }
    t.ok(await letsIn(service, other))
    t.equal((await browse(service, '/sign-in', { form: { email: user.email, password: user.password } })).status, 401)
  })
}

await t.test('signing out ends the session on the server', async (t) => {
  const cookie = await cookieOf(service, member)
  const out = await browse(service, '/sign-out', { cookie, form: {} })
  t.match(out, { status: 303, location: '/sign-in', cookie: null })
  t.notOk(await letsIn(service, cookie))
  t.match(await browse(service, '/sign-out', { cookie, form: {} }), { status: 303, location: '/sign-in' })
})

await t.test('a user can sign out of all sessions, or of all but this one', async (t) => {
  const [here, there, other] = [
    await cookieOf(service, auditor),
    await cookieOf(service, auditor),
    await cookieOf(service, member),
  ]
  t.match(await browse(service, '/account/sessions', { cookie: here, form: { end: 'others' } }), {
    status: 303,
    location: '/account?done=others',
  })
  t.ok(await letsIn(service, here))
  t.notOk(await letsIn(service, there))
  const third = await cookieOf(service, auditor)
  t.match(await browse(service, '/account/sessions', { cookie: here, form: { end: 'all' } }), {
    status: 303,
    location: '/sign-in',
    cookie: null,
  })
  for (const cookie of [here, third]) t.notOk(await letsIn(service, cookie))
  t.ok(await letsIn(service, other))
})

await t.test('a user sees the browser and address of each session, and ends one of their own', async (t) => {
  const headers = { ...OWN_PAGE, 'user-agent': `${'x'.repeat(250)}<b>\u00e9\u00e9\u00e9\u00e9\u00e9` }
  const here = await cookieOf(service, member)
  const form = { email: member.email, password: member.password }
  const { cookie: there } = await browse(service, '/sign-in', { form, headers, from: '127.0.0.7' })
  const { text } = await browse(service, '/account', { cookie: here })
  t.match(text, `<bdi>${'x'.repeat(250)}&lt;b&gt;`)
  t.notOk(text.includes('\u00e9\u00e9\u00e9\u00e9'), 'it is cut')
  t.match(text, '127.0.0.7')
  const session = hash('sha256', secretOf(there!))
  t.match(text, session)
  const end = (cookie: string, id: string) => browse(service, '/account/sessions', { cookie, form: { session: id } })

  const other = await cookieOf(service, auditor)
  t.equal((await end(other, session)).location, '/account?done=gone', "another user's session is not theirs to end")
  t.equal((await end(here, 'x')).location, '/account?done=gone')
  t.ok(await letsIn(service, there!))
  t.equal((await end(here, session)).location, '/account?done=session')
  t.notOk(await letsIn(service, there!))
  t.ok(await letsIn(service, here))
  t.ok(await letsIn(service, other))
})

await t.test('a bearer token, even an invalid one, overrides a cookie', async (t) => {
  const cookie = await cookieOf(service, admin)
  const ask = (token: string) =>
    browse(service, '/admin/v1/api-keys', { cookie, headers: { ...OWN_PAGE, authorization: `Bearer ${token}` } })
  t.equal((await browse(service, '/admin/v1/api-keys', { cookie })).status, 200)
  t.equal((await ask(member.token)).status, 403)
  t.equal((await ask('x')).status, 401)
  t.equal(
    (await browse(service, '/admin/v1/api-keys', { cookie, headers: { ...OWN_PAGE, authorization: 'Basic eDp5' } }))
      .status,
    401,
  )
})

await t.test("a company's cookie opens nothing of another company, and can't be altered to do so", async (t) => {
  const other = await service.makeCompany('Other')
  const cookie = await cookieOf(service, await inCompany(other.admin.user_id))
  const { key, member: theirs } = service.company
  for (const path of [`/settings/api-keys/${key.api_id}`, `/settings/users/${theirs.user_id}`]) {
    const [foreign, unknown] = [
      await browse(service, path, { cookie }),
      await browse(service, path.replace(/.{5}$/, '00000'), { cookie }),
    ]
    t.equal(foreign.status, 404)
    const bytes = ({ text }: { text: string }) => text.replace(/Request ID <code>[^<]+/, '')
    t.equal(bytes(foreign), bytes(unknown))
  }
  const statusOf = async (path: string, form: Record<string, string>) =>
    (await browse(service, `/settings${path}`, { cookie, form })).status
  for (const action of ['', '/disable', '/revoke', '/rotate']) {
    const form = { seen: '1', name: 'x', quota_limit: '1', refresh_period: 'daily', overlap_seconds: '0' }
    t.equal(await statusOf(`/api-keys/${key.api_id}${action}`, form), 404, action)
  }
  for (const action of ['/role', '/remove', '/reset-password']) {
    t.equal(await statusOf(`/users/${theirs.user_id}${action}`, { seen: '2', role: 'admin' }), 404, action)
  }
  t.equal((await service.call('GET', '/v1/auth/verify')).body.is_enabled, true)
  const bent = cookie.replace(other.id.slice(4), service.company.id.slice(4))
  t.not(bent, cookie)
  t.notOk(await letsIn(service, bent))

  async function inCompany(userId: string) {
    // Both companies have this e-mail address, so here it changes.
    await service.pool.query(`update users set email = 'only@other.example' where user_id = $1`, [toUuid(userId)])
    return { email: 'only@other.example', password: other.admin.password }
  }
})
