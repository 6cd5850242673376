import { once } from 'node:events'
import t from 'tap'
import { requestPasswordReset } from '../../../src/accounts/users/set-password.ts'
import { findConfiguredSecretBox } from '../../../src/bootstrap/keys.ts'
import { toUuid } from '../../../src/domain/ids.ts'
import type { Outbox } from '../../../src/accounts/mail/outbox.ts'
import { browse, cookieOf, letsIn } from '../../support/http/sessions.ts'
import { addPasskey, ORIGIN, signInByPassword } from '../../support/http/passkeys.ts'
import { isSignIn, streamOf } from '../../support/ledger/company-events.ts'
import { linkIn, startMailingService, tokenIn } from '../../support/mail/mailing-service.ts'
import { giveUnreachableProvider } from '../../support/providers/company-provider.ts'
import type { Service, TestCompany } from '../../support/service.ts'
import { startService } from '../../support/service.ts'
import { holdRow, letGo } from '../../support/postgres/held-rows.ts'
import { earlier } from '../../support/postgres/move-back.ts'

const PATH = '/sign-in/forgot-password'
const NEXT = 'a new password to remember'
const { service, server } = await startMailingService(t, { SIGN_IN_LIMIT: '0', SIGN_IN_ADDRESS_LIMIT: '0' })
const { pool } = service
let made = 0

/** Adds a user who has set a password to a company. */
async function join(company: TestCompany = service.company, email = `user${(made += 1)}@example.com`) {
  const person = { email, name: 'Bo', role: 'member' }
  const { body } = await service.manage('POST', '/users', person, company.admin.token)
  const password = `the first password ${made}`
  await setPassword(body.invitation.token, password)
  return { email, password, id: body.id as string, company }
}
const setPassword = (token: string, password = NEXT) =>
  browse(service, '/invitation', { form: { token, password, repeated: password } })
const ask = (email: string, from: Pick<Service, 'address'> = service) => browse(from, PATH, { form: { email } })
const takeReset = (email: string) => server.take(email, 'Set a new password')
const askForLink = async (email: string) => {
  await ask(email)
  return tokenIn(await takeReset(email))
}
const signsIn = async ({ email }: { email: string }, password: string) =>
  (await browse(service, '/sign-in', { form: { email, password } })).status === 303
const rowsOf = async (userId: string) => {
  const { rows } = await pool.query<{ kind: string; state: string }>(
    'select kind, state from emails where user_id = $1 order by created_at',
    [toUuid(userId)],
  )
  return rows
}
const resetsOf = async (userId: string) => (await rowsOf(userId)).filter(({ kind }) => kind === 'password_reset').length

await t.test(
  'a forgotten password is replaced through a link in a message, from the sign-in page to the end',
  async (t) => {
    const user = await join()
    const session = await cookieOf(service, user)
    const page = await browse(service, '/sign-in?with=password')
    t.match(page.text, `href="${PATH}">Forgot your password?`)
    t.match(await ask(`  ${user.email.toUpperCase()} `), { status: 200, text: /Check your email/ })
    const email = await takeReset(user.email)
    t.match(email, { isEncrypted: true, user: 'ledger', to: [user.email] })
    t.equal(email.headers['subject'], 'Set a new password for Acme')
    t.match(email.text, /Somebody asked from the address 127\.0\.0\.1 for a new password for your account at Acme\./)
    t.match(
      email.text,
      /It works once, until \d{1,2} \w+ \d{4}, [\d:]+ \w+\. Until you use it, your password stays as it is\./,
    )
    t.ok(await signsIn(user, user.password), 'the password still works')
    t.ok(await letsIn(service, session), 'and so does the session')
    t.match(await browse(service, linkIn(email)), { status: 200, text: new RegExp(user.email) })
    t.match(await setPassword(tokenIn(email)), { status: 200, text: /Password set/ })
    t.notOk(await letsIn(service, session), 'all sessions have ended')
    t.notOk(await signsIn(user, user.password))
    t.ok(await signsIn(user, NEXT))
    t.match(await setPassword(tokenIn(email), 'another password'), { status: 401, text: /was already used/ })
    const changes = (await streamOf(service, user.id)).filter((event) => !isSignIn(event))
    const types = changes.map(({ type, actor }) => `${type} ${actor === user.id}`)
    t.strictSame(types, ['UserInvited false', 'UserPasswordSet true', 'UserPasswordSet true'])
    const notice = await server.take(user.email, 'was changed')
    t.match(
      notice.text,
      /^Your password for Acme was changed on .* from the address 127\.0\.0\.1\. Your earlier sessions/,
    )
  },
)

