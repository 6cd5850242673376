import t from 'tap'
import { toUuid } from '../../../src/domain/ids.ts'
import { browse, cookieOf } from '../../support/http/sessions.ts'
import { streamOf } from '../../support/ledger/company-events.ts'
import { startService } from '../../support/service.ts'
import type { TestCompany } from '../../support/service.ts'

const PUBLIC_URL = 'http://localhost:3000'
const service = await startService(t, { PUBLIC_URL })
const { pool } = service
const PAGE = '/settings/sign-in'
const NEW = `${PAGE}/new`
const ISSUER = 'https://idp.example.com'
const SECRET = 'the-client-secret'
const FORM = {
  name: 'Okta',
  issuer: ISSUER,
  client_id: 'ledger',
  client_auth: 'client_secret',
  secret: SECRET,
  creates_users: 'no',
  role_claim: '',
  roles: '',
}
const seenOn = ({ text }: { text: string }) => /name="seen" value="(\d+)"/.exec(text)![1]!

/** A company and its administrator's browser. */
async function openCompany(name: string) {
  const company = await service.makeCompany(name)
  const cookie = await cookieOf(service, company.admin)
  return {
    company,
    open: (path = PAGE) => browse(service, path, { cookie }),
    send: (path: string, form: Record<string, string> = {}) => browse(service, path, { cookie, form }),
  }
}

/** Sets up a provider and sends a form of its page. */
async function setUp(name: string, more: Record<string, string> = {}) {
  const { company, open, send } = await openCompany(name)
  const answer = await send(NEW, { ...FORM, ...more })
  if (answer.status !== 303) throw new Error(answer.text)
  const change = async (path: string, form: Record<string, string> = {}) =>
    send(`${PAGE}${path}`, { seen: seenOn(await open()), current: company.admin.password, ...form })
  const findId = async () => /settings\/events\?id=(idp_\w+)"/.exec((await open()).text)![1]!
  return { company, open, send, change, findId, read: () => readRow(company) }
}

interface Row {
  provider_id: string
  version: number
  use: string
  secret: Buffer
  client_auth: string
  issuer: string
  roles: object[]
}
async function readRow({ id }: TestCompany): Promise<Row | undefined> {
  const { rows } = await pool.query<Row>('select * from identity_providers where company_id = $1', [toUuid(id)])
  return rows[0]
}
const link = ({ id, admin }: TestCompany, issuer = ISSUER) =>
  pool.query('update users set issuer = $3, subject = user_id::text where company_id = $1 and user_id = $2', [
    ...[toUuid(id), toUuid(admin.user_id), issuer],
  ])

await t.test('a provider is set up switched off, its addresses are shown, and its secret never is', async (t) => {
  const { company, open, send, read } = await setUp('Add', {
    name: '<i>Okta</i>',
    role_claim: 'groups',
    roles: ' ledger-admins = admin\n\nteam=a = auditor\r\n',
  })
  const { text } = await open(`${PAGE}?done=added`)
  for (const words of [
    'Test it before you switch it on',
    '&lt;i&gt;Okta&lt;/i&gt;',
    'Nobody can sign in through it',
    ...['', '/callback', '/backchannel-logout'].map((path) => `>${PUBLIC_URL}/sign-in/${company.id}${path}</code>`),
    `href="/sign-in/${company.id}/start?test=1"`,
    'ledger-admins = admin\nteam=a = auditor</textarea',
  ])
    t.ok(text.includes(words), words)
  t.match(await read(), { use: 'off', version: 1, roles: [{ value: 'ledger-admins' }, { value: 'team=a' }] })
  t.notOk(text.includes(SECRET))
  t.notOk((await read())!.secret.includes(SECRET), 'it is stored encrypted')
  const second = await send(NEW, FORM)
  t.match(second, { status: 412, text: /already has an identity provider/ }, 'a company has one')
})

await t.test('a provider that takes no key is set up with only a secret', async (t) => {
  const { company, open, send } = await openCompany('No key')
  const { text } = await open(`${NEW}?provider=entra`)
  t.match(text, 'name="secret"')
  t.notMatch(text, 'name="client_auth"')
  const { client_auth: _, ...form } = { ...FORM, provider: 'entra' }
  t.match(await send(NEW, form), { status: 303 })
  t.match(await readRow(company), { client_auth: 'client_secret' })
})

