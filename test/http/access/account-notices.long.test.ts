import t from 'tap'
import { inviteCompanyUser } from '../../../src/accounts/users/change-user.ts'
import { issueUserToken } from '../../../src/accounts/users/user-tokens.ts'
import { newId } from '../../../src/ledger/new-id.ts'
import { findConfiguredSecretBox } from '../../../src/bootstrap/keys.ts'
import { toUuid } from '../../../src/domain/ids.ts'
import { OPERATOR } from '../../../src/ledger/append/append-company-events.ts'
import { addPasskey, ORIGIN, seenOn, signInByPassword } from '../../support/http/passkeys.ts'
import { startMailingService } from '../../support/mail/mailing-service.ts'
import { asSuperuser } from '../../support/postgres/as-superuser.ts'
import { employee } from '../../support/service.ts'
import { issueToken } from '../../support/http/sessions.ts'

const { service, server } = await startMailingService(t, { SIGN_IN_LIMIT: '0' })
const { pool, company } = service
await service.call('POST', '/v1/employees', { body: employee({ first_name: 'Zacharias' }) })
const WHEN = 'on \\d{1,2} \\w+ \\d{4}, \\d\\d:\\d\\d:\\d\\d \\w+'

const kindsOf = async (userId: string) => {
  const { rows } = await pool.query<{ kind: string }>(
    'select kind from emails where user_id = $1 order by created_at, email_id',
    [toUuid(userId)],
  )
  return rows.map(({ kind }) => kind)
}

await t.test('a user is told when the password is changed, from where, and what to do', async (t) => {
  const { member } = company
  const visitor = await signInByPassword(service, member)
  const next = 'another password'
  const wrong = { current: 'wrong', password: next, repeated: next }
  t.equal((await visitor.visit('/account/password', wrong)).status, 422)
  t.equal((await visitor.visit('/account/password', { ...wrong, current: member.password })).status, 303)
  const email = await server.take(member.email)
  t.equal(email.headers['subject'], 'Your password for Acme was changed')
  t.match(email.text, new RegExp(`^Your password for Acme was changed ${WHEN} from the address 127\\.0\\.0\\.1\\. `))
  t.match(email.text, "If it wasn't, set a new password with “Forgot your password?” on the sign-in page at once")
  t.match(email.text, `Open the sign-in page:\n${ORIGIN}/sign-in\n`)
  t.strictSame(await kindsOf(member.user_id), ['password_changed'], 'once, and not for the one that was refused')
})

await t.test('a user is told of a new passkey, by its name', async (t) => {
  const { auditor } = company
  await addPasskey(await signInByPassword(service, auditor), auditor.password, { name: 'Eve.example\u202e' })
  const email = await server.take(auditor.email)
  t.equal(email.headers['subject'], 'A passkey was added to your account at Acme')
  t.match(email.text, /Its name is Eve\. example\. Whoever has it can sign in as you\./)
  t.match(email.text, `Open your account:\n${ORIGIN}/account\n`)
  t.strictSame(await kindsOf(auditor.user_id), ['passkey_added'])
})

await t.test('a user is told of each new token: from the page, the admin endpoint, and the operator', async (t) => {
  const { admin } = company
  const visitor = await signInByPassword(service, admin)
  const seen = seenOn((await visitor.visit('/account')).text)
  const form = { name: 'Page', expires_in_days: '30', everything: 'on', seen }
  t.equal((await visitor.visit('/account/tokens', form)).status, 422, 'not without the password')
  t.equal((await visitor.visit('/account/tokens', { ...form, current: admin.password })).status, 200)
  t.match((await server.take(admin.email)).text, /Its name is Page\. It lets a program do everything you can do\./)
  await issueToken(service, admin, { name: 'API', scope: 'audit' })
  t.match((await server.take(admin.email)).text, /Its name is API\. It lets a program read the audit endpoints\./)
  const outbox = {
    publicUrl: ORIGIN,
    secrets: await findConfiguredSecretBox(service.config),
    announce: () => undefined,
  }
  await issueUserToken(
    { pool, newId, outbox },
    { companyId: company.id, actor: OPERATOR },
    { userId: admin.user_id, name: 'CLI', expiresInDays: 1, scopes: null },
  )
  const email = await server.take(admin.email)
  t.match(
    email.text,
    new RegExp(
      `^A token was created for your account at Acme by the operator of the service ${WHEN}\\. Its name is CLI`,
    ),
  )
})

await t.test('the first password, which an invitation sets, is no news', async (t) => {
  const person = { email: 'first@example.com', name: 'F', role: 'member' } as const
  const { user, linkToken } = await inviteCompanyUser(
    { pool, newId },
    { companyId: company.id, actor: OPERATOR },
    person,
  )
  await service.manage('POST', '/invitations/accept', { token: linkToken, password: 'the first password' }, null)
  t.strictSame(await kindsOf(user.id), [])
})

await t.test('a notice and its change are stored together, or neither is', async (t) => {
  const { admin } = company
  const meddle = (change: string) => asSuperuser(service.urls.superUrl, `alter table emails ${change}`)
  await meddle("add constraint refused check (kind <> 'token_issued') not valid")
  const { rows } = await pool.query('select count(*) from user_tokens')
  t.equal((await issueToken(service, admin, { name: 'Unseen' })).status, 500)
  t.strictSame((await pool.query('select count(*) from user_tokens')).rows, rows)
  await meddle('drop constraint refused')
  t.equal((await issueToken(service, admin, { name: 'Seen' })).status, 201)
  t.match((await server.take(admin.email)).text, /Its name is Seen\./)
})

await t.test('no message names an employee', (t) => {
  t.equal(server.received.length, 6)
  for (const { headers, text, html } of server.received) t.notMatch(`${headers['subject']}${text}${html}`, /zacharias/i)
  t.end()
})
