import t, { type Test } from 'tap'
import { toUuid } from '../../../src/domain/ids.ts'
import { countHashes } from '../../support/ledger/counted-hashes.ts'
import { inputs } from '../../support/quick.ts'
import { startService } from '../../support/service.ts'
import { browse, type BrowseOptions, letsIn } from '../../support/http/sessions.ts'

const service = await startService(t, { SIGN_IN_LIMIT: '0' })
const { admin, auditor, member } = service.company
const trying = (email: string, password: string, more: Record<string, string> = {}, options: BrowseOptions = {}) =>
  browse(service, '/sign-in', { ...options, form: { email, password, ...more } })

await t.test('each role lands on its own first page, and a member on their account', async (t) => {
  const places = { admin: '/settings/bulk-user-logs', auditor: '/settings/events', member: '/account' }
  for (const [role, place] of Object.entries(places)) {
    const user = service.company[role as keyof typeof places]
    const answer = await trying(user.email, user.password)
    t.match(answer, { status: 303, location: place })
    t.match(await browse(service, '/', { cookie: answer.cookie }), { status: 303, location: place })
    t.match(await browse(service, '/sign-in', { cookie: answer.cookie }), { status: 303, location: place })
  }
})

await t.test(
  'a wrong password, an unknown address and a user without a password get the same answer, at the same cost',
  async (t) => {
    const { body: invited } = await service.manage('POST', '/users', {
      email: 'invited@example.com',
      name: 'I',
      role: 'admin',
    })
    const gone = (await service.manage('POST', '/users', { email: 'gone@example.com', name: 'G', role: 'admin' })).body
    await service.manage('DELETE', `/users/${gone.id}`)
    const hashes = countHashes(t)
    const bytes: string[] = []
    for (const email of [admin.email, 'nobody@example.com', invited.email, 'gone@example.com']) {
      const answer = await trying(email, 'wrong password')
      t.match(answer, { status: 401, cookie: null })
      t.match(answer.text, 'The email or password is incorrect.')
      t.strictSame(hashes(), ['argon2id 19456 2 1 32'], email)
      bytes.push(answer.text.replaceAll(email, ''))
    }
    t.equal(new Set(bytes).size, 1)
  },
)

await t.test('an impossible password is refused without checking one', async (t) => {
  const hashes = countHashes(t)
  for (const [email, password] of [
    ['no address', 'x'],
    [admin.email, ''],
    [admin.email, 'x'.repeat(1_001)],
    ['', ''],
  ] as const) {
    t.equal((await trying(email, password)).status, 401)
  }
  t.strictSame(hashes(), [])
})

await t.test('any valid password signs in: the longest, with any characters, composed or not', async (t) => {
  for (const [at, [set, typed]] of [
    ['🔑'.repeat(1_000)],
    [' leading and trailing '],
    ['caf\u00e9 au lait +&=%', 'cafe\u0301 au lait +&=%'],
  ].entries()) {
    const email = `p${at}@example.com`
    const { body } = await service.manage('POST', '/users', { email, name: 'P', role: 'member' })
    const form = { token: body.invitation.token, password: set!, repeated: set! }
    t.equal((await browse(service, '/invitation', { form })).status, 200)
    t.equal((await trying(email, typed ?? set!)).status, 303)
  }
})

await t.test('a user of several companies chooses one, unless only one of them has that password', async (t) => {
  const other = await service.makeCompany('Other <b>')
  t.match(await landsIn(t, (await trying(auditor.email, other.auditor.password)).cookie), 'Other &lt;b&gt;')
  const { rows } = await service.pool.query('select password_hash from users where user_id = $1', [
    toUuid(auditor.user_id),
  ])
  await service.pool.query('update users set password_hash = $1 where user_id = $2', [
    rows[0].password_hash,
    toUuid(other.auditor.user_id),
  ])
  const asked = await trying(auditor.email, auditor.password)
  t.match(asked, { status: 200, cookie: null })
  for (const company of [service.company, other]) {
    t.match(asked.text, `value="${company.id}"`)
    const { cookie } = await trying(auditor.email, auditor.password, { company: company.id })
    t.match(await landsIn(t, cookie), company.name.replace('<b>', '&lt;b&gt;'))
  }
  const third = await service.makeCompany('Third')
  const refused = await trying(auditor.email, auditor.password, { company: third.id })
  t.match(refused, { status: 401, cookie: null })
  t.match(refused.text, `name="company" value="${third.id}"`, 'the company stays named')
  t.match(refused.text, '<a href="/sign-in">Use another one</a>')
})

