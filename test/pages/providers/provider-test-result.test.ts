import t from 'tap'
import { toUuid } from '../../../src/domain/ids.ts'
import { browse, cookieOf } from '../../support/http/sessions.ts'
import { readEvents } from '../../support/ledger/company-events.ts'
import { followSignIn } from '../../support/providers/follow-sign-in.ts'
import type { TestAccount } from '../../support/providers/test-provider.ts'
import { startTestProvider } from '../../support/providers/test-provider.ts'
import { startService } from '../../support/service.ts'

/* Trying a provider that is still switched off: what it publishes, and what signing in would do. */

const PUBLIC_URL = 'http://localhost:3000'
const service = await startService(t, { PUBLIC_URL, OUTGOING_PRIVATE: '1' })
const { company, pool } = service
const CALLBACK = `/sign-in/${company.id}/callback`
const SECRET = 'the-client-secret-of-the-test'
const provider = await startTestProvider(t, {
  clients: [{ clientId: 'ledger', redirectUris: [`${PUBLIC_URL}${CALLBACK}`], secret: SECRET }],
})
const cookie = await cookieOf(service, company.admin)
const PAGE = '/settings/sign-in'
const form = {
  name: 'Test IdP',
  issuer: provider.issuer,
  client_id: 'ledger',
  client_auth: 'client_secret',
  secret: SECRET,
  creates_users: 'yes',
  role_claim: 'groups',
  roles: 'ledger-auditors = auditor\nledger-admins = admin',
}
await browse(service, `${PAGE}/new`, { cookie, form })

/** Signs in as a test as this account. Returns the page with the result. */
async function testAs(account: TestAccount) {
  provider.accounts.splice(0, provider.accounts.length, account)
  provider.signsIn = account.sub
  const start = await browse(service, `/sign-in/${company.id}/start?test=1`, { cookie })
  if (start.status !== 303) throw new Error(start.text)
  const { pathname, search } = new URL(await followSignIn(start.location!))
  t.equal(pathname, CALLBACK)
  const answer = await browse(service, `${pathname}${search}`, {
    cookie: `${cookie}; ${start.cookie!}`,
    headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
  })
  return { ...answer, text: answer.text.replaceAll(/\s+/g, ' ') }
}
const countEvents = async () => (await readEvents(service.db, company.id)).length
const before = await countEvents()

await t.test('the check shows what the provider publishes', async (t) => {
  const { text, status } = await browse(service, `${PAGE}/check`, { cookie, form: {} })
  t.equal(status, 200)
  for (const words of ['The provider answers.', provider.issuer, 'client_secret_basic']) t.match(text, words)
})

await t.test('a user is recognized by a verified email, with the role of the claim', async (t) => {
  const { status, text } = await testAs({
    sub: '<b>sub</b>',
    email: 'Auditor@example.com',
    email_verified: true,
    name: 'Otto',
    groups: ['everybody', 'ledger-admins', 'ledger-auditors'],
  })
  t.equal(status, 200)
  t.match(text, 'You would be signed in as')
  t.match(text, `href="/settings/users/${company.auditor.user_id}"`)
  t.match(text, 'has this verified email and would be linked')
  t.match(text, 'get the role admin instead of auditor')
  t.match(text, '<code>&lt;b&gt;sub&lt;/b&gt;</code>')
  t.match(text, '[&quot;everybody&quot;,&quot;ledger-admins&quot;,&quot;ledger-auditors&quot;]')
  t.notMatch(text, SECRET)
})

await t.test('a stranger would become a user, and without any of the values a member', async (t) => {
  const { text } = await testAs({ sub: 'new', email: 'new@example.com', email_verified: true })
  t.match(text, 'A new user <bdi>new@example.com</bdi> would be created, with the role member. Nothing was changed.')
})

await t.test('an email that is not verified recognizes nobody, and the page says why', async (t) => {
  const { text } = await testAs({ sub: 'otto', email: 'auditor@example.com' })
  t.match(text, 'Signing in would be refused.')
  t.match(text, '<bdi>auditor@example.com</bdi>, not verified')
})

await t.test('a linked account is recognized, and the last administrator keeps the role', async (t) => {
  await pool.query(`update users set issuer = $2, subject = 'ada' where company_id = $1 and user_id = $3`, [
    ...[toUuid(company.id), provider.issuer, toUuid(company.admin.user_id)],
  ])
  const { text } = await testAs({ sub: 'ada', groups: 'ledger-auditors' })
  t.match(text, 'who is linked with this account and keep the role admin.')
})

await t.test('tests change nothing', async (t) => {
  t.equal(await countEvents(), before)
  const text = 'select count(*)::integer as count from sessions where company_id = $1'
  t.strictSame((await pool.query(text, [toUuid(company.id)])).rows, [{ count: 1 }])
})

await t.test('only administrators of the company test its provider', async (t) => {
  const auditor = await cookieOf(service, company.auditor)
  t.equal((await browse(service, `/sign-in/${company.id}/start?test=1`, { cookie: auditor })).status, 403)
})

await t.test('a provider that is down is told from one that works', async (t) => {
  await provider.stop()
  const { text, status } = await browse(service, `${PAGE}/check`, { cookie, form: {} })
  t.equal(status, 200)
  t.match(text, /role="alert"><bdi>.+\.<\/bdi>/)
  t.notMatch(text, 'The provider answers')
})
