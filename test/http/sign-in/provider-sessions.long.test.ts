import t from 'tap'
import { changeProvider } from '../../../src/accounts/providers/providers.ts'
import { newId } from '../../../src/ledger/new-id.ts'
import { toUuid } from '../../../src/domain/ids.ts'
import { signInByPassword } from '../../support/http/passkeys.ts'
import { browse } from '../../support/http/sessions.ts'
import { openVisitor, type Visitor } from '../../support/http/visitor.ts'
import { countHashes } from '../../support/ledger/counted-hashes.ts'
import { streamOf } from '../../support/ledger/company-events.ts'
import {
  comeBack,
  enter,
  goToProvider,
  makeCompanyWithProvider,
  turn,
  type Wanted,
  WITH_PROVIDERS,
  linkUser,
} from '../../support/providers/company-provider.ts'
import { startTestProvider } from '../../support/providers/test-provider.ts'
import { captureLogoutToken } from '../../support/providers/captured-logout.ts'
import { startService } from '../../support/service.ts'

/* What a required provider stops, and how sessions that began at a provider end. */

const service = await startService(t, WITH_PROVIDERS)
const idp = await startTestProvider(t)
const openCompany = async (settings?: Wanted) => {
  const { company } = await makeCompanyWithProvider(service, idp, settings)
  const person = (role: 'admin' | 'auditor' | 'member') => {
    const sub = `${role} of ${company.id}`
    idp.accounts = [{ sub, email: company[role].email, email_verified: true }]
    idp.signsIn = sub
    return sub
  }
  const manage = (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) =>
    service.manage(method, path, body, company.admin.token)
  return { company, person, manage }
}
const seenOn = (text: string) => /name="seen" value="(\d+)"/.exec(text)![1]!

await t.test(
  'a required provider ends password sessions at once, and refuses passwords at the same cost',
  async (t) => {
    const { company, person } = await openCompany()
    const byPassword = await signInByPassword(service, company.auditor, company.id)
    const breakGlass = await signInByPassword(service, company.admin, company.id)
    person('auditor')
    const { visitor } = await enter(service, company)
    await turn(service, company, 'required')
    t.strictSame([await byPassword.isIn(), await breakGlass.isIn(), await visitor.isIn()], [false, true, true])
    const hashes = countHashes(t)
    const { email, password } = company.auditor
    const refused = await openVisitor(service).visit('/sign-in', { email, password, company: company.id })
    t.match(refused, { status: 401, text: /The email or password is incorrect/ })
    t.strictSame(hashes().length, 1)
    t.ok(await (await signInByPassword(service, company.admin, company.id)).isIn())
    await turn(service, company, 'optional')
    t.ok(await (await signInByPassword(service, company.auditor, company.id)).isIn())
  },
)

await t.test('sessions that a required provider ended do not come back', async (t) => {
  const { company, person, manage } = await openCompany()
  const { admin, auditor } = company
  await manage('PATCH', `/users/${auditor.user_id}`, { role: 'admin' })
  person('auditor')
  const { visitor } = await enter(service, company)
  const use = (use: 'optional' | 'required', breakGlass: string | null) =>
    changeProvider(
      { pool: service.pool, newId },
      { companyId: company.id, actor: admin.user_id },
      { change: 'use', use: { use, break_glass: breakGlass } },
    )
  const ofMember = await signInByPassword(service, company.member, company.id)
  const ofAdmin = await signInByPassword(service, admin, company.id)
  await use('required', admin.user_id)
  await use('optional', null)
  t.strictSame([await ofMember.isIn(), await ofAdmin.isIn(), await visitor.isIn()], [false, true, true])
  await use('required', admin.user_id)
  await use('required', auditor.user_id)
  await use('required', admin.user_id)
  t.strictSame(
    [await ofAdmin.isIn(), await visitor.isIn()],
    [false, true],
    'nor after the administrator for emergencies',
  )
})