async function landsIn(t: Test, cookie: string | null): Promise<string> {
  t.ok(cookie)
  const { text } = await browse(service, '/account', { cookie })
  return /<span class="company">([^]*?)<\/span>/.exec(text)?.[1] ?? ''
}

const OWN = [
  '/settings',
  '/settings/api-keys?status=active',
  '/account',
  '/account/tokens/x',
  '/settings/users/%2f%2fevil.example',
]
const FOREIGN = [
  ...[
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    'https:evil.example',
    'javascript:alert(1)',
    '/%2f/evil.example',
  ],
  ...[
    '%2F%2Fevil.example',
    '/settings\r\nset-cookie: a=b',
    '/settings\n',
    '/settingsx',
    '/settings@evil.example',
    '.evil.example',
  ],
  ...[' /settings', '/settings/ evil', '/sign-out', '/admin/v1/bulk-user-logs.csv', '', '/', '/account\u2028'],
]
const NEXT = [...OWN, ...FOREIGN]

await t.test('signing in never redirects to another site or a non-page', async (t) => {
  for (const next of NEXT.slice(0, inputs(11, NEXT.length))) {
    const { location, headers } = await trying(member.email, member.password, { next })
    t.equal(location, OWN.includes(next) ? next : '/account', encodeURIComponent(next))
    const cookies = (headers['set-cookie'] ?? []).map((cookie) => cookie.split('=', 1)[0])
    t.strictSame(cookies, ['session', 'known-browser'])
  }
})

await t.test('a link to the sign-in page never redirects to another site, signed in or not', async (t) => {
  const { cookie } = await trying(member.email, member.password)
  for (const next of NEXT) {
    const path = `/sign-in?next=${encodeURIComponent(next)}`
    t.equal(
      (await browse(service, path, { cookie })).location,
      OWN.includes(next) ? next : '/account',
      encodeURIComponent(next),
    )
    const [, held] = /name="next" value="([^"]*)"/.exec((await browse(service, path)).text) ?? []
    t.equal(held, OWN.includes(next) ? next : '', encodeURIComponent(next))
  }
})

await t.test('opening a page without a session leads to sign-in, and back afterwards', async (t) => {
  const asked = await browse(service, '/settings/users?status=removed')
  t.match(asked, { status: 303, location: '/sign-in?next=%2Fsettings%2Fusers%3Fstatus%3Dremoved' })
})

await t.test('a parameter sent twice does no harm', async (t) => {
  const { body } = await service.manage('POST', '/users', { email: 'twice@example.com', name: 'T', role: 'member' })
  const { token } = body.invitation
  t.equal((await browse(service, `/invitation?token=${token}&token=${token}`)).status, 200)
  t.equal((await browse(service, '/sign-in?next=/settings/a&next=//evil.example')).status, 200)
})

