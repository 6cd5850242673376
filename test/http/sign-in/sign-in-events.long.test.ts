import t from 'tap'
import type { AddedUser } from '../../../src/accounts/users/change-user.ts'
import { addPasskey, signInByPassword, tryPasskey } from '../../support/http/passkeys.ts'
import { signInsOf } from '../../support/http/sign-in-events.ts'
import { openVisitor, type Visitor } from '../../support/http/visitor.ts'
import { streamOf } from '../../support/ledger/company-events.ts'
import { ledgerFaults } from '../../support/ledger/verify-ledger.ts'
import { enter, makeCompanyWithProvider, WITH_PROVIDERS } from '../../support/providers/company-provider.ts'
import { startTestProvider } from '../../support/providers/test-provider.ts'
import { startService, type TestCompany } from '../../support/service.ts'

/* Each way in and out is exactly one event of the user. */

const service = await startService(t, WITH_PROVIDERS)
const idp = await startTestProvider(t)
let made = 0

/** A company of its own, and what happens to the sessions of a user in it. */
async function open(role: 'admin' | 'auditor' | 'member' = 'member') {
  const company = await service.makeCompany(`Company ${(made += 1)}`)
  const user = company[role]
  return { company, user, ...of(company, user) }
}
function of(company: TestCompany, user: AddedUser) {
  const signIn = () => signInByPassword(service, user, company.id)
  const manage = (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) =>
    service.manage(method, path, body, company.admin.token)
  let told = 0
  /** What has become of the user's sessions since the last question. */
  const news = async () => {
    const all = await signInsOf(service, { companyId: company.id, userId: user.user_id })
    const fresh = all.slice(told)
    told = all.length
    return fresh
  }
  return { signIn, manage, news }
}
const sessionOn = ({ text }: { text: string }) => /name="session" value="([0-9a-f]+)"/.exec(text)![1]!
const seenOn = ({ text }: { text: string }) => /name="seen" value="(\d+)"/.exec(text)![1]!
const signOut = (visitor: Visitor) => visitor.visit('/sign-out', {})

let isOver = false
t.teardown(() => {
  isOver = true
})
t.afterEach(async () => {
  // The hook outlives this file in a group of files.
  if (isOver) return
  const { rows } = await service.pool.query('select 1 from session_events')
  if (rows.length > 0) throw new Error('events wait for the ledger')
})

await t.test('signing in with a password, and signing out', async (t) => {
  const { company, user, signIn, news } = await open()
  const visitor = await signIn()
  t.strictSame(await news(), ['UserSignedIn password'])
  await signOut(visitor)
  t.strictSame(await news(), ['UserSignedOut'])
  await signOut(visitor)
  t.strictSame(await news(), [], 'a session that has ended ends once')
  const events = await streamOf(service, user.user_id, company.id)
  for (const [at, event] of events.entries()) t.equal(event.version, at + 1)
  for (const event of events.slice(-2)) {
    t.equal(event.actor, user.user_id)
    const { at } = event.data as { at: string }
    t.ok(at <= event.recorded_at, 'the time is that of the sign-in')
  }
  t.strictSame(await ledgerFaults(service.db, company.id), [])
})

await t.test('signing in with a passkey, and with a recovery code', async (t) => {
  const { company, user, signIn, news } = await open()
  const visitor = await signIn()
  const { authenticator, codes } = await addPasskey(visitor, user.password)
  await news()
  t.equal((await tryPasskey(openVisitor(service), authenticator)).status, 303)
  t.strictSame(await news(), ['UserSignedIn passkey'])
  const { email, password } = user
  const other = openVisitor(service)
  t.match((await other.visit('/sign-in', { email, password, company: company.id })).text, 'One more step')
  t.strictSame(await news(), [], 'the password alone is no sign-in')
  await other.visit('/sign-in/recovery-code', { code: codes[0]! })
  t.strictSame(await news(), ['UserSignedIn recovery_code'])
})

await t.test('signing in at the identity provider, which ends the session later', async (t) => {
  const { company, providerId } = await makeCompanyWithProvider(service, idp)
  const { news } = of(company, company.member)
  const sub = `member of ${company.id}`
  idp.accounts = [{ sub, email: company.member.email, email_verified: true }]
  idp.signsIn = sub
  await enter(service, company)
  t.strictSame(await news(), ['UserSignedIn provider'])
  await idp.endSessions(sub)
  t.strictSame(await news(), ['UserSessionsEnded ended_at_provider 1'])
  const last = (await streamOf(service, company.member.user_id, company.id)).at(-1)
  t.equal(last?.actor, providerId)
})

await t.test('signing in again in the same browser', async (t) => {
  const { company, user, signIn, news } = await open()
  const visitor = await signIn()
  const { email, password } = user
  await visitor.visit('/sign-in', { email, password, company: company.id })
  t.strictSame(await news(), ['UserSignedIn password', 'UserSignedIn password', 'UserSessionsEnded signed_in_again 1'])
})

