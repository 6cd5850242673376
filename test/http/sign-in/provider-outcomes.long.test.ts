import t from 'tap'
import { toUuid } from '../../../src/domain/ids.ts'
import { openVisitor } from '../../support/http/visitor.ts'
import { isSignIn, readEvents } from '../../support/ledger/company-events.ts'
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

/* Who a person of the provider is here, with a real provider. */

const service = await startService(t, WITH_PROVIDERS)
const idp = await startTestProvider(t)
const openCompany = async (settings?: Wanted) => {
  const { company, providerId } = await makeCompanyWithProvider(service, idp, settings)
  const eventsSince = await readEvents(service.db, company.id)
  const newEvents = async () => {
    const events = await readEvents(service.db, company.id)
    return events.slice(eventsSince.length).filter((event) => !isSignIn(event))
  }
  return { company, providerId, newEvents }
}
const asAdmin = { sub: 'sub-of-admin', email: 'Admin@Example.com', email_verified: true, name: 'Ada' }
const stranger = { sub: 'sub-of-nora', email: 'nora@example.com', email_verified: true, name: 'Nora Núñez' }
const person = (account: (typeof idp.accounts)[number]) => {
  idp.accounts = [account]
  idp.signsIn = account.sub
}

await t.test('a verified email links a user once; after that the account counts, whatever its email', async (t) => {
  const { company, providerId, newEvents } = await openCompany()
  person(asAdmin)
  const { visitor, answer } = await enter(service, company)
  t.match(answer, { status: 303, location: '/' })
  t.ok(await visitor.isIn())
  const account = { issuer: idp.issuer, subject: asAdmin.sub }
  t.match(await newEvents(), [
    { type: 'UserIdentityLinked', stream: company.admin.user_id, actor: providerId, data: account },
  ])
  person({ sub: asAdmin.sub, email: company.member.email, email_verified: true })
  const again = await enter(service, company)
  t.match((await again.visitor.visit('/account')).text, company.admin.email)
  t.equal((await newEvents()).length, 1)
})

await t.test(
  'a stranger becomes a user only if the company wants that, with the name and role of the claims',
  async (t) => {
    person({ ...stranger, groups: ['staff', 'auditors'] })
    const closed = await openCompany()
    const refused = await enter(service, closed.company)
    t.match(refused.answer, { status: 403, text: /You are not a user yet/ })
    t.match(refused.answer.text, 'nora@example.com')
    t.notOk(await refused.visitor.isIn())
    t.strictSame(await closed.newEvents(), [])

    const roles = [{ value: 'auditors', role: 'auditor' }] as const
    const open = await openCompany({ creates_users: true, role_claim: 'groups', roles })
    const { visitor, answer } = await enter(service, open.company)
    t.equal(answer.status, 303)
    t.match((await visitor.visit('/account')).text, /Nora Núñez[^]*nora@example\.com[^]*auditor/)
    t.match(await open.newEvents(), [
      {
        type: 'UserInvited',
        actor: open.providerId,
        data: { email: 'nora@example.com', name: 'Nora Núñez', role: 'auditor' },
      },
      { type: 'UserIdentityLinked', actor: open.providerId },
    ])
    const { body } = await service.manage('GET', '/users?status=active', undefined, open.company.admin.token)
    t.ok(body.items.some(({ email }: { email: string }) => email === 'nora@example.com'))
  },
)

await t.test('an email that is not verified takes over nobody, and creates nobody', async (t) => {
  const { company, newEvents } = await openCompany({ creates_users: true })
  for (const verified of [{ email_verified: false }, {}]) {
    for (const email of [company.admin.email, 'mallory@example.com']) {
      person({ sub: 'mallory', email, ...verified })
      t.match((await enter(service, company)).answer, { status: 403, text: /not verified/ })
    }
  }
  person({ sub: 'mallory' })
  t.match((await enter(service, company)).answer, { status: 403, text: /did not say who you are/ })
  t.strictSame(await newEvents(), [])
})