await t.test(
  'after too many tries even the right password is refused unchecked, and nobody else is blocked',
  async (t) => {
    const limited = await startService(t, { SIGN_IN_LIMIT: '3' })
    const { admin, member } = limited.company
    const trying = (email: string, password: string, from = '127.0.0.1') =>
      browse(limited, '/sign-in', { form: { email, password }, from })
    for (let at = 0; at < 3; at += 1) t.equal((await trying(admin.email, `wrong ${at}`)).status, 401)
    const hashes = countHashes(t)
    for (const email of [admin.email, admin.email.toUpperCase(), ` ${admin.email}`]) {
      const refused = await trying(email, admin.password)
      t.match(refused, { status: 429, cookie: null })
      const seconds = Number(refused.headers['retry-after'])
      t.ok(seconds > 0 && seconds <= 900, String(seconds))
    }
    t.strictSame(hashes(), [])
    t.equal((await trying(member.email, member.password)).status, 303)
    t.equal((await trying(admin.email, admin.password, '127.0.0.2')).status, 303)
  },
)

await t.test('tries from many network addresses are counted together', async (t) => {
  const limited = await startService(t, { SIGN_IN_LIMIT: '1' })
  const { admin } = limited.company
  const statuses: number[] = []
  for (let at = 1; at <= 12; at += 1) {
    statuses.push(
      (await browse(limited, '/sign-in', { form: { email: admin.email, password: 'wrong' }, from: `127.0.0.${at}` }))
        .status,
    )
  }
  t.strictSame(statuses, [...Array.from({ length: 10 }, () => 401), 429, 429])
})

await t.test('an invitation link works once, and opening it does not use it up', async (t) => {
  const { body } = await service.manage('POST', '/users', { email: 'link@example.com', name: 'L', role: 'auditor' })
  const { token } = body.invitation
  for (let at = 0; at < 3; at += 1) t.equal((await browse(service, `/invitation?token=${token}`)).status, 200)
  const opened = await browse(service, `/invitation?token=${token}`)
  t.match(opened.text, 'link@example.com', 'password managers learn whose password it is')
  const accept = (password: string, repeated = password) =>
    browse(service, '/invitation', { form: { token, password, repeated } })
  const faults = [
    await accept('short'),
    await accept('long enough password', 'long enough passwort'),
    await accept('x'.repeat(1_001)),
  ]
  t.strictSame(
    faults.map(({ status }) => status),
    [422, 422, 422],
  )
  t.match(faults[1]!.text, 'The passwords do not match')
  for (const { text } of faults) t.notMatch(text, 'long enough')
  t.match(await accept('long enough password'), { status: 200, cookie: null })
  t.match(await accept('another long password'), { status: 401, text: /already used/ })
  t.equal((await trying('link@example.com', 'another long password')).status, 401)
  const { cookie } = await trying('link@example.com', 'long enough password')
  t.ok(await letsIn(service, cookie!))
})

await t.test('a password reset voids the old password at once, and its link sets the next', async (t) => {
  const { body } = await service.manage('POST', `/users/${member.user_id}/reset-password`)
  t.equal((await trying(member.email, member.password)).status, 401)
  const form = { token: body.invitation.token, password: 'a new password', repeated: 'a new password' }
  t.equal((await browse(service, '/invitation', { form })).status, 200)
  t.equal((await trying(member.email, 'a new password')).status, 303)
})

await t.test('a domain in its own script and as Punycode is one address, whichever was stored', async (t) => {
  const [read, written] = ['ida@b\u00fccher.example', 'ida@xn--bcher-kva.example']
  const invite = (email: string) => service.manage('POST', '/users', { email, name: 'Ida', role: 'member' })
  const { body: invited } = await invite(written)
  t.equal(invited.email, read)
  t.match(await invite(written), { status: 409, body: { code: 'user_exists' } })
  t.match(await invite(read), { status: 409, body: { code: 'user_exists' } })
  const password = 'a long enough passphrase'
  const { token } = invited.invitation
  t.match(await service.call('POST', '/admin/v1/invitations/accept', { key: null, body: { token, password } }), {
    status: 200,
  })
  for (const stored of [read, written]) {
    await service.pool.query('update users set email = $1 where user_id = $2', [stored, toUuid(invited.id)])
    for (const typed of [read, written, written.toUpperCase()])
      t.match(await trying(typed, password), { status: 303, location: '/account' }, `${stored} as ${typed}`)
  }
})