await t.test('submitting the form twice sets up one provider, also when both arrive at once', async (t) => {
  const { company, send } = await openCompany('Twice')
  const answers = await Promise.all([1, 2, 3].map(() => send(NEW, FORM)))
  t.strictSame(answers.map(({ status }) => String(status)).toSorted(), ['303', '412', '412'])
  t.match(await readRow(company), { version: 1 })
})

await t.test('a refused form keeps everything but the secret, and says what is wrong where', async (t) => {
  const { send, company } = await openCompany('Refused')
  const { text, status } = await send(NEW, { ...FORM, issuer: 'http://idp.example.com', roles: 'a', secret: '\t' })
  t.equal(status, 422)
  for (const words of [
    'Correct the 3 fields',
    'Issuer must start with https://',
    'Role claim is required, as values of it have roles',
    'Client secret is required',
    'value="http://idp.example.com"',
  ])
    t.ok(text.includes(words), words)
  const role = await send(NEW, { ...FORM, role_claim: 'groups', roles: 'a = admin\nb = boss', issuer: 'x' })
  t.match(role.text, 'Roles: number 2 must have one of the roles admin, auditor, member')
  t.notOk(role.text.includes(SECRET))
  t.equal(await readRow(company), undefined)
})

await t.test(
  'two administrators who change a provider at once: the second sees it and keeps their input',
  async (t) => {
    const { open, send, read } = await setUp('Edit')
    const seen = seenOn(await open())
    t.match(await send(PAGE, { ...FORM, seen, name: 'First' }), { status: 303, location: `${PAGE}?done=saved` })
    const second = await send(PAGE, { ...FORM, seen, name: 'Second' })
    t.match(second, { status: 412, text: /value="Second"/ })
    t.match(await read(), { name: 'First', version: 2 })
    t.match(await send(PAGE, { ...FORM, seen: seenOn(second), name: 'Second' }), { status: 303 })
    t.equal((await send(PAGE, { ...FORM, name: 'Unseen' })).status, 412, 'a form without a version')
  },
)

