import t from 'tap'
import { startService } from '../../support/service.ts'
import { browse, cookieOf } from '../../support/http/sessions.ts'

/* Another site's page can make a browser do nothing with a session cookie except open a page. */

const service = await startService(t, { SIGN_IN_LIMIT: '0' })
const cookie = await cookieOf(service, service.company.admin)
const ORIGINS = {
  own: service.address,
  foreign: 'https://evil.example',
  'of another port': 'http://127.0.0.1:1',
  null: 'null',
  absent: undefined,
}
const SITES = ['same-origin', 'same-site', 'cross-site', 'none', 'nonsense', undefined] as const
const headersOf = (headers: Record<string, string | undefined>) =>
  Object.fromEntries(Object.entries(headers).filter((header): header is [string, string] => header[1] !== undefined))

for (const site of SITES) {
  for (const [name, origin] of Object.entries(ORIGINS)) {
    const isLetIn = site === 'same-origin' || (site === undefined && name === 'own')
    await t.test(
      `a form sent with Sec-Fetch-Site ${site ?? 'absent'} and an Origin that is ${name} is ${isLetIn ? 'taken' : 'refused'}`,
      async (t) => {
        const headers = headersOf({
          'sec-fetch-site': site,
          'sec-fetch-mode': 'navigate',
          'sec-fetch-dest': 'document',
          origin,
        })
        const { company } = service
        const countEvents = async () => {
          const text = 'select count(*)::integer as count from events'
          return (await service.pool.query<{ count: number }>(text)).rows[0]!.count
        }
        const before = await countEvents()
        const forms: [path: string, form: Record<string, string>, good: number][] = [
          ['/account/sessions', { end: 'others' }, 303],
          ['/sign-in', { email: company.member.email, password: company.member.password }, 303],
          ['/invitation', { token: 'x', password: 'long enough password', repeated: 'long enough password' }, 404],
          ['/account/tokens', { name: '', expires_in_days: '1' }, 422],
          ['/account/recovery-codes', { seen: '1', current: 'x' }, 422],
          ['/sign-in/passkey', { response: '{}' }, 401],
          ['/sign-in/passkey/options', {}, 503],
          ['/sign-in/recovery-code', { code: 'x' }, 401],
          ['/sign-in/forgot-password', { email: company.member.email }, 404],
          [`/settings/api-keys/${company.key.api_id}/enable`, {}, 303],
          [`/settings/users/${company.member.user_id}/role`, { role: 'member' }, 303],
        ]
        for (const [path, form, good] of forms) {
          // Signing in would end the session whose cookie is sent.
          const sent = path === '/sign-in' ? null : cookie
          const answer = await browse(service, path, { cookie: sent, form, headers })
          t.equal(answer.status, isLetIn ? good : 403, path)
          if (!isLetIn) t.equal(answer.cookie, null)
        }
        t.equal((await countEvents()) - before, isLetIn ? 1 : 0, 'no event but the sign-in')
        t.equal((await browse(service, '/account', { cookie })).status, 200, 'nobody was signed out')
      },
    )
  }
}

await t.test('behind a proxy that changes Host, the own origin is that of PUBLIC_URL', async (t) => {
  const behind = await startService(t, { SIGN_IN_LIMIT: '0', PUBLIC_URL: 'http://ledger.example' })
  const { email, password } = behind.company.member
  const signIn = async (origin: string, host: string) =>
    (await browse(behind, '/sign-in', { form: { email, password }, headers: { origin, host } })).status
  t.equal(await signIn('http://ledger.example', 'api:3000'), 303)
  t.equal(await signIn('http://api:3000', 'api:3000'), 403)
  t.equal(await signIn('https://ledger.example', 'ledger.example'), 403, 'the scheme counts too')
  t.equal(await signIn('null', 'ledger.example'), 403)
})

await t.test("another site can't sign a user out", async (t) => {
  const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
  t.equal((await browse(service, '/sign-out', { cookie, form: {}, headers })).status, 403)
  t.equal((await browse(service, '/account', { cookie })).status, 200)
})

await t.test("another site's request can't change anything with the cookie", async (t) => {
  for (const site of ['cross-site', 'same-site', 'none']) {
    const answer = await browse(service, `/admin/v1/api-keys/${service.company.key.api_id}/revoke`, {
      cookie,
      form: {},
      headers: { 'sec-fetch-site': site },
    })
    t.equal(answer.status, 403)
    t.match(answer.text, '"code":"cross_site_request"')
  }
})

const READS: [
  site: string | undefined,
  mode: string | undefined,
  dest: string | undefined,
  origin: string | undefined,
  page: number,
  endpoint: number,
][] = [
  ['same-origin', 'navigate', 'document', undefined, 200, 200],
  ['same-origin', 'cors', 'empty', undefined, 200, 200],
  ['none', 'navigate', 'document', undefined, 200, 200],
  [undefined, undefined, undefined, undefined, 200, 200],
  [undefined, undefined, undefined, 'https://evil.example', 403, 403],
  ['cross-site', 'navigate', 'document', undefined, 200, 403],
  ['same-site', 'navigate', 'document', undefined, 200, 403],
  ['cross-site', 'navigate', 'iframe', undefined, 403, 403],
  ['cross-site', 'navigate', 'object', undefined, 403, 403],
  ['cross-site', 'navigate', undefined, undefined, 403, 403],
  ['cross-site', 'no-cors', 'image', undefined, 403, 403],
  ['cross-site', 'no-cors', 'script', undefined, 403, 403],
  ['cross-site', 'cors', 'empty', 'https://evil.example', 403, 403],
  ['same-site', 'cors', 'empty', 'http://sub.127.0.0.1', 403, 403],
]
for (const [site, mode, dest, origin, page, endpoint] of READS) {
  await t.test(`reading with ${site} ${mode} ${dest} ${origin}: a page ${page}, an endpoint ${endpoint}`, async (t) => {
    const headers = headersOf({ 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest, origin })
    t.equal((await browse(service, '/settings/users', { cookie, headers })).status, page)
    for (const path of [
      '/admin/v1/users',
      '/admin/v1/bulk-user-logs',
      '/admin/v1/bulk-user-logs.csv',
      '/admin/v1/tokens',
    ]) {
      t.equal((await browse(service, path, { cookie, headers })).status, endpoint, path)
    }
  })
}

await t.test('no answer lets another origin read it', async (t) => {
  const headers = { origin: 'https://evil.example', 'access-control-request-method': 'GET' }
  for (const path of ['/account', '/admin/v1/users', '/sign-in']) {
    const answer = await browse(service, path, { cookie, headers })
    t.notOk(
      Object.keys(answer.headers).some((name) => name.startsWith('access-control-')),
      path,
    )
  }
})
