import t from 'tap'
import { startService } from '../support/service.ts'
import { browse, cookieOf, OWN_PAGE, issueToken } from '../support/http/sessions.ts'

/* Forms that are sent after the session has ended. */

const service = await startService(t, { SIGN_IN_LIMIT: '0' })
const { admin, member } = service.company
const NEW_KEY = '/settings/api-keys/new'
const FORM = { seen: '1', name: 'Kept <b>&"\u202e', quota_limit: '7', refresh_period: 'daily' }
const keyCount = async () => (await service.manage('GET', '/api-keys')).body.items.length

/** Reads the hidden inputs of a page. */
function hiddenOn(text: string): Record<string, string> {
  const decode = (value: string) =>
    value
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&')
  const inputs = [...text.matchAll(/<input\s+type="hidden"\s+name="([^"]+)"\s+value="([^"]*)"/g)]
  return Object.fromEntries(inputs.map(([, name, value]) => [name!, decode(value!)]))
}

async function endedSession() {
  const cookie = await cookieOf(service, admin)
  await browse(service, '/sign-out', { cookie, form: {} })
  return cookie
}
const signIn = (user: typeof admin, hidden: Record<string, string>, cookie?: string) =>
  browse(service, '/sign-in', {
    form: { ...hidden, email: user.email, password: user.password },
    cookie: cookie ?? null,
  })

await t.test('signing out in another tab keeps the form, too', async (t) => {
  const cookie = await cookieOf(service, admin)
  const { headers } = await browse(service, '/sign-out', { cookie, form: {} })
  const [former] = /signed-out=[^;]+/.exec(String(headers['set-cookie'])) ?? []
  const asked = await browse(service, NEW_KEY, { cookie: former!, form: FORM })
  t.match(hiddenOn(asked.text), { kept_action: NEW_KEY, kept_company: service.company.id })
})

await t.test('signing in leads back to the filled form, which is not carried out until it is sent', async (t) => {
  const before = await keyCount()
  const ended = await endedSession()
  const asked = await browse(service, NEW_KEY, { cookie: ended, form: FORM })
  t.match(asked, { status: 401, cookie: null, headers: { 'cache-control': 'no-store' } })
  t.match(asked.text, 'Sign in to get back to what you entered.')
  t.match(hiddenOn(asked.text), { next: NEW_KEY, kept_action: NEW_KEY })

  const wrong = await browse(service, '/sign-in', {
    form: { ...hiddenOn(asked.text), email: admin.email, password: 'wrong' },
  })
  t.equal(wrong.status, 401)
  const { tries, ...kept } = hiddenOn(wrong.text)
  t.equal(tries, '1')
  t.strictSame(kept, hiddenOn(asked.text), 'a wrong password loses nothing')

  const { status, text, cookie } = await signIn(admin, hiddenOn(wrong.text), ended)
  t.equal(status, 200)
  t.match(text, `<form method="post" action="${NEW_KEY}" data-continue>`)
  const { seen, ...shown } = FORM
  t.strictSame(hiddenOn(text), { ...shown, refill: 'yes' })

  const filled = await browse(service, NEW_KEY, { cookie, form: hiddenOn(text) })
  t.equal(filled.status, 200)
  t.match(filled.text, 'This form has not been sent yet.')
  for (const value of ['value="Kept &lt;b&gt;&amp;&quot;\u202e"', 'value="7"', '<option value="daily" selected>'])
    t.ok(filled.text.includes(value), value)
  t.equal(await keyCount(), before, 'nothing was carried out')
  const sent = await browse(service, NEW_KEY, { cookie, form: { ...FORM, seen: hiddenOn(filled.text)['seen']! } })
  t.match(sent.text, 'API key created')
  t.equal(seen, '1')
})

await t.test('secrets are never written into the page', async (t) => {
  const secret = 'a secret that nobody sees'
  for (const path of [
    '/account/password',
    '/account/passkeys/new',
    '/account/tokens',
    NEW_KEY,
    `/settings/users/${member.user_id}/role`,
  ]) {
    const form = { current: secret, password: secret, repeated: secret, token: secret, api_key: secret, typed: secret }
    const { status, text } = await browse(service, path, { form: { ...form, name: 'x' } })
    t.equal(status, 401, path)
    t.notOk(text.includes(secret.slice(0, 8)) || text.includes(encodeURIComponent(secret)), path)
  }
})

await t.test('a form without anything to keep leads to its page', async (t) => {
  const user = `/settings/users/${member.user_id}`
  const key = `/settings/api-keys/${service.company.key.api_id}`
  const pages = {
    '/account/password': '/account',
    '/account/sessions': '/account',
    '/account/passkeys': '/account',
    '/account/recovery-codes': '/account/recovery-codes',
    [`${user}/role`]: user,
    [`${user}/remove`]: `${user}/remove`,
    [`${key}/disable`]: key,
    [`${key}/revoke`]: `${key}/revoke`,
  }
  for (const [path, next] of Object.entries(pages)) {
    const { status, text } = await browse(service, path, { form: {} })
    t.equal(status, 401, path)
    t.strictSame(hiddenOn(text), { next }, path)
    t.match(await signIn(admin, hiddenOn(text)), { status: 303, location: next })
  }
})

await t.test('another user cannot make use of it unless their role allows', async (t) => {
  const before = await keyCount()
  const asked = await browse(service, NEW_KEY, { cookie: await endedSession(), form: FORM })
  const { text, cookie } = await signIn(member, hiddenOn(asked.text))
  t.equal((await browse(service, NEW_KEY, { cookie, form: hiddenOn(text) })).status, 403)
  t.equal(await keyCount(), before)
})