await t.test('an email that the provider calls verified in a text, as Amazon Cognito does, is verified', async (t) => {
  const { company } = await openCompany({ creates_users: true })
  person({ sub: 'of-cognito', email: 'cognito@example.com', email_verified: 'false' })
  t.match((await enter(service, company)).answer, { status: 403, text: /not verified/ })
  person({ sub: 'of-cognito', email: 'cognito@example.com', email_verified: 'true' })
  t.equal((await enter(service, company)).answer.status, 303)
})

await t.test(
  'an email that only looks like that of a user, or is found like it, links and creates nobody',
  async (t) => {
    const { company, newEvents } = await openCompany({ creates_users: true })
    const [local, domain] = company.member.email.split('@') as [string, string]
    const wide = (text: string) =>
      text.replace(/[a-z]/g, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0))
    const found = [
      `${wide(local)}@${domain}`,
      `${local}@${wide(domain)}`,
      `${local}\uff20${domain}`,
      `\u212Aim@${domain}`,
    ]
    for (const email of [...found, `jos\u00c9@${domain}`, `jose\u0301@${domain}`]) {
      person({ sub: 'mallory', email, email_verified: true })
      const { visitor, answer } = await enter(service, company)
      t.match(answer, { status: 403, text: /spelled differently from the one here/ }, JSON.stringify(email))
      t.notOk(await visitor.isIn())
    }
    t.strictSame(await newEvents(), [])
    person({ sub: 'mira', email: company.member.email.toUpperCase(), email_verified: true })
    t.equal((await enter(service, company)).answer.status, 303, 'the case of A to Z makes no difference')
  },
)

await t.test('a verified email does not take over a user who is linked to another account', async (t) => {
  const { company, newEvents } = await openCompany({ creates_users: true })
  person(asAdmin)
  await enter(service, company)
  person({ ...asAdmin, sub: 'mallory' })
  t.match((await enter(service, company)).answer, { status: 403, text: /linked to another account/ })
  t.equal((await newEvents()).length, 1)
})

await t.test('whoever was removed stays out, until an administrator invites them again', async (t) => {
  const { company } = await openCompany({ creates_users: true })
  person({ ...stranger, email: company.member.email })
  const { visitor } = await enter(service, company)
  t.ok(await visitor.isIn())
  const manage = (method: 'POST' | 'DELETE', path: string, body?: unknown) =>
    service.manage(method, path, body, company.admin.token)
  await manage('DELETE', `/users/${company.member.user_id}`)
  t.notOk(await visitor.isIn(), 'the removal ends sessions at once')
  t.match((await enter(service, company)).answer, { status: 403, text: /no longer a user/ })
  await manage('POST', '/users', { email: company.member.email, name: 'Again', role: 'member' })
  const back = await enter(service, company)
  t.equal(back.answer.status, 303)
  t.match((await back.visitor.visit('/account')).text, 'Again')
})

await t.test('claims change roles at each sign-in, but not that of the last administrator', async (t) => {
  const roles = [{ value: 'owners', role: 'admin' }] as const
  const { company, providerId, newEvents } = await openCompany({ role_claim: 'groups', roles })
  const asMember = { sub: 'sub-of-member', email: company.member.email, email_verified: true }
  person({ ...asMember, groups: 'owners' })
  const { visitor } = await enter(service, company)
  t.equal((await visitor.visit('/settings/users')).status, 200)
  person({ ...asMember, groups: [] })
  await enter(service, company)
  t.equal((await visitor.visit('/settings/users')).status, 403, 'other sessions lose the right at once')
  person({ ...asAdmin, groups: [] })
  const last = await enter(service, company)
  t.equal((await last.visitor.visit('/settings/users')).status, 200)
  t.match(
    (await newEvents()).filter(({ type }) => type === 'UserRoleChanged'),
    [
      { actor: providerId, stream: company.member.user_id, data: { from: 'member', to: 'admin' } },
      { actor: providerId, stream: company.member.user_id, data: { from: 'admin', to: 'member' } },
    ],
  )
})

