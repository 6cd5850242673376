import t, { type Test } from 'tap'
import { toUuid } from '../../../src/domain/ids.ts'
import { openAuthenticator } from '../../support/http/authenticator.ts'
import {
  addPasskey,
  askForPasskey,
  ORIGIN,
  seenOn,
  signInByPassword,
  tryPasskey,
  WITH_PASSKEYS,
} from '../../support/http/passkeys.ts'
import { openVisitor, type Visitor } from '../../support/http/visitor.ts'
import { isSignIn, streamOf } from '../../support/ledger/company-events.ts'
import { giveUnreachableProvider } from '../../support/providers/company-provider.ts'
import { startService } from '../../support/service.ts'

const service = await startService(t, WITH_PASSKEYS)
let made = 0

/** A new company, whose member has a passkey. */
async function makeHolder() {
  const company = await service.makeCompany(`Company ${(made += 1)}`)
  const visitor = await signInByPassword(service, company.member, company.id)
  const { authenticator, codes } = await addPasskey(visitor, company.member.password)
  return { company, member: company.member, visitor, authenticator, codes }
}

const givePassword = async ({ email, password }: { email: string; password: string }, company: string, next = '') => {
  const visitor = openVisitor(service)
  return { visitor, answer: await visitor.visit('/sign-in', { email, password, company, next }) }
}
const giveCode = (visitor: Visitor, code: string, more = {}) =>
  visitor.visit('/sign-in/recovery-code', { code, ...more })

/** Whether the user's passkey signs in. */
const works = async (authenticator: Parameters<typeof tryPasskey>[1]) =>
  (await tryPasskey(openVisitor(service), authenticator)).status === 303

/** How many passkeys and recovery codes a company's users have. */
async function countRows(companyId: string): Promise<[passkeys: number, codes: number]> {
  const count = async (table: string) =>
    (await service.pool.query(`select 1 from ${table} where company_id = $1`, [toUuid(companyId)])).rows.length
  return [await count('passkeys'), await count('recovery_codes')]
}

await t.test('a password alone starts no session for a user with passkeys; a recovery code finishes it', async (t) => {
  const { company, member, codes } = await makeHolder()
  const { visitor, answer } = await givePassword(member, company.id, '/account?x=1')
  t.equal(answer.status, 200)
  t.match(answer.text, 'One more step')
  t.match(answer.text, 'name="next" value="/account?x=1"')
  t.notOk(await visitor.isIn())
  t.notMatch(answer.text, member.password)
  for (const wrong of ['', 'x'.repeat(100), `${codes[0]!.slice(0, -1)}${codes[0]!.endsWith('7') ? '8' : '7'}`]) {
    t.match(await giveCode(visitor, wrong), { status: 401, text: /not one of your unused recovery codes/ })
    t.notOk(await visitor.isIn())
  }
  const typed = codes[0]!.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')
  t.match(await giveCode(visitor, typed, { next: '/account?x=1' }), { status: 303, location: '/account?x=1' })
  t.ok(await visitor.isIn())
  t.match((await visitor.visit('/account')).text, /You have\s+<strong>9<\/strong> left/)
  const events = (await streamOf(service, member.user_id, company.id)).filter((event) => !isSignIn(event))
  const [used] = events.slice(-1)
  t.match(used, { type: 'UserRecoveryCodeUsed', actor: member.user_id, data: { remaining: 9 } })
})

await t.test('a recovery code works once, also when it is used twice at the same time', async (t) => {
  const { company, member, codes } = await makeHolder()
  const { visitor } = await givePassword(member, company.id)
  const copies = [visitor.copy(), visitor.copy(), visitor.copy()]
  const answers = await Promise.all(copies.map((copy) => giveCode(copy, codes[3]!)))
  t.strictSame(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [303, 401, 401],
  )
  t.equal((await giveCode(visitor.copy(), codes[3]!)).status, 401)
  t.equal((await giveCode(visitor.copy(), codes[4]!)).status, 303)
})

await t.test('without the password, a recovery code is worth nothing', async (t) => {
  const [{ company, member, codes }, other] = [await makeHolder(), await makeHolder()]
  t.match(await giveCode(openVisitor(service), codes[0]!), { status: 401, text: /That took too long/ })
  const { visitor } = await givePassword(other.member, other.company.id)
  t.equal((await giveCode(visitor, codes[0]!)).status, 401, "another user's code")
  const forged = openVisitor(service)
  // Its name ends with the port of the public address, if that has one.
  const [name, sealed] = [...visitor.cookies].find(([name]) => /(?:^|-)second-step(?:-\d+)?$/.test(name))!
  forged.cookies.set(name, sealed.slice(0, -2))
  t.match(await giveCode(forged, codes[0]!), { status: 401, text: /That took too long/ })
  t.match((await givePassword({ ...member, password: 'wrong password' }, company.id)).answer, { status: 401 })
})