await t.test('the administrator for emergencies cannot be removed, demoted or reset', async (t) => {
  const { company, manage, person } = await openCompany({ use: 'required' })
  const path = `/users/${company.admin.user_id}`
  // Another administrator who can sign in, so that the rule of the last one does not apply.
  await manage('PATCH', `/users/${company.auditor.user_id}`, { role: 'admin' })
  person('auditor')
  await enter(service, company)
  const answers = [
    await manage('DELETE', path),
    await manage('PATCH', path, { role: 'member' }),
    await service.call('POST', `/admin/v1${path}/reset-password`, {
      key: null,
      headers: { authorization: `Bearer ${company.auditor.token}` },
    }),
  ]
  for (const answer of answers) t.match(answer, { status: 409, body: { code: 'break_glass_user' } })
  await turn(service, company, 'optional')
  t.equal((await manage('PATCH', path, { role: 'member' })).status, 200)
})

await t.test('only administrators who can sign in count as another one', async (t) => {
  const { company, manage, person } = await openCompany()
  const { admin, auditor } = company
  await manage('PATCH', `/users/${auditor.user_id}`, { role: 'admin' })
  await manage('POST', `/users/${auditor.user_id}/reset-password`)
  const leave = () => manage('PATCH', `/users/${admin.user_id}`, { role: 'member' })
  t.match(await leave(), { status: 409, body: { code: 'last_admin' } }, 'a link that nobody may use is no way in')
  person('auditor')
  await enter(service, company)
  await turn(service, company, 'off')
  t.match(await leave(), { status: 409, body: { code: 'last_admin' } }, 'nor is a provider that is off')
  await turn(service, company, 'optional')
  t.equal((await leave()).status, 200)
})

await t.test('one-time links lead to a required provider instead of setting a password', async (t) => {
  const { company, manage } = await openCompany({ use: 'required' })
  const { body } = await manage('POST', '/users', { email: 'new@example.com', name: 'N', role: 'member' })
  const { token } = body.invitation
  const shown = await openVisitor(service).visit(`/invitation?token=${token}`)
  t.match(shown, { status: 200, text: /No password needed[^]*new@example\.com/ })
  t.match(shown.text, `href="/sign-in/${company.id}/start?link=1"`)
  const password = 'a long enough password'
  t.match(await service.manage('POST', '/invitations/accept', { token, password }, null), {
    status: 409,
    body: { code: 'provider_required' },
  })
  await turn(service, company, 'optional')
  t.equal((await service.manage('POST', '/invitations/accept', { token, password }, null)).status, 200)
})

await t.test('a session that began at a provider ends when it is off, or has another issuer', async (t) => {
  const { company, person } = await openCompany()
  person('member')
  const { visitor } = await enter(service, company)
  await turn(service, company, 'off')
  t.notOk(await visitor.isIn())
  await turn(service, company, 'optional')
  t.ok(await visitor.isIn())
  await service.pool.query(`update identity_providers set issuer = 'https://other.example' where company_id = $1`, [
    toUuid(company.id),
  ])
  t.notOk(await visitor.isIn())
})

await t.test(
  'users link their own account without a verified email, and unlink it if they can still sign in',
  async (t) => {
    const { company } = await openCompany()
    const { member } = company
    idp.accounts = [{ sub: 'entra', email: 'alias@example.com' }]
    idp.signsIn = 'entra'
    const visitor = await signInByPassword(service, member, company.id)
    t.match((await visitor.visit('/account/provider')).text, 'Link to')
    const asked = await visitor.visit('/account/provider/link', { current: member.password })
    t.match(asked.text, `/sign-in/${company.id}/start?link=1`)
    const back = await comeBack(visitor, await goToProvider(visitor, company, { query: '?link=1' }))
    t.match(back, { status: 303, location: '/account?done=linked' })
    t.match((await streamOf(service, member.user_id, company.id)).at(-1), {
      type: 'UserIdentityLinked',
      actor: member.user_id,
    })
    const { visitor: second } = await enter(service, company)
    t.match((await second.visit('/account')).text, member.email)

    const unlink = async (who: Visitor) => {
      const seen = seenOn((await who.visit('/account/provider')).text)
      return who.visit('/account/provider/unlink', { current: member.password, seen })
    }
    await turn(service, company, 'required')
    t.match(await unlink(second), { status: 409, text: /you could not sign in/ })
    await turn(service, company, 'optional')
    t.match(await unlink(visitor), { status: 303, location: '/account?done=unlinked' })
    t.strictSame([await visitor.isIn(), await second.isIn()], [true, false])
    t.match((await enter(service, company)).answer, { status: 403, text: /not verified/ })
  },
)

