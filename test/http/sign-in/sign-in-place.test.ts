import t from 'tap'
import { toUuid } from '../../../src/domain/ids.ts'
import { openVisitor, type Visitor } from '../../support/http/visitor.ts'
import { startMailingService, tokenIn } from '../../support/mail/mailing-service.ts'
import {
  giveUnreachableProvider,
  linkUser,
  turn,
  UNREACHABLE_ISSUER,
} from '../../support/providers/company-provider.ts'
import type { TestCompany } from '../../support/service.ts'

/* Where single sign-on leads, if companies that a person has nothing to do with have users with their email. */

const { service, server } = await startMailingService(t, { SIGN_IN_LIMIT: '0', SIGN_IN_ADDRESS_LIMIT: '0' })
const { pool } = service
const PASSWORD = 'a password that they chose'
const BOSS = 'boss@corp.example'
let made = 0

/** A company with a provider that cannot be reached. */
async function makeCompany(): Promise<TestCompany> {
  const company = await service.makeCompany(`Company ${(made += 1)}`)
  await giveUnreachableProvider(pool, company.id)
  return company
}

/** Makes somebody a user of a company, who accepts the invitation with the link that the inviter sees. */
async function join(company: TestCompany, email: string, accepts = true): Promise<string> {
  const person = { email, name: 'Bo', role: 'admin' }
  const { body } = await service.manage('POST', '/users', person, company.admin.token)
  const { token } = body.invitation
  const form = { token, password: PASSWORD, repeated: PASSWORD }
  if (accepts) t.equal((await openVisitor(service).visit('/invitation', form)).status, 200)
  return body.id as string
}

const link = (userId: string) => linkUser(service, userId, UNREACHABLE_ISSUER)

/** Sets a new password through the message that a company sends. */
async function proveEmail(company: TestCompany, email: string): Promise<void> {
  await openVisitor(service).visit('/sign-in/forgot-password', { email, company: company.id })
  const token = tokenIn(await server.take(email, `Set a new password for ${company.name}`))
  const form = { token, password: PASSWORD, repeated: PASSWORD }
  t.equal((await openVisitor(service).visit('/invitation', form)).status, 200)
}

const chooseProvider = (email: string, visitor: Visitor = openVisitor(service)) =>
  visitor.visit('/sign-in', { email, password: '', way: 'provider' })
const pathOf = ({ id }: TestCompany) => `/sign-in/${id}`
const anyEmail = () => `boss.${(made += 1)}@corp.example`

await t.test('a company that invites somebody does not lead them to its provider', async (t) => {
  const [victim, evil] = [await makeCompany(), await makeCompany()]
  await turn(service, victim, 'off')
  await join(victim, BOSS)
  const asked = [await chooseProvider('nobody@corp.example'), await chooseProvider(BOSS)]
  await join(evil, BOSS, false)
  asked.push(await chooseProvider(BOSS))
  for (const { status, location } of asked) t.strictSame([status, location], [200, null])
  t.match(asked[0]!.text, 'Open the sign-in link of your company, or enter a password.')
  const texts = asked.map(({ text }) => text.replaceAll(/boss@corp|nobody@corp/g, ''))
  t.equal(new Set(texts).size, 1, 'a stranger sees the same')
})

await t.test("an invitation, accepted or not, does not hide the provider of the person's own company", async (t) => {
  const email = anyEmail()
  const [victim, evil, other] = [await makeCompany(), await makeCompany(), await makeCompany()]
  await link(await join(victim, email))
  await join(evil, email, false)
  t.match(await chooseProvider(email), { status: 303, location: pathOf(victim) })
  await join(other, email)
  t.match(await chooseProvider(email), { status: 303, location: pathOf(victim) })
})

await t.test('an account at another issuer than that of the provider leads nowhere', async (t) => {
  const email = anyEmail()
  const company = await makeCompany()
  await link(await join(company, email))
  await pool.query(`update identity_providers set issuer = 'https://new.example' where company_id = $1`, [
    toUuid(company.id),
  ])
  t.match(await chooseProvider(email), { status: 200, location: null })
})

await t.test('an email that a message has proved outweighs what any company links to its own provider', async (t) => {
  const email = anyEmail()
  const [victim, evil] = [await makeCompany(), await makeCompany()]
  await join(victim, email)
  const atEvil = await join(evil, email)
  await proveEmail(victim, email)
  t.match(await chooseProvider(email), { status: 303, location: pathOf(victim) })
  await link(atEvil)
  t.match(await chooseProvider(email), { status: 303, location: pathOf(victim) })
  const { body } = await service.manage('GET', '/users?limit=1', undefined, victim.admin.token)
  await service.manage('POST', `/users/${body.items[0].id}/reset-password`, undefined, victim.admin.token)
  t.match(await chooseProvider(email), { location: pathOf(evil) }, 'an administrator has seen the new link')
})

await t.test('where two companies claim a person, none is chosen, except in a browser that knows one', async (t) => {
  const email = anyEmail()
  const [victim, evil] = [await makeCompany(), await makeCompany()]
  await link(await join(victim, email))
  const boss = openVisitor(service)
  t.equal((await boss.visit('/sign-in', { email, password: PASSWORD })).status, 303)
  await boss.visit('/sign-out', {})
  await link(await join(evil, email))
  const asked = await chooseProvider(email)
  t.match(asked, { status: 200, location: null })
  t.match(asked.text, 'Several companies use single sign-on for this email.')
  t.match(await chooseProvider(email, boss), { status: 303, location: pathOf(victim) })
  t.match(await chooseProvider('nobody@corp.example', boss), { status: 200, location: null })
})

await t.test('the page of a company says at which host its provider is, which nobody can name otherwise', async (t) => {
  const company = await makeCompany()
  await pool.query(`update identity_providers set name = 'Corp SSO' where company_id = $1`, [toUuid(company.id)])
  const { text } = await openVisitor(service).visit(pathOf(company))
  t.match(text, 'You sign in at <bdi>idp.example</bdi>')
})