await t.test('changing the password ends the step that the old one began', async (t) => {
  const { company, member, visitor, codes } = await makeHolder()
  const begun = (await givePassword(member, company.id)).visitor
  const password = 'the next password'
  const changed = await visitor.visit('/account/password', { current: member.password, password, repeated: password })
  t.match(changed, { status: 303, location: '/account?done=password' })
  t.ok(await visitor.isIn(), 'the browser that changed it needs no second step')
  t.equal((await giveCode(begun, codes[0]!)).status, 401)
  const next = await givePassword({ ...member, password }, company.id)
  t.equal((await giveCode(next.visitor, codes[0]!)).status, 303)
})

await t.test('a passkey finishes the second step', async (t) => {
  const { company, member, authenticator } = await makeHolder()
  const { visitor, answer } = await givePassword(member, company.id)
  t.match(answer.text, 'data-passkey="use"')
  t.equal((await tryPasskey(visitor, authenticator)).status, 303)
  t.ok(await visitor.isIn())
})

await t.test('a passkey that is added while someone signs in with the password is asked for', async (t) => {
  const company = await service.makeCompany('At once')
  const visitor = await signInByPassword(service, company.member, company.id)
  const response = openAuthenticator(ORIGIN).create(await askForPasskey(visitor, company.member.password))
  const [{ visitor: other, answer }] = await Promise.all([
    givePassword(company.member, company.id),
    visitor.visit('/account/passkeys', { response }),
  ])
  // Either order is right; a session that began with the password alone began before the passkey was added.
  t.equal(await other.isIn(), answer.status === 303)
})

await t.test('removing a passkey needs the password and ends its sessions; the last one takes the codes', async (t) => {
  const { company, member, visitor, authenticator } = await makeHolder()
  const second = (await addPasskey(visitor, member.password, { name: 'Second' })).authenticator
  const [byFirst, bySecond] = [openVisitor(service), openVisitor(service)]
  await tryPasskey(byFirst, authenticator)
  await tryPasskey(bySecond, second)
  const remove = async (name: string, browser: Visitor, password: string) => {
    const page = (await browser.visit('/account')).text
    const path = new RegExp(`(/account/passkeys/psk_\\w+/remove)">Remove<span class="visually-hidden"> <bdi>${name}`)
    const [, found = ''] = path.exec(page) ?? []
    const seen = seenOn((await browser.visit(found)).text)
    return { path: found, answer: await browser.visit(found, { seen, current: password }), seen }
  }
  t.equal((await remove('My laptop', visitor, 'wrong password')).answer.status, 422)
  t.ok(await works(authenticator))
  const { path, answer, seen } = await remove('My laptop', bySecond, member.password)
  t.match(answer, { status: 303, location: '/account?done=passkey-removed' })
  t.notOk(await works(authenticator))
  t.notOk(await byFirst.isIn())
  t.ok(await bySecond.isIn(), 'the session that removed it goes on')
  t.ok(await visitor.isIn(), 'one that began with the password too')
  t.equal((await visitor.visit(path, { seen, current: member.password })).status, 404)
  t.strictSame(await countRows(company.id), [1, 10])
  const foreign = await signInByPassword(service, company.auditor, company.id)
  const [, id] = /\/account\/passkeys\/(psk_\w+)\/remove/.exec((await visitor.visit('/account')).text) ?? []
  for (const form of [undefined, { seen: '1', current: company.auditor.password }])
    t.equal((await foreign.visit(`/account/passkeys/${id}/remove`, form)).status, 404, "another user's")
  t.equal((await remove('Second', visitor, member.password)).answer.status, 303)
  t.strictSame(await countRows(company.id), [0, 0])
  t.ok(await signInByPasswordAlone(t, member, company.id))
})

async function signInByPasswordAlone(t: Test, person: { email: string; password: string }, company: string) {
  const { visitor, answer } = await givePassword(person, company)
  t.equal(answer.status, 303)
  return visitor.isIn()
}

await t.test(
  "an administrator's reset removes passkeys and recovery codes, and so does removing the user",
  async (t) => {
    for (const change of ['reset-password', 'remove']) {
      const { company, member, visitor, authenticator, codes } = await makeHolder()
      const step = (await givePassword(member, company.id)).visitor
      const admin = await signInByPassword(service, company.admin, company.id)
      const path = `/settings/users/${member.user_id}`
      t.match((await admin.visit(path)).text, /Passkeys<\/dt>\s*<dd>Yes/)
      const confirm = await admin.visit(`${path}/${change}`)
      t.match(confirm.text, /passkeys/)
      t.ok((await admin.visit(`${path}/${change}`, { seen: seenOn(confirm.text) })).status < 400)
      t.strictSame(await countRows(company.id), [0, 0])
      t.notOk(await works(authenticator))
      t.notOk(await visitor.isIn())
      t.equal((await giveCode(step, codes[0]!)).status, 401)
      t.notMatch((await admin.visit(path)).text, 'Passkeys</dt>')
    }
  },
)

