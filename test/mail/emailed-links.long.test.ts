import t from 'tap'
import { toUuid } from '../../src/domain/ids.ts'
import { seenOn } from '../support/http/passkeys.ts'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { linkIn, startMailingService, tokenIn } from '../support/mail/mailing-service.ts'
import { eventually } from '../support/eventually.ts'
import type { TestCompany } from '../support/service.ts'

const { service, server } = await startMailingService(t, { SIGN_IN_LIMIT: '0' })
const { pool } = service
const PASSWORD = 'correct horse battery'
let made = 0

const invite = async ({ admin }: TestCompany = service.company) => {
  const person = { email: `new${(made += 1)}@example.com`, name: 'Bo', role: 'member' }
  const answer = await service.manage('POST', '/users', person, admin.token)
  return { ...person, id: answer.body.id as string, invitation: answer.body.invitation, status: answer.status }
}
const accept = (token: string) =>
  service.manage('POST', '/invitations/accept', { token, password: PASSWORD }, null).then(({ status }) => status)
const reset = async (id: string) => (await service.manage('POST', `/users/${id}/reset-password`)).body.invitation
const rowsOf = async (id: string) =>
  (await pool.query('select kind, state from emails where user_id = $1 order by created_at', [toUuid(id)])).rows
const linkOn = ({ text }: { text: string }) => /<code id="link">([^<]+)<\/code>/.exec(text)?.[1]

await t.test('an invitation is sent by email, names the company and who invited, and its link works', async (t) => {
  const cookie = await cookieOf(service, service.company.admin)
  t.match((await browse(service, '/settings/users/new', { cookie })).text, 'The person gets an email')
  const form = { email: 'olga@example.com', name: 'Olga', role: 'auditor' }
  const page = await browse(service, '/settings/users/new', { cookie, form })
  t.match(page.text, /An email with the link is on its way to <bdi>olga@example.com<\/bdi>/)
  const email = await server.take('olga@example.com')
  t.match(email, { isEncrypted: true, user: 'ledger', from: 'ledger@ledger.example' })
  t.equal(email.headers['subject'], 'admin invited you to Acme')
  t.match(email.text, /^admin invited you to the company Acme in employee-ledger\./)
  t.match(linkOn(page), linkIn(email), 'an administrator can still pass it on')
  const token = tokenIn(email)
  const accepted = await browse(service, '/invitation', { form: { token, password: PASSWORD, repeated: PASSWORD } })
  t.equal(accepted.status, 200)
  t.equal(await accept(token), 401, 'once')
  t.ok(await cookieOf(service, { email: 'olga@example.com', password: PASSWORD }))
})

await t.test('the admin endpoint sends the token that it returns', async (t) => {
  const { email, invitation } = await invite()
  t.equal(invitation.emailed, true)
  t.equal(tokenIn(await server.take(email)), invitation.token)
})

await t.test('an invitation is sent again with a new link; the former one no longer works', async (t) => {
  const { id, email } = await invite()
  const first = tokenIn(await server.take(email))
  const cookie = await cookieOf(service, service.company.admin)
  const path = `/settings/users/${id}`
  t.match((await browse(service, path, { cookie })).text, 'Send new link…')
  const form = { seen: seenOn((await browse(service, `${path}/reset-password`, { cookie })).text) }
  const page = await browse(service, `${path}/reset-password`, { cookie, form })
  t.match(page.text, 'An email with the link is on its way')
  const again = await server.take(email)
  t.equal(again.headers['subject'], 'admin invited you to Acme')
  t.equal(await accept(first), 401)
  t.equal(await accept(tokenIn(again)), 200)
})

await t.test('a user gets five in an hour; after that, the link is only shown, and works', async (t) => {
  const { id } = await invite()
  for (let count = 0; count < 4; count += 1) t.equal((await reset(id)).emailed, true)
  const cookie = await cookieOf(service, service.company.admin)
  const path = `/settings/users/${id}/reset-password`
  const form = { seen: seenOn((await browse(service, path, { cookie })).text) }
  const page = await browse(service, path, { cookie, form })
  t.match(page.text, 'No email was sent, because too many have been sent recently. Pass the link on yourself.')
  const { token, emailed } = await reset(id)
  t.equal(emailed, false)
  t.equal((await rowsOf(id)).length, 5)
  t.equal(await accept(token), 200)
})

