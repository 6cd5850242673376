import t from 'tap'
import { registerCompany } from '../../../src/accounts/companies/companies.ts'
import { toUuid } from '../../../src/domain/ids.ts'
import { newId } from '../../../src/ledger/new-id.ts'
import { addPasskey, ORIGIN, tryPasskey } from '../../support/http/passkeys.ts'
import { OWN_PAGE } from '../../support/http/sessions.ts'
import { openVisitor, type Visitor } from '../../support/http/visitor.ts'
import { startService, type Service, type TestCompany } from '../../support/service.ts'

/* A browser that someone has signed in from: the failed sign-ins of others don't keep this person out. */

const LIMIT = 1
const SETTINGS = { TRUST_PROXY: '127.0.0.1', SIGN_IN_LIMIT: String(LIMIT), SIGN_IN_ADDRESS_LIMIT: '5' }
const HOME = '203.0.113.1'
const NAME = 'known-browser'
const LONG = 'a password that is long enough'

type Person = TestCompany['admin']

/** Sends the sign-in form from an address. */
const trying = (visitor: Visitor, { email }: Pick<Person, 'email'>, password: string, from = HOME) =>
  visitor.visit('/sign-in', { email, password }, { headers: { ...OWN_PAGE, 'x-forwarded-for': from } })

/** Opens a browser from which a user has signed in, and signs out. */
async function openKnown(service: Service, user: Person): Promise<Visitor> {
  const visitor = openVisitor(service)
  t.equal((await trying(visitor, user, user.password)).status, 303)
  await visitor.visit('/sign-out', {})
  return visitor
}

/** Lets somebody guess until the person is locked out everywhere. */
async function lockOut(service: Service, person: Pick<Person, 'email'>): Promise<void> {
  for (let at = 0; at < 10 * LIMIT; at += 1)
    t.equal((await trying(openVisitor(service), person, `guess ${at}`, `198.51.${at % 10}.7`)).status, 401)
  t.equal((await trying(openVisitor(service), person, 'guess', '198.51.99.7')).status, 429)
}

/** Lets somebody use up what a network may fail. */
async function lockNetwork(service: Service): Promise<void> {
  for (let at = 0; at < 5; at += 1)
    t.equal((await trying(openVisitor(service), { email: `nobody.${at}@example.com` }, 'guess')).status, 401)
}

await t.test('guesses from everywhere keep a person out of new browsers only', async (t) => {
  const service = await startService(t, SETTINGS)
  const { admin, member } = service.company
  const known = await openKnown(service, admin)
  const others = await openKnown(service, member)
  await lockOut(service, admin)
  t.equal((await trying(openVisitor(service), admin, admin.password)).status, 429, 'a new browser')
  t.equal((await trying(others, admin, admin.password)).status, 429, "somebody else's browser")
  t.equal((await trying(known, admin, admin.password)).status, 303)
  t.ok(await known.isIn())
})

await t.test('failures of others in the network keep nobody out of a known browser', async (t) => {
  const service = await startService(t, { ...SETTINGS, PUBLIC_URL: ORIGIN, TRUST_PROXY: '127.0.0.1' })
  const { admin, member } = service.company
  const known = await openKnown(service, admin)
  await trying(known, admin, admin.password)
  const { authenticator, codes } = await addPasskey(known, admin.password)
  await known.visit('/sign-out', {})
  const signedIn = openVisitor(service)
  t.equal((await trying(signedIn, member, member.password)).status, 303)
  await lockNetwork(service)
  const headers = { ...OWN_PAGE, 'x-forwarded-for': HOME }
  t.equal((await trying(openVisitor(service), member, member.password)).status, 429)
  t.match(await trying(known, admin, admin.password), { status: 200, text: /One more step/ })
  t.equal((await known.visit('/sign-in/recovery-code', { code: codes[0]! }, { headers })).status, 303)
  const withPasskey = known.copy()
  t.equal((await tryPasskey(withPasskey, authenticator)).status, 303)
  const change = { current: member.password, password: LONG, repeated: LONG }
  t.equal((await signedIn.visit('/account/password', change, { headers })).status, 303, 'in a session')
})

await t.test('a known browser has a small number of tries of its own', async (t) => {
  const service = await startService(t, SETTINGS)
  const { admin, auditor } = service.company
  const known = await openKnown(service, admin)
  const another = await openKnown(service, admin)
  await lockOut(service, admin)
  const statuses: number[] = []
  for (let at = 0; at < LIMIT + 1; at += 1) statuses.push((await trying(known.copy(), admin, `guess ${at}`)).status)
  t.strictSame(statuses, [401, 429])
  t.equal((await trying(known, admin, admin.password)).status, 429)
  t.equal((await trying(another, admin, admin.password)).status, 303, 'another browser of the same person')
  t.equal((await trying(openVisitor(service), auditor, auditor.password)).status, 303, 'another person')
})