await t.test('the link goes to the address of the user, whatever look-alike finds it', async (t) => {
  const user = await join()
  for (const typed of [user.email.replace('u', '\uff55'), user.email.replace('@', '\uff20')]) {
    await ask(typed)
    t.strictSame((await takeReset(user.email)).to, [user.email])
  }
})

await t.test('the answer tells nothing about an address, and only those who can use a link get one', async (t) => {
  const invited = (await service.manage('POST', '/users', { email: 'in@example.com', name: 'I', role: 'member' })).body
  const removed = await join()
  await service.manage('DELETE', `/users/${removed.id}`)
  const required = await service.makeCompany('Requires a provider')
  const [member, breakGlass] = [await join(required), await join(required)]
  await giveUnreachableProvider(pool, required.id, breakGlass.id)
  const user = await join()
  const { rows: before } = await pool.query('select company_id, position from heads order by company_id')
  const answers: string[] = []
  const emails = ['nobody@example.com', 'in@example.com', removed.email, member.email, breakGlass.email, user.email]
  for (const email of emails) {
    const { status, text, headers } = await ask(email)
    const fields = Object.keys(headers).filter((name) => name !== 'content-length')
    answers.push(JSON.stringify([status, text.replaceAll(email, ''), fields]))
  }
  t.equal(new Set(answers).size, 1)
  // Requests are carried out in turn, so the others are over when the last one has its message.
  await takeReset(user.email)
  t.strictSame(await Promise.all([invited, removed, member, breakGlass].map(({ id }) => resetsOf(id))), [0, 0, 0, 0])
  t.equal(await resetsOf(user.id), 1)
  t.strictSame((await pool.query('select company_id, position from heads order by company_id')).rows, before)
})

await t.test(
  'whether a user has the address is looked up after the answer, so the answer takes no longer',
  async (t) => {
    const user = await join()
    const holder = await pool.connect()
    await holder.query('begin; lock table users in access exclusive mode')
    for (const email of [user.email, 'nobody@example.com']) t.equal((await ask(email)).status, 200)
    await holder.query('rollback')
    holder.release()
    t.ok(linkIn(await takeReset(user.email)))
  },
)

await t.test('a user of several companies gets a message from each, and sets one password', async (t) => {
  const other = await service.makeCompany('Other')
  const here = await join()
  const there = await join(other, here.email)
  await ask(here.email)
  const emails = [await takeReset(here.email), await takeReset(here.email)]
  t.strictSame(emails.map(({ headers }) => headers['subject']!).toSorted(), [
    'Set a new password for Acme',
    'Set a new password for Other',
  ])
  const ofOther = emails.find(({ headers }) => headers['subject']!.endsWith('Other'))!
  t.equal((await setPassword(tokenIn(ofOther))).status, 200)
  t.ok(await signsIn(here, here.password), 'the password of the other company is unchanged')
  t.ok(await signsIn(there, NEXT))
})

