import { randomBytes } from 'node:crypto'
import t from 'tap'
import { registerCompany } from '../../../src/accounts/companies/companies.ts'
import { addUser, type AddedUser } from '../../../src/accounts/users/change-user.ts'
import { hashPassword, makeHashSetting } from '../../../src/accounts/users/password.ts'
import { toUuid } from '../../../src/domain/ids.ts'
import { replacePasswordHash } from '../../../src/accounts/users/user-rows.ts'
import { newId } from '../../../src/ledger/new-id.ts'
import { browse } from '../../support/http/sessions.ts'
import { openVisitor } from '../../support/http/visitor.ts'
import { countHashes } from '../../support/ledger/counted-hashes.ts'
import { watchStatements } from '../../support/postgres/watch-clients.ts'
import { giveUnreachableProvider } from '../../support/providers/company-provider.ts'
import { startService } from '../../support/service.ts'

/* Signing in as someone who belongs to many companies, with one password or with another one in each. */

const service = await startService(t, { SIGN_IN_LIMIT: '0', SIGN_IN_ADDRESS_LIMIT: '0' })
const { pool, company } = service
const services = { pool, newId }
const COMPANIES = 40
const ONE_HASH = ['argon2id 19456 2 1 32']
let made = 0

type Member = AddedUser & { company: string }

/** Registers companies with a user who has this email. */
async function joinCompanies(email: string, count: number): Promise<Member[]> {
  const members: Member[] = []
  for (let at = 0; at < count; at += 1) {
    const id = await registerCompany(services, `Company ${(made += 1)}`)
    const user = await addUser(services, { companyId: id, email, name: 'Cleo', role: 'member' })
    members.push({ ...user, company: id })
  }
  return members
}

/** Gives a user a hash with a salt of its own, as version 1.0.0 did. */
async function giveOldHash({ user_id: id, password }: AddedUser): Promise<string> {
  const hash = await hashPassword(password, makeHashSetting(randomBytes(32), ''))
  await pool.query('update users set password_hash = $2 where user_id = $1', [toUuid(id), hash])
  return hash
}
const settingOf = async ({ user_id: id }: AddedUser) => {
  const { rows } = await pool.query('select password_hash from users where user_id = $1', [toUuid(id)])
  return rows[0].password_hash.split('$').slice(0, -1).join('$') as string
}
const trying = (email: string, password: string, more: Record<string, string> = {}) =>
  browse(service, '/sign-in', { form: { email, password, ...more } })
const signsInTo = async ({ email, password, company: id }: Member, more: Record<string, string> = {}) => {
  const { cookie } = await trying(email, password, more)
  return cookie?.includes(id.replace('com_', '')) ?? false
}

const consultant = await joinCompanies('cleo@consulting.example', COMPANIES)
const [first, last] = [consultant[0]!, consultant.at(-1)!]

await t.test('an attempt costs one hash and the same searches, whatever it finds', async (t) => {
  const invited = { email: 'invited@example.com', name: 'I', role: 'member' }
  t.equal((await service.manage('POST', '/users', invited)).status, 201)
  const [removed] = await joinCompanies('removed@example.com', 1)
  await pool.query('update users set removed_at = now(), password_hash = null where user_id = $1', [
    toUuid(removed!.user_id),
  ])
  const required = await service.makeCompany('Requires a provider')
  await giveUnreachableProvider(pool, required.id, required.admin.user_id)
  const [outsider] = await joinCompanies('outsider@example.com', 1)
  await giveUnreachableProvider(pool, outsider!.company, company.admin.user_id)
  const old = await joinCompanies('old@example.com', 3)
  for (const user of old) await giveOldHash(user)
  const attempts: [what: string, email: string, password: string, more?: Record<string, string>][] = [
    ['nobody', 'nobody@example.com', 'wrong password'],
    ['nobody, in a company', 'nobody@example.com', 'wrong password', { company: company.id }],
    ['a wrong password of one company', 'outsider@example.com', 'wrong password'],
    ['a wrong password of many companies', first.email, 'wrong password'],
    ['a wrong password, tried again', first.email, 'wrong password', { tries: '3' }],
    ['another company than the named one', first.email, first.password, { company: last.company }],
    ['an invited user', invited.email, 'wrong password'],
    ['a removed user', removed!.email, removed!.password],
    ['a user who has to use the provider', outsider!.email, outsider!.password],
    ['a wrong password beside three hashes of version 1.0.0', 'old@example.com', 'wrong password'],
    ['the right password', last.email, last.password],
  ]
  const hashes = countHashes(t)
  const statements = watchStatements(t)
  const searches: string[][] = []
  for (const [what, email, password, more] of attempts) {
    statements.length = 0
    const { status } = await trying(email, password, more)
    t.equal(status, what.startsWith('the right') ? 303 : 401, what)
    t.strictSame(hashes(), ONE_HASH, what)
    const found = statements.filter(({ text }) => /^select [^]*"users" as "u"[^]*"u"\."email" in /.test(text))
    searches.push(found.map(({ text }) => text.replaceAll(/ and "u"\."company_id" in \([^)]*\)|\$\d/g, '')))
  }
  t.equal(searches[0]!.length, 2)
  for (const [at, [what]] of attempts.entries()) t.strictSame(searches[at], searches[0], what)
})