await t.test('nobody removes the passkey without which they could not sign in', async (t) => {
  const company = await service.makeCompany('Alone')
  const visitor = await signInByPassword(service, company.member, company.id)
  await addPasskey(visitor, company.member.password)
  const ids = [toUuid(company.id), toUuid(company.member.user_id)]
  await service.pool.query('update users set password_hash = null where company_id = $1 and user_id = $2', ids)
  const [, path = ''] = /"(\/account\/passkeys\/psk_\w+\/remove)"/.exec((await visitor.visit('/account')).text) ?? []
  const page = await visitor.visit(path)
  t.notMatch(page.text, 'name="current"', 'someone without a password is not asked for one')
  const refused = await visitor.visit(path, { seen: seenOn(page.text) })
  t.match(refused, { status: 409, text: /Without this passkey you could not sign in/ })
  t.strictSame(await countRows(company.id), [1, 10])
})

await t.test(
  'where the provider is required, a passkey leads there, except for the break-glass administrator',
  async (t) => {
    const { company, visitor, authenticator } = await makeHolder()
    const admin = await signInByPassword(service, company.admin, company.id)
    const emergency = (await addPasskey(admin, company.admin.password)).authenticator
    await giveUnreachableProvider(service.pool, company.id, company.admin.user_id)
    t.notOk(await visitor.isIn())
    const other = openVisitor(service)
    t.match(await tryPasskey(other, authenticator), { status: 303, location: `/sign-in/${company.id}` })
    t.equal(other.cookies.get('session'), undefined)
    t.ok(await works(emergency))
    t.ok(await admin.isIn())
    await service.pool.query("update identity_providers set use = 'off', break_glass = null where company_id = $1", [
      toUuid(company.id),
    ])
    t.ok(await works(authenticator))
  },
)

await t.test('guesses are limited: of recovery codes by user, of passkeys by passkey', async (t) => {
  const limited = await startService(t, { ...WITH_PASSKEYS, SIGN_IN_LIMIT: '3' })
  const { member, auditor } = limited.company
  const visitor = await signInByPassword(limited, member)
  const { authenticator, codes } = await addPasskey(visitor, member.password)
  const other = (await addPasskey(await signInByPassword(limited, auditor), auditor.password)).authenticator
  const step = openVisitor(limited)
  await step.visit('/sign-in', { email: member.email, password: member.password })
  for (let at = 0; at < 3; at += 1) t.equal((await giveCode(step, `${'7'.repeat(23)}${at}`)).status, 401)
  const refused = await giveCode(step, codes[0]!)
  t.match(refused, { status: 429, text: /Too many attempts/ })
  t.ok(Number(refused.headers['retry-after']) > 0)
  for (let at = 0; at < 3; at += 1)
    t.equal((await tryPasskey(openVisitor(limited), authenticator, { isVerified: false })).status, 401)
  t.equal((await tryPasskey(openVisitor(limited), authenticator)).status, 429)
  t.equal((await tryPasskey(openVisitor(limited), other)).status, 303)
})

await t.test('where passkeys cannot work, the account page says why, and nothing offers them', async (t) => {
  const without = await startService(t, { PUBLIC_URL: 'http://127.0.0.1:3999' })
  const { member } = without.company
  const visitor = await signInByPassword(without, member)
  const page = (await openVisitor(without).visit('/sign-in')).text
  t.notMatch(page, 'data-passkey')
  t.notMatch(page, 'webauthn')
  t.equal((await visitor.visit('/sign-in/passkey/options', {})).status, 503)
  const account = (await visitor.visit('/account')).text
  t.match(account, 'Passkeys are unavailable. Passkeys need a host name')
  t.notMatch(account, '/account/passkeys/new')
  t.match((await visitor.visit('/account/passkeys/new')).text, 'Passkeys need a host name')
  const form = { name: 'x', current: member.password, seen: '3' }
  t.equal((await visitor.visit('/account/passkeys/new', form)).status, 422)
})

await t.test('without a key for secrets, the password of a user with passkeys starts no session', async (t) => {
  const { company, member } = await makeHolder()
  const keyless = await startService(t, { ...WITH_PASSKEYS, SECRETS_KEY: '' }, { urls: service.urls })
  const visitor = openVisitor(keyless)
  const { email, password } = member
  const answer = await visitor.visit('/sign-in', { email, password, company: company.id })
  t.match(answer, { status: 503, text: /Tell its operator to set SECRETS_KEY/ })
  t.notOk(await visitor.isIn())
  t.ok(await signInByPassword(keyless, company.auditor, company.id))
})