await t.test('a user of twelve companies gets a message from each, or only from the one that is named', async (t) => {
  const email = 'consultant@example.com'
  const companies: TestCompany[] = []
  for (let at = 0; at < 12; at += 1) companies.push(await service.makeCompany(`Client ${at}.`))
  for (const company of companies) await join(company, email)
  await ask(email)
  const subjects: string[] = []
  for (let at = 0; at < 12; at += 1) subjects.push((await takeReset(email)).headers['subject']!)
  const expected = companies.map(({ name }) => `Set a new password for ${name}`)
  t.strictSame(subjects.toSorted(), expected.toSorted())
  const last = companies.at(-1)!
  const page = await browse(service, `/sign-in?with=password&company=${last.id}`)
  t.match(page.text, `href="${PATH}?company=${last.id}"`)
  t.match((await browse(service, `${PATH}?company=${last.id}`)).text, `name="company" value="${last.id}"`)
  await browse(service, PATH, { form: { email, company: last.id } })
  t.equal((await takeReset(email)).headers['subject'], `Set a new password for ${last.name}`)
  const { rows } = await pool.query(
    `select count(*)::integer as count from emails e join users u using (company_id, user_id)
     where u.email = $1 and e.kind = 'password_reset'`,
    [email],
  )
  t.strictSame(rows, [{ count: 13 }])
})

await t.test('a link works until it expires by the clock of the database, or a later one replaces it', async (t) => {
  const user = await join()
  const first = await askForLink(user.email)
  const second = await askForLink(user.email)
  t.equal((await setPassword(first)).status, 401, 'replaced')
  const expireIn = (interval: string) =>
    pool.query('update users set reset_expires_at = statement_timestamp() + $2::interval where user_id = $1', [
      toUuid(user.id),
      interval,
    ])
  const { rows } = await pool.query(
    `select extract(epoch from reset_expires_at - statement_timestamp()) / 60 as minutes from users where user_id = $1`,
    [toUuid(user.id)],
  )
  t.ok(rows[0].minutes > 28 && rows[0].minutes <= 30, String(rows[0].minutes))
  await expireIn('0 minutes')
  t.equal((await setPassword(second)).status, 401, 'expired')
  await expireIn('1 minute')
  t.equal((await setPassword(second)).status, 200)
})

await t.test(
  'a link ends with a change of the password, a reset, a removal, and when a provider is required',
  async (t) => {
    const company = await service.makeCompany('Ends')
    const ends: [string, (user: Awaited<ReturnType<typeof join>>) => Promise<unknown>][] = [
      [
        'a change',
        async (user) => {
          const form = { current: user.password, password: NEXT, repeated: NEXT }
          await browse(service, '/account/password', { cookie: await cookieOf(service, user), form })
        },
      ],
      ['a reset', (user) => service.manage('POST', `/users/${user.id}/reset-password`, undefined, company.admin.token)],
      ['a removal', (user) => service.manage('DELETE', `/users/${user.id}`, undefined, company.admin.token)],
      ['a provider', (user) => giveUnreachableProvider(pool, company.id, user.id)],
    ]
    for (const [what, end] of ends) {
      const user = await join(company)
      const token = await askForLink(user.email)
      await end(user)
      t.equal((await setPassword(token)).status, 401, what)
    }
  },
)

await t.test('passkeys stay, and are still needed beside the new password', async (t) => {
  const user = await join()
  await addPasskey(await signInByPassword(service, user), user.password)
  await ask(user.email)
  const email = await takeReset(user.email)
  t.match(email.text, 'To sign in, you need a passkey or a recovery code too.')
  t.equal((await setPassword(tokenIn(email))).status, 200)
  t.match(await browse(service, '/sign-in', { form: { email: user.email, password: NEXT } }), {
    status: 200,
    text: /You have passkeys, so use one of them now/,
  })
})

