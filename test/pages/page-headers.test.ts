import t from 'tap'
import { startService } from '../support/service.ts'
import { browse, cookieOf, issueToken } from '../support/http/sessions.ts'

/* The headers of every page, including refusals. */

const service = await startService(t)
const { company } = service
const [admin, member] = [await cookieOf(service, company.admin), await cookieOf(service, company.member)]
const { body: token } = await issueToken(service, service.company.admin)

const POLICY = [
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'",
  "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types rendered-rows",
].join('; ')

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': /camera=\(\)/,
  'cache-control': 'no-store',
}
const INLINE_OR_EXTERNAL =
  /<script(?! src="\/assets\/)|\son[a-z]+=|\sstyle=|<(?!a\s)[^>]*\s(?:src|href|action)="https?:/

const key = `/settings/api-keys/${company.key.api_id}`
const user = `/settings/users/${company.auditor.user_id}`
const PAGES: [path: string, cookie: string | null, status: number, form?: Record<string, string>][] = [
  ['/sign-in', null, 200],
  ['/sign-in', null, 401, { email: 'x', password: 'x' }],
  ['/invitation?token=x', null, 404],
  ['/problems/quota_exceeded', null, 200],
  ['/account/nothing', member, 404],
  ['/account/password', member, 422, {}],
  ['/account/tokens', member, 422, {}],
  [`/account/tokens/${token.id}/revoke`, admin, 200],
  ['/account/passkeys/new', member, 422, {}],
  ['/account/passkeys', member, 422, {}],
  ['/account/passkeys/x/remove', member, 404],
  ['/account/recovery-codes', member, 422, {}],
  ['/sign-in/passkey', null, 401, { response: '{}' }],
  ['/sign-in/recovery-code', null, 401, { code: 'x' }],
  ['/settings/nothing', member, 404],
  ['/settings/api-keys', member, 403],
  ['/settings/users', member, 403],
  ['/settings/api-keys?cursor=x', admin, 400],
  ['/settings/api-keys/new', admin, 422, {}],
  [key, admin, 200],
  [`${key}/revoke`, admin, 200],
  ['/settings/api-keys/x', admin, 404],
  [user, admin, 200],
  [`${user}/reset-password`, admin, 200],
  [`${user}/remove`, admin, 200],
]

for (const [path, cookie, status, form] of PAGES) {
  const who = cookie === null ? 'nobody' : cookie === admin ? 'an administrator' : 'a member'
  await t.test(
    `${form ? 'sending to' : 'opening'} ${path.replaceAll(/(?:key|usr|tok)_\w+/g, 'ID')} as ${who}`,
    async (t) => {
      const { headers, text, ...answer } = await browse(service, path, { cookie, ...(form ? { form } : {}) })
      t.equal(answer.status, status)
      t.match(headers, HEADERS)
      t.notMatch(text, INLINE_OR_EXTERNAL)
    },
  )
}

await t.test('opening each registered page as an administrator', async (t) => {
  const routes = service.app.registeredRoutes.filter(
    ({ method, url }) => method === 'GET' && !/^\/(?:v1|admin|audit)\//.test(url),
  )
  let pages = 0
  for (const path of routes.map(({ url }) => url.replaceAll(/:\w+|\*/g, '1'))) {
    const { headers, text } = await browse(service, path, { cookie: admin })
    if (!headers['content-type']?.startsWith('text/html')) continue
    pages += 1
    t.match(headers, HEADERS, path)
    t.notMatch(text, INLINE_OR_EXTERNAL, path)
  }
  t.ok(pages > 50)
})

await t.test('the one-time secret is never cached', async (t) => {
  const { text } = await browse(service, '/settings/api-keys/new', { cookie: admin })
  const seen = /name="seen" value="(\d+)"/.exec(text)![1]!
  const form = { seen, name: 'x', quota_limit: '5', refresh_period: 'daily' }
  const shown = await browse(service, '/settings/api-keys/new', { cookie: admin, form })
  t.match(shown.text, /el_live_\w{76}/)
  t.equal(shown.headers['cache-control'], 'no-store')
})
