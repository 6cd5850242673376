import t from 'tap'
import { toUuid } from '../../../src/domain/ids.ts'
import { signInByPassword } from '../../support/http/passkeys.ts'
import { openVisitor } from '../../support/http/visitor.ts'
import { isSignIn, streamOf } from '../../support/ledger/company-events.ts'
import {
  comeBack,
  enter,
  goToProvider,
  makeCompanyWithProvider,
  turn,
  type Wanted,
  WITH_PROVIDERS,
} from '../../support/providers/company-provider.ts'
import { startTestProvider } from '../../support/providers/test-provider.ts'
import { startService } from '../../support/service.ts'

/* One-time links of users whose company has a provider that does not say that an email is verified. */

const service = await startService(t, WITH_PROVIDERS)
const idp = await startTestProvider(t)
const openCompany = async (settings?: Wanted) => {
  const { company } = await makeCompanyWithProvider(service, idp, settings)
  const manage = (method: 'POST', path: string, body?: unknown) =>
    service.manage(method, path, body, company.admin.token)
  const invite = async (email: string) => {
    const { body } = await manage('POST', '/users', { email, name: 'New', role: 'member' })
    return { userId: body.id as string, email, token: body.invitation.token as string }
  }
  const goWith = async (token: string) => {
    const visitor = openVisitor(service)
    const page = await visitor.visit(`/invitation?token=${token}`)
    t.match(page.text, `href="/sign-in/${company.id}/start?link=1"`)
    const path = await goToProvider(visitor, company, { query: '?link=1' })
    return { visitor, path, comeBack: () => comeBack(visitor, path) }
  }
  const typesOf = async (userId: string) => {
    const events = await streamOf(service, userId, company.id)
    return events.filter((event) => !isSignIn(event)).map(({ type }) => type)
  }
  return { company, manage, invite, goWith, typesOf }
}
const arriveAs = (sub: string, more = {}) => {
  idp.accounts = [{ sub, email: `${sub}@elsewhere.example`, ...more }]
  idp.signsIn = sub
}

await t.test('a one-time link lets a new user in where the provider is required, once', async (t) => {
  const roles = [{ value: 'auditors', role: 'auditor' }] as const
  const { company, invite, goWith, typesOf } = await openCompany({ use: 'required', role_claim: 'groups', roles })
  const { userId, email, token } = await invite('new@example.com')
  arriveAs('new', { groups: ['auditors'] })
  t.match((await enter(service, company)).answer, { status: 403, text: /not verified/ })
  const [first, second, other] = [await goWith(token), await goWith(token), await goWith(token)]
  for (const cookie of first.visitor.cookies.values()) t.notMatch(cookie, token)
  t.match(await first.comeBack(), { status: 303, location: '/' })
  t.match((await first.visitor.visit('/account')).text, email)
  t.equal((await second.comeBack()).status, 303, 'the same account in a second tab is a sign-in')
  t.strictSame(await typesOf(userId), ['UserInvited', 'UserIdentityLinked', 'UserRoleChanged'])

  arriveAs('mallory')
  const begun = await comeBack(other.visitor, await goToProvider(other.visitor, company, { query: '?link=1' }))
  t.match(begun, { status: 403, text: /link no longer works/ })
  t.notOk(await other.visitor.isIn())
  t.notMatch((await openVisitor(service).visit(`/invitation?token=${token}`)).text, '/start?link=1')
  arriveAs('new')
  t.equal((await enter(service, company)).answer.status, 303, 'later the account is enough')
})

await t.test('a one-time link that has expired, was replaced, or is of someone removed links nobody', async (t) => {
  const { company, manage, invite, goWith, typesOf } = await openCompany({ use: 'required' })
  const expired = await invite('expired@example.com')
  const replaced = await invite('replaced@example.com')
  const removed = await invite('removed@example.com')
  arriveAs('late')
  const arrivals = [await goWith(expired.token), await goWith(replaced.token)]
  const ofRemoved = await goWith(removed.token)
  await service.pool.query('update users set link_expires_at = now() where company_id = $1 and user_id = $2', [
    toUuid(company.id),
    toUuid(expired.userId),
  ])
  await manage('POST', `/users/${replaced.userId}/reset-password`)
  await service.manage('DELETE', `/users/${removed.userId}`, undefined, company.admin.token)
  t.match(await ofRemoved.comeBack(), { status: 403, text: /no longer a user/ })
  for (const arrival of arrivals) {
    t.match(await arrival.comeBack(), { status: 403, text: /link no longer works/ })
    t.notOk(await arrival.visitor.isIn())
  }
  t.notOk((await typesOf(expired.userId)).includes('UserIdentityLinked'))
})

await t.test('a one-time link does not take the account of another user', async (t) => {
  const { company, invite, goWith } = await openCompany({ use: 'required' })
  arriveAs('owner', { email: company.member.email, email_verified: true })
  t.equal((await enter(service, company)).answer.status, 303)
  const { token } = await invite('second@example.com')
  const arrival = await goWith(token)
  t.match(await arrival.comeBack(), { status: 403, text: /Another user is linked/ })
  t.notOk(await arrival.visitor.isIn())
  arriveAs('own')
  t.equal((await (await goWith(token)).comeBack()).status, 303, 'and still works for one of their own')
})

await t.test('signing in through the provider ends a one-time link', async (t) => {
  const { invite, company } = await openCompany()
  const { email, token } = await invite('verified@example.com')
  arriveAs('verified', { email, email_verified: true })
  t.equal((await enter(service, company)).answer.status, 303)
  const password = 'a long enough password'
  t.equal((await service.manage('POST', '/invitations/accept', { token, password }, null)).status, 401)
})

await t.test('a password reset unlinks the account at the provider', async (t) => {
  const { company, manage, typesOf } = await openCompany()
  const { member } = company
  arriveAs('member', { email: member.email, email_verified: true })
  const { visitor } = await enter(service, company)
  const admin = await signInByPassword(service, company.admin, company.id)
  t.match((await admin.visit(`/settings/users/${member.user_id}/reset-password`)).text, /link to the account/)
  t.equal((await manage('POST', `/users/${member.user_id}/reset-password`)).status, 200)
  t.notOk(await visitor.isIn())
  t.strictSame((await typesOf(member.user_id)).slice(-2), ['UserPasswordReset', 'UserIdentityUnlinked'])
  arriveAs('member')
  t.match((await enter(service, company)).answer, { status: 403, text: /not verified/ })
  await turn(service, company, 'required')
  t.match((await enter(service, company)).answer, { status: 403, text: /not verified/ })
})