await t.test('an address gets five of a kind in an hour, although its user is removed and invited again', async (t) => {
  for (const isErased of [false, true]) {
    const company = await service.makeCompany(`Again ${isErased}`)
    const manage = (method: 'POST' | 'DELETE', path: string, body?: unknown) =>
      service.manage(method, path, body, company.admin.token)
    const person = { email: 'again@example.com', name: 'Bo', role: 'member' }
    const emailed = []
    for (let count = 0; count < 7; count += 1) {
      const { body } = await manage('POST', '/users', person)
      await accept(body.invitation.token)
      const { body: again } = await manage('POST', `/users/${body.id}/reset-password`)
      emailed.push([body.invitation.emailed, again.invitation.emailed])
      await manage('DELETE', `/users/${body.id}`)
      if (isErased) await manage('POST', `/users/${body.id}/erase`)
    }
    t.strictSame(
      emailed,
      Array.from({ length: 7 }, (_, at) => [at < 5, at < 5]),
    )
    const { body: other } = await manage('POST', '/users', { ...person, email: 'other@example.com' })
    t.equal(other.invitation.emailed, !isErased, 'whose address was erased is unknown, so they count for everybody')
    const neighbor = await service.makeCompany(`Neighbor ${isErased}`)
    const { body: theirs } = await service.manage('POST', '/users', person, neighbor.admin.token)
    t.equal(theirs.invitation.emailed, true, 'another company has its own')
  }
})

/** Stores that a company has just sent messages. */
const storeSent = ({ id }: TestCompany, kind: string, count: number) =>
  pool.query(
    `insert into emails (company_id, email_id, user_id, kind, state, created_at, due_at, give_up_at, ended_at)
     select $1, gen_random_uuid(), gen_random_uuid(), $2, 'sent', now(), now(), now(), now()
     from generate_series(1, $3)`,
    [toUuid(id), kind, count],
  )

await t.test('a company sends 200 invitations an hour, and another company its own', async (t) => {
  const [company, other] = [await service.makeCompany('Many'), await service.makeCompany('Few')]
  await storeSent(company, 'invitation', 199)
  const emailed = []
  for (let count = 0; count < 3; count += 1) emailed.push((await invite(company)).invitation.emailed)
  t.strictSame(emailed, [true, false, false])
  t.equal((await invite(other)).invitation.emailed, true)
})

await t.test('a company sends 1,000 resets an hour, also to users whose invitation was only shown', async (t) => {
  const company = await service.makeCompany('Resets')
  await storeSent(company, 'password_reset', 999)
  const emailed = []
  for (const user of [company.member, company.auditor]) {
    const path = `/users/${user.user_id}/reset-password`
    emailed.push((await service.manage('POST', path, undefined, company.admin.token)).body.invitation.emailed)
  }
  t.strictSame(emailed, [true, false])
})

await t.test(
  'a reset by an administrator is sent as what it is, and the user is told of the new password',
  async (t) => {
    const { id, email, invitation } = await invite()
    await accept(invitation.token)
    await reset(id)
    const sent = await server.take(email, 'reset')
    t.equal(sent.headers['subject'], 'Your password for Acme was reset')
    t.match(sent.text, /^admin reset your password for Acme\. Your old password and your passkeys no longer work/)
    t.equal(await accept(tokenIn(sent)), 200)
    t.ok(await server.take(email, 'Your password for Acme was changed'))
    t.strictSame(
      (await rowsOf(id)).map(({ kind }) => kind),
      ['invitation', 'password_reset', 'password_changed'],
    )
  },
)

await t.test('what is refused sends nothing, and what a removed user was to get is canceled', async (t) => {
  const { rows } = await pool.query('select count(*) from emails')
  const { email, name, role } = { email: service.company.member.email, name: 'x', role: 'member' }
  t.equal((await service.manage('POST', '/users', { email, name, role })).status, 409)
  t.strictSame((await pool.query('select count(*) from emails')).rows, rows)
  server.judge = () => Object.assign(new Error('later'), { responseCode: 451 })
  const { id } = await invite()
  await server.waitFor(server.received.length + 1)
  await service.manage('DELETE', `/users/${id}`)
  await eventually('the message is canceled', async () => (await rowsOf(id))[0].state === 'canceled')
  server.judge = () => undefined
})

await t.test('names cannot add headers, lines or links to a message', async (t) => {
  const company = await service.makeCompany('Names')
  const hostile = 'Eve\r\nBcc: eve@evil.example\r\n\r\n<a href="https://evil.example">Click</a>'
  await pool.query('update companies set name = $2 where company_id = $1', [toUuid(company.id), hostile])
  await pool.query("update users set name = $2 where company_id = $1 and role = 'admin'", [toUuid(company.id), hostile])
  const { email: address } = await invite(company)
  const email = await server.take(address)
  t.strictSame(email.to, [address])
  t.notOk(email.headers['bcc'])
  for (const text of [email.headers['subject']!, email.text, email.html])
    t.notMatch(text, /evil\.example|https:\/\/evil/)
  t.notMatch(email.html, /<a href="https:\/\/evil/)
  t.match(email.text, /^Eve Bcc: eve@/)
})