await t.test('an account belongs to one user, and a user to one account; an administrator can unlink', async (t) => {
  const { company, person } = await openCompany()
  person('auditor')
  await enter(service, company)
  const link = async (user: 'auditor' | 'member') => {
    const visitor = await signInByPassword(service, company[user], company.id)
    await visitor.visit('/account/provider/link', { current: company[user].password })
    return comeBack(visitor, await goToProvider(visitor, company, { query: '?link=1' }))
  }
  t.match(await link('member'), { status: 403, text: /Another user is linked/ })
  idp.accounts = [{ sub: 'another', email: company.auditor.email, email_verified: true }]
  idp.signsIn = 'another'
  t.match(await link('auditor'), { status: 403, text: /linked to another account/ })
  const admin = await signInByPassword(service, company.admin, company.id)
  const users = `/settings/users/${company.auditor.user_id}`
  t.match((await admin.visit(users)).text, /identity provider, password/)
  t.equal((await admin.visit(`${users}/unlink`, {})).status, 303)
  t.equal((await enter(service, company)).answer.status, 303)
})

await t.test(
  'a test shows what would happen, changes nothing, and needs the same administrator throughout',
  async (t) => {
    const { company, person } = await openCompany({ use: 'off' })
    person('auditor')
    const admin = await signInByPassword(service, company.admin, company.id)
    const before = await streamOf(service, company.auditor.user_id, company.id)
    const path = await goToProvider(admin, company, { query: '?test=1' })
    const shown = await comeBack(admin, path)
    t.match(shown, { status: 200, text: /would be linked/ })
    t.match(shown.text, 'Nothing was changed')
    t.strictSame(await streamOf(service, company.auditor.user_id, company.id), before)
    idp.accounts = [{ sub: 'stranger', email: 'x@example.com', email_verified: true }]
    idp.signsIn = 'stranger'
    const refused = await comeBack(admin, await goToProvider(admin, company, { query: '?test=1' }))
    t.match(refused, { status: 200, text: /would be refused/ })

    const start = `/sign-in/${company.id}/start?test=1`
    const auditor = await signInByPassword(service, company.auditor, company.id)
    t.equal((await auditor.visit(start)).status, 403)
    t.match(await openVisitor(service).visit(start), { status: 303, location: /^\/sign-in\?/ })
    const left = await goToProvider(admin, company, { query: '?test=1' })
    await admin.visit('/sign-out', {})
    t.match(await comeBack(admin, left), { status: 409, text: /someone else/ })
  },
)

await t.test('signing out ends the session here and leads to the end of the one at the provider', async (t) => {
  const { company, person } = await openCompany()
  person('member')
  const { visitor } = await enter(service, company)
  const copy = visitor.copy()
  const out = await visitor.visit('/sign-out', {})
  t.equal(out.status, 200, 'no redirect, which the policy of pages would refuse')
  const url = new URL(/content="0; url=([^"]*)"/.exec(out.text)![1]!.replaceAll('&amp;', '&'))
  t.equal(url.origin, idp.issuer)
  t.match(url.searchParams.get('id_token_hint'), /^ey/)
  t.equal(url.searchParams.get('post_logout_redirect_uri'), `${WITH_PROVIDERS.PUBLIC_URL}/sign-in`)
  t.notOk(await copy.isIn())
  const byPassword = await signInByPassword(service, company.member, company.id)
  t.match(await byPassword.visit('/sign-out', {}), { status: 303, location: '/sign-in' })

  // An ID token that is too long to be stored.
  idp.accounts[0]!.name = 'n'.repeat(9_000)
  const { visitor: long } = await enter(service, company)
  t.match(await long.visit('/sign-out', {}), { status: 200, text: `url=${idp.issuer}` })
})