await t.test('a secret is replaced, also by a key pair whose public half is published', async (t) => {
  const { company, open, change, findId, read } = await setUp('Secret')
  const path = `/sign-in/${company.id}/jwks`
  t.match(await browse(service, path), { status: 404 }, 'nothing is published for a client secret')
  const before = (await read())!.secret
  t.match(await change('/secret', { client_auth: 'client_secret', secret: '' }), {
    status: 422,
    text: /Client secret is required/,
  })
  t.match(await change('/secret', { client_auth: 'client_secret', secret: 'another' }), { status: 303 })
  t.notOk((await read())!.secret.equals(before))
  t.match(await change('/secret', { client_auth: 'private_key_jwt', secret: '' }), { status: 303 })
  const published = await browse(service, path)
  t.match(published, { status: 200 })
  const { keys } = JSON.parse(published.text) as { keys: Record<string, string>[] }
  t.strictSame(Object.keys(keys[0]!).toSorted(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'], 'no private part')
  t.ok((await open()).text.includes(keys[0]!['kid']!), 'the page shows it, too')
  await change('/secret', { client_auth: 'private_key_jwt' })
  const { text } = await browse(service, path)
  t.not((JSON.parse(text) as { keys: { kid: string }[] }).keys[0]!.kid, keys[0]!['kid'], 'a new key has a new name')
  const events = await streamOf(service, await findId(), company.id)
  t.strictSame(
    events.map(({ type }) => type),
    [
      'IdentityProviderAdded',
      'IdentityProviderSecretReplaced',
      'IdentityProviderChanged',
      'IdentityProviderSecretReplaced',
      'IdentityProviderSecretReplaced',
    ],
  )
  t.notOk(JSON.stringify(events).includes('another'), 'events contain no secret')
})

await t.test('requiring a provider needs proof that it works, and somebody who can break the glass', async (t) => {
  const { company, open, change, read } = await setUp('Require')
  t.match(await change('/use/optional'), { status: 303, location: `${PAGE}?done=optional` })
  t.match(
    (await open()).text,
    /Require provider…<\/summary>\s*<div class="question">\s*<p><strong>3 of 3 users have never signed in/,
  )
  const form = { break_glass: company.admin.user_id }
  t.match(await change('/use/required', form), { status: 409, text: /No administrator is linked to an account/ })
  await link(company, 'https://former.example.com')
  t.equal((await change('/use/required', form)).status, 409, 'an account at another issuer proves nothing')
  await link(company)
  t.match((await open()).text, '2 of 3 users have never signed in through the provider.')
  for (const id of ['', company.member.user_id, 'me']) {
    t.match(await change('/use/required', { break_glass: id }), {
      status: 422,
      text: /Break-glass administrator must be an administrator who has a password/,
    })
  }
  t.match(await change('/use/required', form), { status: 303, location: `${PAGE}?done=required` })
  t.match(await read(), { use: 'required', break_glass: toUuid(company.admin.user_id) })
  const { text } = await open()
  t.match(text, /Break-glass administrator<\/dt>/)
  t.notMatch(text, `${PAGE}/remove`, 'a required provider cannot be removed')
  t.match(await change('/remove'), { status: 409, text: /turn it off before you remove it/ })
  t.match(await change('', { ...FORM, issuer: 'https://other.example.com' }), {
    status: 409,
    text: /can only be changed while the provider is off/,
  })
})

await t.test('a session turns a provider on only with the password: it could sign in as anybody', async (t) => {
  const { company, open, change, read } = await setUp('Proof')
  await link(company)
  t.match((await open()).text, 'Current password')
  for (const current of ['', 'a wrong password']) {
    t.match(await change('/use/optional', { current }), { status: 422, text: /This is not your current password/ })
    const form = { break_glass: company.admin.user_id, current }
    t.equal((await change('/use/required', form)).status, 422)
  }
  t.match(await read(), { use: 'off' })
  t.equal((await change('/use/optional')).status, 303)
  t.notMatch((await open()).text, 'Current password')
  t.equal((await change('/use/required', { break_glass: company.admin.user_id, current: '' })).status, 303)
})

await t.test('turning a provider off ends the sessions that began there, and no others', async (t) => {
  const { company, open, change } = await setUp('Off')
  await change('/use/optional')
  await pool.query(
    `insert into sessions (company_id, session_hash, user_id, role, created_at, last_used, expires_at, user_agent,
       address, method)
     values ($1, sha256('x'), $2, 'auditor', now(), now(), now() + interval '1 hour', '', '', 'provider')`,
    [toUuid(company.id), toUuid(company.auditor.user_id)],
  )
  t.match(await change('/use/off'), { status: 303, location: `${PAGE}?done=off` })
  const text = 'select method from sessions where company_id = $1'
  t.strictSame((await pool.query(text, [toUuid(company.id)])).rows, [{ method: 'password' }])
  t.equal((await open()).status, 200)
})

await t.test('a company does not give up its provider while no administrator has another way in', async (t) => {
  const { company, change, read } = await setUp('Alone')
  await change('/use/optional')
  await link(company)
  await pool.query('update users set password_hash = null where company_id = $1', [toUuid(company.id)])
  for (const path of ['/use/off', '/remove'])
    t.match(await change(path), { status: 409, text: /No administrator could sign in without the provider/ })
  t.match(await read(), { use: 'optional' })
})

await t.test('a removed provider leaves its history, and another one can be set up', async (t) => {
  const { open, send, change, findId, read } = await setUp('Remove')
  const id = await findId()
  t.match((await open(`/settings/events?id=${id}`)).text, `<a href="${PAGE}"><em><bdi>Okta</bdi></em></a>`)
  t.match(await change('/remove'), { status: 303, location: `${PAGE}?done=removed` })
  t.equal(await read(), undefined)
  t.match((await open()).text, 'Set up identity provider')
  t.match(
    (await open(`/settings/events?id=${id}`)).text,
    `removed identity provider <a href="/settings/events?id=${id}">`,
  )
  t.match(await send(NEW, FORM), { status: 303 })
  t.not(await findId(), id)
})

await t.test('without an address or a key, the page says what the operator must set', async (t) => {
  const other = await startService(t, { SECRETS_KEY: '' })
  const cookie = await cookieOf(other, other.company.admin)
  for (const path of [PAGE, NEW]) {
    const { text } = await browse(other, path, { cookie })
    for (const words of ['PUBLIC_URL', 'SECRETS_KEY_FILE']) t.match(text, words)
    t.notMatch(text, '<button class="primary">Set up')
  }
  t.match(await browse(other, NEW, { cookie, form: FORM }), { status: 503, text: /has not configured a key/ })
})