await t.test('whoever is known with an email in one company gets no more tries in another one', async (t) => {
  const service = await startService(t, SETTINGS)
  const victim = service.company.admin
  // Its administrators know the password of this user.
  const evil = await service.makeCompany('Evil')
  const known = await openKnown(service, evil.admin)
  t.equal(evil.admin.email, victim.email)
  await lockOut(service, victim)
  t.equal((await trying(known, evil.admin, evil.admin.password)).status, 303)
  t.equal((await trying(known, victim, victim.password)).status, 401, 'not even the right password is found')
  const ofVictim = { email: victim.email, password: victim.password, company: service.company.id }
  t.equal((await known.visit('/sign-in', ofVictim)).status, 429)
})

await t.test('a browser is no longer known after another password, a reset, or the removal of the user', async (t) => {
  const ends: Record<string, (service: Service, user: Person) => Promise<unknown>> = {
    'another password': async (service, user) => {
      const visitor = openVisitor(service)
      await trying(visitor, user, user.password)
      const form = { current: user.password, password: LONG, repeated: LONG }
      t.equal((await visitor.visit('/account/password', form)).status, 303)
      await lockOut(service, user)
      t.equal((await trying(visitor, user, LONG)).status, 303, 'the browser in which it was changed stays known')
    },
    'a reset': (service, user) => service.manage('POST', `/users/${user.user_id}/reset-password`),
    'a removal': (service, user) => service.manage('DELETE', `/users/${user.user_id}`),
  }
  for (const [what, end] of Object.entries(ends)) {
    const service = await startService(t, SETTINGS)
    const { member } = service.company
    const known = await openKnown(service, member)
    await end(service, member)
    if (what !== 'another password') await lockOut(service, member)
    t.equal((await trying(known, member, member.password)).status, 429, what)
  }
})

await t.test('a cookie that was forged or changed makes no browser known', async (t) => {
  const service = await startService(t, SETTINGS)
  const { admin, member } = service.company
  const cookie = (await openKnown(service, admin)).cookies.get(NAME)!
  const [content = '', signature = ''] = cookie.split('.')
  const [id, [entry]] = JSON.parse(Buffer.from(content, 'base64url').toString())
  const withContent = (value: unknown) => `${Buffer.from(JSON.stringify(value)).toString('base64url')}.${signature}`
  await lockOut(service, admin)
  const isKnown = async (value: string) =>
    (await trying(openVisitor(service, new Map([[NAME, value]])), admin, 'wrong')).status === 401
  for (const forged of [
    ...['', '.', 'x', `${content}.`, `.${signature}`, `${content}.${signature.slice(1)}`, `${signature}.${content}`],
    withContent([id, [entry, entry]]),
    withContent([id, [[entry[0], member.user_id, ...entry.slice(2)]]]),
    withContent(null),
  ])
    t.notOk(await isKnown(forged), forged)
  t.ok(await isKnown(cookie))
  t.match(entry, [service.company.id, admin.user_id, String, Number])
  t.notMatch(JSON.stringify([id, entry]), admin.email)
})

await t.test('a browser remembers twenty users, the last ones, in a cookie that browsers keep', async (t) => {
  const service = await startService(t, { ...SETTINGS, SIGN_IN_LIMIT: '0', PUBLIC_URL: 'https://ledger.example' })
  const { admin } = service.company
  const headers = { origin: 'https://ledger.example' }
  const visitor = openVisitor(service)
  const enter = (company: string) =>
    visitor.visit('/sign-in', { email: admin.email, password: admin.password, company }, { headers })
  const first = await enter(service.company.id)
  const line = first.headers['set-cookie']!.find((set) => set.startsWith(`__Host-${NAME}=`))!
  t.strictSame(line.split('; ').slice(1).toSorted(), [
    'HttpOnly',
    `Max-Age=${180 * 86_400}`,
    'Path=/',
    'SameSite=Lax',
    'Secure',
  ])
  for (let at = 0; at < 20; at += 1) {
    const companyId = await registerCompany({ pool: service.pool, newId }, `Company ${at}`)
    await service.pool.query(
      `insert into users (company_id, user_id, version, email, name, role, password_hash, created_at)
       select $1, gen_random_uuid(), 1, email, name, role, password_hash, created_at from users where user_id = $2`,
      [toUuid(companyId), toUuid(admin.user_id)],
    )
    t.equal((await enter(companyId)).status, 303)
  }
  const cookie = visitor.cookies.get(`__Host-${NAME}`)!
  const [, entries] = JSON.parse(Buffer.from(cookie.split('.')[0]!, 'base64url').toString())
  t.equal(entries.length, 20)
  t.notOk(entries.some(([companyId]: string[]) => companyId === service.company.id))
  t.ok(cookie.length < 4_000, String(cookie.length))
})