await t.test('a logout token ends sessions once, in whichever process it arrives', async (t) => {
  const { backchannelLogoutUri, token } = await captureLogoutToken(t)
  const { company, person } = await openCompany({ backchannelLogoutUri })
  const sub = person('member')
  const other = await startService(t, WITH_PROVIDERS, { urls: service.urls })
  const jar = new Map<string, string>()
  const first = openVisitor(service)
  await comeBack(first, await goToProvider(first, company, { jar }))
  await idp.endSessions(sub)
  const send = async ({ address }: { address: string }) => {
    const form = { logout_token: await token }
    return (await browse({ address }, `/sign-in/${company.id}/backchannel-logout`, { form, headers: {} })).status
  }
  t.equal(await send(service), 200)
  t.notOk(await first.isIn())
  // The clock of a provider may be behind by that much.
  const { visitor } = await enter(service, company)
  t.equal(await send(service), 200, 'a provider that got no answer may send it again')
  t.equal(await send(other), 200)
  t.ok(await visitor.isIn(), 'the session that began afterwards stays')
})

await t.test('the logout tokens of a provider fill no more than their share, and work beyond it', async (t) => {
  const { company, person } = await openCompany()
  const countTokens = async () => {
    const { rows } = await service.pool.query('select from logout_tokens where company_id = $1', [toUuid(company.id)])
    return rows.length
  }
  await service.pool.query(
    `insert into logout_tokens select $1, sha256(convert_to(n::text, 'UTF8')), now() + interval '1 hour'
     from generate_series(1, 10000) n`,
    [toUuid(company.id)],
  )
  const sub = person('member')
  const visitor = openVisitor(service)
  await comeBack(visitor, await goToProvider(visitor, company, { jar: new Map() }))
  await idp.endSessions(sub)
  t.strictSame([await visitor.isIn(), await countTokens()], [false, 10_000])
})

await t.test('back-channel logout ends the sessions of that person at the provider, and no other', async (t) => {
  const { company, person } = await openCompany()
  const sub = person('member')
  const jar = new Map<string, string>()
  const visitor = openVisitor(service)
  await comeBack(visitor, await goToProvider(visitor, company, { jar }))
  const byPassword = await signInByPassword(service, company.member, company.id)
  person('auditor')
  const { visitor: other } = await enter(service, company)
  idp.accounts.push({ sub })
  await idp.endSessions(sub)
  t.strictSame([await visitor.isIn(), await byPassword.isIn(), await other.isIn()], [false, true, true])

  const path = `/sign-in/${company.id}/backchannel-logout`
  const anyone = openVisitor(service)
  for (const form of [{}, { logout_token: 'x' }, { logout_token: 'eyJhbGciOiJub25lIn0.e30.' }]) {
    const answer = await anyone.visit(path, form, { headers: {} })
    t.match(answer, { status: 400, headers: { 'cache-control': 'no-store' } })
    t.match(JSON.parse(answer.text), { error: 'invalid_request' })
  }
})

await t.test('without its address or its key, the service says what the operator must set', async (t) => {
  const { company } = await openCompany()
  const { PUBLIC_URL: _, ...unset } = WITH_PROVIDERS
  const bare = await startService(t, unset, { urls: service.urls })
  const answer = await openVisitor(bare).visit(`/sign-in/${company.id}`)
  t.match(answer, { status: 503, text: /PUBLIC_URL/ })
  const email = `o.${company.id}@example.com`
  const { body } = await service.manage('POST', '/users', { email, name: 'O', role: 'member' }, company.admin.token)
  await linkUser(service, body.id, idp.issuer)
  t.equal((await openVisitor(bare).visit('/sign-in', { email })).status, 303)
})