await t.test('a user ends one other session, all others, and all', async (t) => {
  const { signIn, news } = await open()
  const visitor = await signIn()
  await signIn()
  await news()
  const session = sessionOn(await visitor.visit('/account'))
  await visitor.visit('/account/sessions', { session })
  t.strictSame(await news(), ['UserSessionsEnded ended_by_user 1'])
  await visitor.visit('/account/sessions', { session })
  await visitor.visit('/account/sessions', { end: 'others' })
  t.strictSame(await news(), [], 'where nothing ends, nothing is told')
  await signIn()
  await signIn()
  await news()
  await visitor.visit('/account/sessions', { end: 'others' })
  t.strictSame(await news(), ['UserSessionsEnded ended_by_user 2'])
  await visitor.visit('/account/sessions', { end: 'all' })
  t.strictSame(await news(), ['UserSessionsEnded ended_by_user 1'])
})

await t.test('changing the password ends the other sessions, and is no sign-in', async (t) => {
  const { user, signIn, news } = await open()
  const [visitor] = [await signIn(), await signIn()]
  await news()
  const password = 'another long password'
  const form = { current: user.password, password, repeated: password }
  t.match(await visitor.visit('/account/password', form), { status: 303, location: /done=password/ })
  t.ok(await visitor.isIn())
  t.strictSame(await news(), ['UserSessionsEnded password_set 1'])
})

await t.test('an administrator resets the password, or removes the user', async (t) => {
  const { company, user, signIn, manage, news } = await open()
  await signIn()
  await signIn()
  await news()
  const { body } = await manage('POST', `/users/${user.user_id}/reset-password`)
  t.strictSame(await news(), ['UserSessionsEnded password_reset 2'])
  const last = (await streamOf(service, user.user_id, company.id)).at(-1)
  t.equal(last?.actor, company.admin.user_id)
  const password = 'another long password'
  await service.manage('POST', '/invitations/accept', { token: body.invitation.token, password }, null)
  await signInByPassword(service, { email: user.email, password }, company.id)
  await news()
  await manage('DELETE', `/users/${user.user_id}`)
  t.strictSame(await news(), ['UserSessionsEnded user_removed 1'])
  t.strictSame(await ledgerFaults(service.db, company.id), [])
})

await t.test('removing a passkey ends the sessions that began with one', async (t) => {
  const { user, signIn, news } = await open()
  const visitor = await signIn()
  const { authenticator } = await addPasskey(visitor, user.password)
  await tryPasskey(openVisitor(service), authenticator)
  await news()
  const page = (await visitor.visit('/account')).text
  const path = /href="(\/account\/passkeys\/psk_\w+\/remove)"/.exec(page)![1]!
  const seen = seenOn(await visitor.visit(path))
  t.equal((await visitor.visit(path, { seen, current: user.password })).status, 303)
  t.strictSame(await news(), ['UserSessionsEnded passkey_removed 1'])
})

await t.test('unlinking a user, turning a provider off, and requiring it', async (t) => {
  const { company } = await makeCompanyWithProvider(service, idp)
  const { admin, auditor, member } = company
  const [ofMember, ofAuditor] = [of(company, member), of(company, auditor)]
  const page = await signInByPassword(service, admin, company.id)
  const arrive = async (user: AddedUser) => {
    const sub = `${user.user_id} of ${company.id}`
    idp.accounts = [{ sub, email: user.email, email_verified: true }]
    idp.signsIn = sub
    await enter(service, company)
  }
  await arrive(member)
  await ofMember.news()
  await page.visit(`/settings/users/${member.user_id}/unlink`, {})
  t.strictSame(await ofMember.news(), ['UserSessionsEnded identity_unlinked 1'])
  await arrive(admin)
  await arrive(auditor)
  await ofMember.signIn()
  await Promise.all([ofMember.news(), ofAuditor.news()])
  const use = async (path: string, form: Record<string, string> = {}) => {
    const seen = seenOn(await page.visit('/settings/sign-in'))
    const answer = await page.visit(`/settings/sign-in/use/${path}`, { seen, ...form })
    t.equal(answer.status, 303, answer.text)
  }
  await use('required', { break_glass: admin.user_id })
  t.strictSame(await ofMember.news(), ['UserSessionsEnded provider_required 1'])
  t.strictSame(await ofAuditor.news(), [])
  await use('off')
  t.strictSame(await ofAuditor.news(), ['UserSessionsEnded provider_off 1'])
})

await t.test('a token is no sign-in', async (t) => {
  const { company, news } = await open('admin')
  await service.admin('/users', company.admin.token)
  t.strictSame(await news(), [])
})

await t.test('a form that was opened before a sign-in can still be sent', async (t) => {
  const { user, signIn, company } = await open()
  const admin = await signInByPassword(service, company.admin, company.id)
  const path = `/settings/users/${user.user_id}/reset-password`
  const seen = seenOn(await admin.visit(path))
  await signOut(await signIn())
  const answer = await admin.visit(path, { seen })
  t.match(answer, { status: 200, text: /Password reset/ })
  t.equal((await admin.visit(path, { seen })).text, answer.text, 'sent once more, it shows the same link')
})