await t.test('what was written for one company does not reach another', async (t) => {
  const other = await service.makeCompany('Other')
  const asked = await browse(service, NEW_KEY, { cookie: await endedSession(), form: FORM })
  const hidden = hiddenOn(asked.text)
  t.equal(hidden['kept_company'], service.company.id)
  t.match(await signIn(other.admin, { ...hidden, company: other.id }), { status: 303, location: NEW_KEY })
})

await t.test('a second tab that signs in first does not change what the first one gets', async (t) => {
  const asked = await browse(service, NEW_KEY, { cookie: await endedSession(), form: FORM })
  const second = await signIn(admin, {})
  t.equal(second.status, 303)
  const first = await signIn(admin, hiddenOn(asked.text), second.cookie!)
  const { status, text } = await browse(service, NEW_KEY, { cookie: first.cookie, form: hiddenOn(first.text) })
  t.equal(status, 200)
  t.match(text, 'value="7"')
})

await t.test('a key that changed meanwhile is not overwritten by a form that comes back', async (t) => {
  const { body: issued } = await service.manage('POST', '/api-keys', { name: 'Shared' })
  const path = `/settings/api-keys/${issued.id}`
  const form = { seen: '1', name: 'Mine', quota_limit: '7', refresh_period: 'daily' }
  const asked = await browse(service, path, { cookie: await endedSession(), form })
  await service.manage('PATCH', `/api-keys/${issued.id}`, { quota_limit: 3 })
  const { text, cookie } = await signIn(admin, hiddenOn(asked.text))
  const filled = await browse(service, path, { cookie, form: hiddenOn(text) })
  t.equal(/name="seen" value="(\d+)"/.exec(filled.text)?.[1], '1', 'in the first form, that of the edit')
  const sent = await browse(service, path, { cookie, form })
  t.match(sent.text, 'The key has changed since you opened this page. Nothing was done')
  t.match((await service.manage('GET', `/api-keys/${issued.id}`)).body, { name: 'Shared', quota_limit: 3 })
})

await t.test('a form of an unknown company is not kept', async (t) => {
  const { status, text } = await browse(service, NEW_KEY, { form: FORM })
  t.equal(status, 401)
  t.notOk('kept_fields' in hiddenOn(text))
})

await t.test('every form with the mark is shown or left alone, and never carried out', async (t) => {
  const cookie = await cookieOf(service, admin)
  const { body: token } = await issueToken(service, service.company.admin, { name: 'Stays' })
  const key = `/settings/api-keys/${service.company.key.api_id}`
  const state = async () => [
    await keyCount(),
    (await service.manage('GET', '/users')).body,
    (await service.manage('GET', '/tokens')).body.items.length,
    (await service.manage('GET', '/company')).body,
    (await service.call('GET', '/v1/auth/verify')).status,
  ]
  const before = await state()
  for (const path of [
    NEW_KEY,
    ...[key, `${key}/rotate`, `${key}/disable`, `${key}/revoke`, '/settings/users/new', '/settings/company'],
    ...['/role', '/remove', '/reset-password', '/erase'].map((end) => `/settings/users/${member.user_id}${end}`),
    ...['/account/tokens', `/account/tokens/${token.id}/revoke`, '/account/password', '/account/sessions'],
    ...['/account/passkeys/new', '/account/passkeys', '/account/recovery-codes', '/settings/employees/erase'],
  ]) {
    const form = {
      ...FORM,
      email: 'x@example.com',
      role: 'admin',
      expires_in_days: '7',
      everything: 'on',
      time_zone: 'Europe/Madrid',
      typed: member.email,
      current: admin.password,
      password: 'another password',
      repeated: 'another password',
      overlap_seconds: '0',
      end: 'all',
      seen: '2',
    }
    const { status, headers } = await browse(service, path, { cookie, form: { ...form, refill: '' } })
    t.ok(status === 200 || status === 303, `${path}: ${status}`)
    t.equal(headers['set-cookie'], undefined, path)
  }
  t.strictSame(await state(), before)
})

await t.test('the way back leads to our own pages only', async (t) => {
  for (const action of [
    '//evil.example',
    'https://evil.example/settings',
    '/sign-out',
    '/settings\r\nx',
    '/v1/employees',
  ]) {
    const hidden = { kept_action: action, kept_company: '', kept_fields: 'name=x' }
    t.match(await signIn(admin, hidden), { status: 303, location: '/settings/bulk-user-logs' }, action)
  }
})

await t.test('what is too large is not kept', async (t) => {
  const { status, text } = await browse(service, NEW_KEY, { form: { ...FORM, name: 'é'.repeat(2_000) } })
  t.equal(status, 401)
  t.strictSame(hiddenOn(text), { next: NEW_KEY })
  t.equal((await browse(service, NEW_KEY, { form: { ...FORM, name: 'x'.repeat(70_000) } })).status, 413)
  const hidden = { kept_action: NEW_KEY, kept_company: '', kept_fields: `name=${'x'.repeat(9_000)}` }
  t.match(await signIn(admin, hidden), { status: 303 })
})

await t.test("another site's form is refused as before, and a script's request gets no page", async (t) => {
  const headers = { ...OWN_PAGE, 'sec-fetch-site': 'cross-site' }
  const foreign = await browse(service, NEW_KEY, { form: FORM, headers })
  t.equal(foreign.status, 403)
  t.notOk(foreign.text.includes('kept_fields'))
  const ofScript = { ...OWN_PAGE, 'sec-fetch-mode': 'cors' }
  t.match(await browse(service, NEW_KEY, { form: FORM, headers: ofScript }), { status: 401, text: '' })
})