await t.test('a user gets five links an hour, however many ask at once, and the last one keeps working', async (t) => {
  const user = await join()
  const secrets = await findConfiguredSecretBox(service.config)
  const outbox: Outbox = { publicUrl: ORIGIN, secrets, announce: () => undefined }
  const scope = { email: user.email, companyIds: null }
  const request = () => requestPasswordReset({ pool, outbox }, scope, { address: '192.0.2.1', userAgent: null })
  await Promise.all(Array.from({ length: 12 }, request))
  t.equal(await resetsOf(user.id), 5)
  const tokens: string[] = []
  for (let count = 0; count < 5; count += 1) tokens.push(tokenIn(await takeReset(user.email)))
  await request()
  t.equal(await resetsOf(user.id), 5)
  const statuses: number[] = []
  for (const token of tokens) statuses.push((await setPassword(token)).status)
  t.strictSame(
    statuses.toSorted((a, b) => a - b),
    [200, 401, 401, 401, 401],
  )
  await pool.query(`update emails set created_at = ${earlier('created_at', "interval '1 hour'")} where user_id = $1`, [
    toUuid(user.id),
  ])
  await request()
  t.equal(await resetsOf(user.id), 6)
})

await t.test(
  'requests of one network are limited, whether or not a user has the address, and signing in is not',
  async (t) => {
    const { service: limited, server: inbox } = await startMailingService(t, { SIGN_IN_LIMIT: '2' })
    const { member } = limited.company
    const statuses = async (email: string) => {
      const answers = []
      for (let times = 0; times < 4; times += 1) answers.push(await ask(email, limited))
      t.match(answers.at(-1)!.text, /role="alert"[^>]*>Too many attempts\. Try again in 15 minutes\./)
      return answers.map(({ status }) => status)
    }
    t.strictSame(await statuses(member.email), [200, 200, 429, 429])
    t.strictSame(await statuses('nobody@example.com'), [200, 200, 429, 429])
    t.equal(
      (await browse(limited, '/sign-in', { form: { email: member.email, password: member.password } })).status,
      303,
    )
    await inbox.waitFor(2)
  },
)

await t.test('fifty requests from an office keep nobody there from signing in', async (t) => {
  const { service: office } = await startMailingService(t)
  const { admin } = office.company
  const statuses: number[] = []
  for (let at = 0; at < 52; at += 1) statuses.push((await ask(`nobody.${at}@example.com`, office)).status)
  t.strictSame(statuses, [...Array.from({ length: 50 }, () => 200), 429, 429])
  const form = { email: admin.email, password: admin.password }
  t.equal((await browse(office, '/sign-in', { form })).status, 303)
})

await t.test('a process that stops carries out what it has answered', async (t) => {
  const user = await join()
  const stopping = await startService(
    t,
    { SMTP_URL: server.url, MAIL_FROM: 'ledger@ledger.example', PUBLIC_URL: ORIGIN },
    { urls: service.urls },
  )
  const holder = await holdRow(service, 'users', user.company)
  await ask(user.email, stopping)
  const closed = once(stopping.app.server, 'close')
  const stopped = stopping.app.close()
  await closed
  await letGo(holder)
  await stopped
  t.equal(await resetsOf(user.id), 1)
})

await t.test('something else than an address is refused', async (t) => {
  for (const email of ['', 'ana', 'ana@', 'a@b.example\r\nBcc: eve@evil.example'])
    t.match(await ask(email), { status: 422, text: /id="email-fault"/ }, email)
})

await t.test('without a mail server, the page of the sign-in says whom to ask, and nothing is stored', async (t) => {
  const silent = await startService(t)
  t.match((await browse(silent, '/sign-in?with=password')).text, /Forgot your password\? Ask an administrator/)
  t.equal((await browse(silent, PATH)).status, 404)
  t.equal((await ask(silent.company.member.email, silent)).status, 404)
  const person = { email: 'new@example.com', name: 'N', role: 'member' }
  const { body } = await silent.manage('POST', '/users', person)
  t.equal(body.invitation.emailed, false)
  t.strictSame((await silent.pool.query('select from emails')).rows, [])
})