await t.test('the password of any of many companies signs in, with one hash', async (t) => {
  const hashes = countHashes(t)
  for (const member of consultant) t.ok(await signsInTo(member), member.company)
  t.equal(hashes().length, COMPANIES)
})

await t.test('whoever has one password in many companies chooses among all of them, with one hash', async (t) => {
  const email = 'same@consulting.example'
  const members = await joinCompanies(email, COMPANIES)
  const { rows } = await pool.query('select password_hash from users where user_id = $1', [toUuid(members[0]!.user_id)])
  await pool.query('update users set password_hash = $2 where email = $1', [email, rows[0].password_hash])
  const hashes = countHashes(t)
  const { status, text } = await trying(email, members[0]!.password)
  t.equal(status, 200)
  t.equal([...text.matchAll(/<option value="com_/g)].length, COMPANIES)
  const { password } = members[0]!
  t.ok(await signsInTo({ ...members.at(-1)!, password }, { company: members.at(-1)!.company }))
  t.equal(hashes().length, 2)
})

await t.test('more companies than one search returns keep nobody out', async (t) => {
  const email = 'crowd@consulting.example'
  const [own] = await joinCompanies(email, 1)
  const common = await settingOf(own!)
  await pool.query(
    `with made as (
       insert into companies (company_id, name, time_zone, created_at)
       select (lpad(to_hex(n), 8, '0') || '-0000-7000-8000-000000000000')::uuid, 'Crowd', 'UTC', now()
       from generate_series(1, 150) n returning company_id)
     insert into users (company_id, user_id, version, email, name, role, password_hash, created_at)
     select company_id, gen_random_uuid(), 1, $1, 'x', 'member', $2 || '$' || repeat('A', 43), now() from made`,
    [email, common],
  )
  t.ok(await signsInTo(own!))
})

await t.test('a password hash of version 1.0.0 signs in, and gets the common salt then', async (t) => {
  const [user, other] = await joinCompanies('upgraded@example.com', 2)
  await giveOldHash(other!)
  await pool.query('update users set removed_at = now() where user_id = $1', [toUuid(user!.user_id)])
  const hashes = countHashes(t)
  t.equal((await trying(other!.email, 'wrong password')).status, 401)
  t.strictSame(hashes(), ONE_HASH)
  t.ok(await signsInTo(other!))
  t.equal(hashes().length, 2, 'one to sign in, and once the new hash')
  t.equal(await settingOf(other!), await settingOf(user!))
  t.ok(await signsInTo(other!))
  t.strictSame(hashes(), ONE_HASH)
})

await t.test('hashes of version 1.0.0 in several companies: the company, or a further try, finds each', async (t) => {
  const members = await joinCompanies('veteran@example.com', 4)
  for (const member of members.slice(0, 3)) await giveOldHash(member)
  const [eldest, second, third, modern] = members as [Member, Member, Member, Member]
  const hashes = countHashes(t)
  t.ok(await signsInTo(modern), 'the common salt comes first')
  t.ok(await signsInTo(third, { company: third.company }))
  const visitor = openVisitor(service)
  const form: Record<string, string> = { email: second.email, password: second.password }
  const statuses: number[] = []
  hashes()
  for (let tries = 0; tries < 3; tries += 1) {
    const { status, text } = await visitor.visit('/sign-in', form)
    statuses.push(status)
    form['tries'] = /name="tries" value="(\d+)"/.exec(text)?.[1] ?? ''
  }
  t.strictSame(statuses, [401, 401, 303])
  t.equal(hashes().length, 4, 'one for each try, and one for the new hash')
  for (const member of [second, third, modern]) t.ok(await signsInTo(member), 'from now on at once')
  t.notOk(await signsInTo(eldest))
})

await t.test('simultaneous sign-ins with a hash of version 1.0.0 all succeed', async (t) => {
  const [user] = await joinCompanies('parallel@example.com', 1)
  await giveOldHash(user!)
  const outcomes = await Promise.all(Array.from({ length: 6 }, () => signsInTo(user!)))
  t.strictSame(
    outcomes,
    Array.from({ length: 6 }, () => true),
  )
})

await t.test('a new hash does not replace that of another password, which was set meanwhile', async (t) => {
  const [user] = await joinCompanies('changing@example.com', 1)
  const former = await giveOldHash(user!)
  const { company: companyId, user_id: userId } = user!
  await giveOldHash({ ...user!, password: 'another password' })
  const changed = await settingOf(user!)
  await replacePasswordHash(pool, { companyId, userId }, { former, passwordHash: former })
  t.equal(await settingOf(user!), changed)
})

await t.test('the page after an invitation leads to the sign-in of its company', async (t) => {
  const email = first.email
  const { body } = await service.manage('POST', '/users', { email, name: 'Cleo', role: 'member' })
  const form = { token: body.invitation.token, password: 'a good password', repeated: 'a good password' }
  const { text } = await browse(service, '/invitation', { form })
  t.match(text, `href="/sign-in?with=password&amp;company=${company.id}"`)
  const page = await browse(service, `/sign-in?with=password&company=${company.id}`)
  t.match(page.text, `<input type="hidden" name="company" value="${company.id}" />`)
  t.notMatch(page.text, company.name, 'a stranger does not learn the name')
  t.ok(await signsInTo({ ...first, company: company.id, password: 'a good password' }, { company: company.id }))
})
