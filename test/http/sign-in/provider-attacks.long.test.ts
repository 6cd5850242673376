import t from 'tap'
import { openVisitor } from '../../support/http/visitor.ts'
import { readEvents } from '../../support/ledger/company-events.ts'
import {
  comeBack,
  enter,
  FROM_ELSEWHERE,
  giveProvider,
  goToProvider,
  WITH_PROVIDERS,
} from '../../support/providers/company-provider.ts'
import { signInByPassword } from '../../support/http/passkeys.ts'
import { startTestProvider } from '../../support/providers/test-provider.ts'
import { startService } from '../../support/service.ts'

/* What an attacker may try between this service, the provider and the browser (RFC 9700, section 4). */

const service = await startService(t, WITH_PROVIDERS)
const { company } = service
const asAdmin = { sub: 'sub-of-admin', email: company.admin.email, email_verified: true }
const mallory = { sub: 'mallory', email: company.member.email, email_verified: true }
const idp = await startTestProvider(t, { accounts: [asAdmin, mallory] })
await giveProvider(service, company, idp)
const page = `/sign-in/${company.id}`
const notBegun = { status: 400, text: /This sign-in has ended, or was started elsewhere/ }

await t.test("login CSRF: a callback without the browser's own request signs nobody in", async (t) => {
  const path = await goToProvider(openVisitor(service), company)
  const victim = openVisitor(service)
  t.match(await comeBack(victim, path), notBegun)
  t.notOk(await victim.isIn())
})

await t.test("code injection: another browser's code and state are refused", async (t) => {
  const stolen = new URL(await goToProvider(openVisitor(service), company), service.address)
  const attacker = openVisitor(service)
  const own = new URL(await goToProvider(attacker, company), service.address)
  t.match(await comeBack(attacker.copy(), stolen.pathname + stolen.search), { status: 400, text: /not valid/ })
  own.searchParams.set('code', stolen.searchParams.get('code')!)
  t.match(await comeBack(attacker, own.pathname + own.search), { status: 400, text: /did not redeem/ })
  t.notOk(await attacker.isIn())
})

await t.test('replay: a callback works once, and loading it again changes nothing', async (t) => {
  const visitor = openVisitor(service)
  const path = await goToProvider(visitor, company)
  const copy = visitor.copy()
  t.equal((await comeBack(visitor, path)).status, 303)
  const events = await readEvents(service.db, company.id)
  t.match(await comeBack(visitor, path), { status: 303, location: '/settings/bulk-user-logs', cookie: null })
  t.equal((await comeBack(copy, path)).status, 400, 'the code is used, even where the cookie was copied')
  t.notOk(await copy.isIn())
  t.match(await comeBack(openVisitor(service), path), notBegun)
  t.strictSame(await readEvents(service.db, company.id), events)
})

await t.test("mix-up: what another company's provider answers goes nowhere", async (t) => {
  const other = await service.makeCompany('Other')
  const evil = await startTestProvider(t, { accounts: [asAdmin] })
  await giveProvider(service, other, evil)
  const visitor = openVisitor(service)
  const honest = new URL(await goToProvider(visitor, company), service.address)
  const elsewhere = `/sign-in/${other.id}/callback${honest.search}`
  t.match(await comeBack(visitor.copy(), elsewhere), notBegun, 'the answer comes back at the path of another company')
  honest.searchParams.set('iss', evil.issuer)
  t.match(await comeBack(visitor, honest.pathname + honest.search), { status: 400, text: /came from another provider/ })
  t.notOk(await visitor.isIn())
  t.strictSame(
    evil.requests.filter((line) => line.includes('/token')),
    [],
    'no code reaches the other provider',
  )
})

await t.test('a session of one company is not one of another with the same provider and person', async (t) => {
  const other = await service.makeCompany('Twin')
  await giveProvider(service, other, idp)
  idp.signsIn = asAdmin.sub
  const { visitor } = await enter(service, other)
  t.match((await visitor.visit('/account')).text, 'Twin')
  t.notMatch((await visitor.visit('/account')).text, 'Acme')
})