await t.test('two tabs that come back at once make one user and one link', async (t) => {
  const { company, newEvents } = await openCompany({ creates_users: true })
  person(stranger)
  const visitors = [openVisitor(service), openVisitor(service), openVisitor(service)]
  const paths = await Promise.all(visitors.map((visitor) => goToProvider(visitor, company)))
  const answers = await Promise.all(visitors.map((visitor, at) => comeBack(visitor, paths[at]!)))
  t.strictSame(
    answers.map(({ status }) => status),
    [303, 303, 303],
  )
  t.strictSame(
    (await newEvents()).map(({ type }) => type),
    ['UserInvited', 'UserIdentityLinked'],
  )
  for (const visitor of visitors) t.ok(await visitor.isIn())
})

await t.test('the email of a linked user leads to the provider, and all others to the password', async (t) => {
  const { company } = await openCompany()
  const email = `only.${company.id}@example.com`
  await service.manage('POST', '/users', { email, name: 'O', role: 'member' }, company.admin.token)
  person({ sub: 'only', email, email_verified: true })
  t.equal((await enter(service, company)).answer.status, 303)
  const visitor = openVisitor(service)
  const page = `/sign-in/${company.id}`
  t.match(await visitor.visit('/sign-in', { email: ` ${email.toUpperCase()}`, next: '/account/tokens' }), {
    status: 303,
    location: page,
  })
  const shown = await visitor.visit(page)
  t.match(shown.text, `href="${page}/start"`)
  t.notMatch(shown.text, company.name)
  t.notMatch(shown.text, email)
  const { location } = await visitor.visit(`${page}/start`)
  t.equal(new URL(location!).searchParams.get('login_hint'), email)
  const path = await goToProvider(visitor, company)
  t.equal((await comeBack(visitor, path)).location, '/account/tokens', 'and afterwards to the page that was asked for')

  const asked = [await openVisitor(service).visit('/sign-in', { email: 'nobody@example.com' })]
  await turn(service, company, 'off')
  asked.push(await openVisitor(service).visit('/sign-in', { email }))
  const texts = asked.map(({ text }) => text.replaceAll(email, '').replaceAll('nobody@example.com', ''))
  t.match(asked, [{ status: 200 }, { status: 200 }])
  t.match(texts[0], 'type="password"')
  t.equal(texts[0], texts[1])
})

await t.test('a company without a provider answers like one that does not exist', async (t) => {
  const off = await openCompany({ use: 'off' })
  const none = await service.makeCompany('None')
  for (const end of ['', '/start', '/callback?code=x&state=y']) {
    const answers = await Promise.all(
      [off.company.id, none.id, 'com_01h455vb4pex5vsknk084sn02q', 'x'].map((id) =>
        openVisitor(service).visit(`/sign-in/${id}${end}`),
      ),
    )
    const bytes = answers.map(({ status, text }) => `${status} ${text.replaceAll(/Request: .*|Time: .*/g, '')}`)
    t.equal(new Set(bytes).size, 1, end)
    t.match(answers[0], { status: end.startsWith('/callback') ? 400 : 404, cookie: null })
  }
})

await t.test('settings that change while someone is at the provider send them back to the start', async (t) => {
  const { company, newEvents } = await openCompany()
  person(asAdmin)
  const visitor = openVisitor(service)
  const path = await goToProvider(visitor, company)
  await service.pool.query('update identity_providers set version = version + 1 where company_id = $1', [
    toUuid(company.id),
  ])
  t.match(await comeBack(visitor, path), { status: 409, text: /Something was changed/ })
  t.notOk(await visitor.isIn())
  const off = openVisitor(service)
  const late = await goToProvider(off, company)
  await turn(service, company, 'off')
  t.match(await comeBack(off, late), { status: 403, text: /is off/ })
  t.strictSame(await newEvents(), [])
})
