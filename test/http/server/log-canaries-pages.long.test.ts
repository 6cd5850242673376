import t from 'tap'
import { asSuperuser } from '../../support/postgres/as-superuser.ts'
import { launch, makeDataDir } from '../../support/processes/cli.ts'
import { startService } from '../../support/service.ts'
import { browse } from '../../support/http/sessions.ts'

/*
 * The log of a real process at trace level while users sign in, set passwords, forget them, issue keys and invite others, and
 * while all of that fails: it holds no password, cookie, link or secret.
 */

const service = await startService(t)
const { admin } = service.company
const PASSWORD = 'canary-password-4711'
const server = launch(t, ['serve'], {
  DATABASE_URL: service.urls.serviceUrl,
  DATA_DIR: makeDataDir(t),
  LOG_LEVEL: 'trace',
  SIGN_IN_LIMIT: '0',
  SIGN_IN_ADDRESS_LIMIT: '0',
  SECRETS_KEY: service.config.SECRETS_KEY!,
  SMTP_URL: `smtp://ledger:${PASSWORD}@localhost:1`,
  MAIL_FROM: 'ledger@ledger.example',
  PUBLIC_URL: 'http://localhost:1',
})
const address = await server.prints(/listens on (http:\S+)/)
const secrets = new Set([PASSWORD, admin.password, admin.email, 'canary@example.com', 'Canary Name'])

/** Calls everything that shows or takes a secret. Returns the statuses. */
async function everything(
  cookieBefore: string | null,
  round: number,
): Promise<{ statuses: number[]; cookie: string | null }> {
  const statuses: number[] = []
  let cookie = cookieBefore
  const step = async (path: string, form?: Record<string, string>) => {
    const answer = await browse({ address }, path, { cookie, ...(form ? { form } : {}) })
    statuses.push(answer.status)
    cookie = answer.cookie ?? cookie
    for (const [secret] of answer.text.matchAll(/el_(?:live|link|user)_\w{40,}/g)) secrets.add(secret)
    if (cookie !== null) secrets.add(cookie.slice('session='.length))
    return answer
  }
  const seenOn = (text: string) => /name="seen" value="(\d+)"/.exec(text)?.[1] ?? '0'
  await step('/sign-in', { email: 'canary@example.com', password: PASSWORD })
  await step('/sign-in', { email: admin.email, password: PASSWORD })
  await step('/sign-in/forgot-password', { email: 'canary@example.com' })
  await step('/sign-in/forgot-password', { email: admin.email })
  await step('/sign-in', { email: admin.email, password: admin.password })
  const { text: newKey } = await step('/settings/api-keys/new')
  await step('/settings/api-keys/new', {
    seen: seenOn(newKey),
    name: 'Canary Name',
    quota_limit: '1',
    refresh_period: 'daily',
  })
  await step('/settings/api-keys', { q: [...secrets].find((secret) => secret.startsWith('el_live_')) ?? 'Canary Name' })
  await step('/settings/api-keys', { q: 'Canary Name'.repeat(100) })
  const invited = await step('/settings/users/new', {
    email: `${round}canary@example.com`,
    name: 'Canary Name',
    role: 'member',
  })
  const [token = [...secrets].find((secret) => secret.startsWith('el_link_')) ?? 'x'] =
    /el_link_\w{40,}/.exec(invited.text) ?? []
  await step(`/invitation?token=${token}`)
  await step('/invitation', { token, password: PASSWORD, repeated: PASSWORD })
  await step('/invitation', { token, password: PASSWORD, repeated: PASSWORD })
  const { text: account } = await step('/account')
  await step('/account/tokens', {
    seen: seenOn(account),
    name: 'Canary Name',
    expires_in_days: '1',
    everything: 'on',
    current: admin.password,
  })
  await step('/account/password', { current: PASSWORD, password: PASSWORD, repeated: PASSWORD })
  await step('/account/password', { current: admin.password, password: `${PASSWORD}\0`, repeated: `${PASSWORD}\0` })
  return { statuses, cookie }
}

await t.test('the pages succeed and refuse', async (t) => {
  const { statuses } = await everything(null, 0)
  t.strictSame(statuses, [401, 401, 200, 200, 303, 200, 200, 200, 422, 200, 200, 200, 401, 200, 200, 422, 422])
})

await t.test('the pages fail where the database quotes whole rows in its errors', async (t) => {
  const { cookie } = await everything(null, 1)
  for (const [at, table] of ['sessions', 'api_keys', 'users', 'user_tokens', 'emails'].entries()) {
    await asSuperuser(service.urls.superUrl, `alter table ${table} add constraint canary check (false) not valid`)
    const { statuses } = await everything(cookie, at + 2)
    t.ok(
      statuses.some((status) => status >= 500),
      table,
    )
    await asSuperuser(service.urls.superUrl, `alter table ${table} drop constraint canary`)
  }
})

await t.test('no secret is in the log of the pages', async (t) => {
  const { stderr } = await server.end('SIGTERM')
  t.match(stderr, '"DatabaseError"', 'the failures were logged')
  t.match(stderr, 'could not send a link to set a new password')
  t.ok(secrets.size > 12)
  for (const secret of secrets) t.notOk(stderr.includes(secret), secret.slice(0, 8))
  t.notMatch(stderr, /el_(?:live|user|link|ses)_\w{20}|argon2id/)
})