await t.test('open redirect: only own pages follow a sign-in', async (t) => {
  idp.signsIn = asAdmin.sub
  for (const next of ['//evil.example', 'https://evil.example', '/\\evil.example', '/sign-out', '/settings\r\nx: y']) {
    const { answer } = await enter(service, company, `?next=${encodeURIComponent(next)}`)
    t.match(answer, { status: 303, location: '/' }, next)
    // The browser knows the user, and so the company.
    const { visitor } = await enter(service, company)
    visitor.cookies.delete('session')
    t.equal((await visitor.visit('/sign-in', { email: company.admin.email, next })).location, page)
    t.equal((await comeBack(visitor, await goToProvider(visitor, company))).location, '/', next)
    const shown = (await openVisitor(service).visit(`${page}?next=${encodeURIComponent(next)}`)).text
    t.notMatch(shown, 'evil.example')
  }
  const { answer } = await enter(service, company, '?next=/settings/users%3Fstatus=removed')
  t.equal(answer.location, '/settings/users?status=removed')
})

await t.test('another site can lead to the sign-in page, but not through the provider and back', async (t) => {
  const visitor = openVisitor(service)
  const answer = await visitor.visit(`${page}/start?next=/account`, undefined, { headers: FROM_ELSEWHERE })
  t.match(answer, { status: 303, location: `${page}?next=%2Faccount`, cookie: null })
  const posted = await visitor.visit('/account/provider/link', {}, { headers: FROM_ELSEWHERE })
  t.equal(posted.status, 403)
})

await t.test('linking: neither a link nor an old request links an account to whoever is signed in', async (t) => {
  const victim = await signInByPassword(service, company.auditor)
  idp.signsIn = mallory.sub
  t.equal((await victim.visit('/account/provider/link', { current: 'a wrong password' })).status, 422)
  const forced = await comeBack(victim, await goToProvider(victim, company, { query: '?link=1' }))
  t.equal(forced.status, 303, 'a link alone begins an ordinary sign-in')
  t.match((await victim.visit('/account')).text, company.member.email)

  const next = await signInByPassword(service, company.auditor)
  t.equal((await next.visit('/account/provider/link', { current: company.auditor.password })).status, 200)
  const path = await goToProvider(next, company, { query: '?link=1' })
  await next.visit('/sign-out', {})
  t.match(await comeBack(next, path), { status: 409, text: /signed in as someone else/ })
  const events = await readEvents(service.db, company.id)
  t.notOk(events.some(({ type, stream }) => type === 'UserIdentityLinked' && stream === company.auditor.user_id))
})

await t.test('failures say what to tell the IT, and no secrets', async (t) => {
  const visitor = openVisitor(service)
  const path = await goToProvider(visitor, company)
  const { text } = await comeBack(visitor, path.replace('code=', 'code=x'))
  t.match(text, /Reason: invalid_response/)
  t.match(text, /Request: [0-9a-f-]{36}/)
  t.match(text, /Time: \d{4}-\d\d-\d\dT/)
  t.match(text, `Company: ${company.id}`)
  for (const secret of ['the secret of the client', new URL(path, service.address).searchParams.get('code')!])
    t.notMatch(text, secret)
})

await t.test('a provider that refuses, or is down when someone comes back, gets a page of its own', async (t) => {
  const refusing = await startTestProvider(t, { accounts: [asAdmin], signsIn: 'nobody' })
  const one = await service.makeCompany('Refusing')
  await giveProvider(service, one, refusing)
  t.match((await enter(service, one)).answer, { status: 403, text: /did not let you in/ })

  const down = await startTestProvider(t, { accounts: [asAdmin] })
  const two = await service.makeCompany('Down')
  await giveProvider(service, two, down)
  const visitor = openVisitor(service)
  const path = await goToProvider(visitor, two)
  await down.stop()
  t.match(await comeBack(visitor, path), { status: 502, text: /did not answer/ })
  t.notOk(await visitor.isIn())
})

await t.test('guessed answers of a provider are limited by network, and nobody else is kept out', async (t) => {
  const limited = await startService(t, { ...WITH_PROVIDERS, SIGN_IN_ADDRESS_LIMIT: '3' })
  await giveProvider(limited, limited.company, idp)
  idp.signsIn = asAdmin.sub
  const callback = `/sign-in/${limited.company.id}/callback?code=x&state=wrong`
  const statuses: number[] = []
  const visitors = Array.from({ length: 4 }, () => openVisitor(limited))
  for (const visitor of visitors) await goToProvider(visitor, limited.company)
  for (const visitor of visitors) statuses.push((await comeBack(visitor, callback)).status)
  t.strictSame(statuses, [400, 400, 400, 429])
  const visitor = openVisitor(limited)
  const from = { from: '127.0.0.2' }
  const { location } = await visitor.visit(`/sign-in/${limited.company.id}/start`, undefined, from)
  t.match(location, idp.issuer)
})
