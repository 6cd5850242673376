import { hash } from 'node:crypto'
import t from 'tap'
import { toUuid } from '../../src/domain/ids.ts'
import { countHashes } from '../support/ledger/counted-hashes.ts'
import { startService } from '../support/service.ts'
import { browse, cookieOf, letsIn, issueToken } from '../support/http/sessions.ts'
import { isSignIn, streamOf } from '../support/ledger/company-events.ts'

const service = await startService(t, { SIGN_IN_LIMIT: '10' })
const { admin, auditor, member } = service.company
const seenOn = ({ text }: { text: string }) => /name="seen" value="(\d+)"/.exec(text)![1]!
const NEXT = 'the next password'
const change = (cookie: string, current: string, password = NEXT, repeated = password) =>
  browse(service, '/account/password', { cookie, form: { current, password, repeated } })

await t.test('a password change starts a fresh session and ends all others', async (t) => {
  const [here, there, other] = [
    await cookieOf(service, member),
    await cookieOf(service, member),
    await cookieOf(service, auditor),
  ]
  const changed = await change(here, member.password)
  t.match(changed, { status: 303, location: '/account?done=password' })
  t.notOk(await letsIn(service, here))
  t.notOk(await letsIn(service, there))
  t.ok(await letsIn(service, changed.cookie!))
  t.ok(await letsIn(service, other))
  const form = { email: member.email, password: member.password }
  t.equal((await browse(service, '/sign-in', { form })).status, 401)
  t.equal((await browse(service, '/sign-in', { form: { ...form, password: NEXT } })).status, 303)
  const [event] = (await streamOf(service, member.user_id)).filter((one) => !isSignIn(one)).slice(-1)
  t.match(event, { type: 'UserPasswordSet', actor: member.user_id })
  t.strictSame(event!.data, {})
  t.equal((await service.manage('GET', '/tokens', undefined, member.token)).status, 200, 'tokens keep working')
})

await t.test('a wrong current password, a mismatch or a short password changes nothing', async (t) => {
  const cookie = await cookieOf(service, auditor)
  const before = (await streamOf(service, auditor.user_id)).length
  const hashes = countHashes(t)
  const tries: [name: string, passwords: [current: string, password: string, repeated?: string], checks: number][] = [
    ['current', ['wrong password', NEXT], 1],
    ['repeated', [auditor.password, NEXT, `${NEXT}x`], 0],
    ['password', [auditor.password, 'short'], 0],
    ['current', ['', NEXT], 0],
  ]
  for (const [name, passwords, checks] of tries) {
    const answer = await change(cookie, ...passwords)
    t.match(answer, { status: 422, cookie: null })
    t.match(answer.text, `id="${name}-fault"`)
    t.notMatch(answer.text, NEXT)
    t.equal(hashes().length, checks)
  }
  t.ok(await letsIn(service, cookie))
  t.equal((await streamOf(service, auditor.user_id)).length, before)
})

await t.test('of two simultaneous changes one succeeds, and the other is refused', async (t) => {
  const fresh = await startService(t)
  const user = fresh.company.member
  const cookies = [await cookieOf(fresh, user), await cookieOf(fresh, user)]
  const passwords = ['first new password', 'second new password']
  const answers = await Promise.all(
    cookies.map((cookie, at) => {
      const form = { current: user.password, password: passwords[at]!, repeated: passwords[at]! }
      return browse(fresh, '/account/password', { cookie, form })
    }),
  )
  const winner = answers.findIndex(({ location }) => location === '/account?done=password')
  t.not(winner, -1)
  t.equal(answers.filter(({ location }) => location === '/account?done=password').length, 1)
  t.ok(await letsIn(fresh, answers[winner]!.cookie!))
  t.equal((await browse(fresh, '/sign-in', { form: { email: user.email, password: passwords[winner]! } })).status, 303)
  t.equal(
    (await streamOf(fresh, user.user_id, fresh.company.id)).filter(({ type }) => type === 'UserPasswordSet').length,
    2,
  )
})

await t.test('guesses at the current password are limited, without limiting sign-in', async (t) => {
  const limited = await startService(t, { SIGN_IN_LIMIT: '3' })
  const user = limited.company.member
  const cookie = await cookieOf(limited, user)
  const guess = (current: string) =>
    browse(limited, '/account/password', { cookie, form: { current, password: NEXT, repeated: NEXT } })
  for (let at = 0; at < 3; at += 1) t.equal((await guess(`guess number ${at}`)).status, 422)
  const hashes = countHashes(t)
  const refused = await guess(user.password)
  t.equal(refused.status, 429)
  t.ok(Number(refused.headers['retry-after']) > 0)
  t.strictSame(hashes(), [])
  t.equal((await browse(limited, '/sign-in', { form: { email: user.email, password: user.password } })).status, 303)
})

for (const [role, user] of Object.entries({ admin, auditor })) {
  await t.test(`${role}: a new token is shown once, works, and ends when it is revoked`, async (t) => {
    const cookie = await cookieOf(service, user)
    const fields = { name: ' CI <x> ', expires_in_days: '7', everything: 'on', current: user.password }
    const form = { seen: seenOn(await browse(service, '/account', { cookie })), ...fields }
    for (const current of ['', 'a wrong password']) {
      t.match(await browse(service, '/account/tokens', { cookie, form: { ...form, current } }), {
        status: 422,
        text: /This is not your current password/,
      })
    }
    const shown = await browse(service, '/account/tokens', { cookie, form })
    const [, token] = /<code id="token">(el_user_\w+)<\/code>/.exec(shown.text)!
    t.equal((await service.manage('GET', '/tokens', undefined, token)).status, 200)
    t.match((await browse(service, '/account/tokens', { cookie, form })).text, token, 'sent twice')
    t.match(await browse(service, '/account/tokens', { cookie, form: { ...form, name: 'Outdated' } }), {
      status: 412,
      text: /Nothing was done/,
    })
    const listed = (await service.manage('GET', '/tokens', undefined, user.token)).body.items
    t.equal(listed.filter(({ name }: { name: string }) => name === 'CI <x>').length, 1)
    const page = await browse(service, '/account', { cookie })
    t.match(page.text, 'CI &lt;x&gt;')
    t.notOk(page.text.includes(token!))
    const path = `/account/tokens/${listed[0].id}/revoke`
    t.match(await browse(service, path, { cookie }), { status: 200, text: /Revoke “<bdi>CI &lt;x&gt;<\/bdi>”\?/ })
    t.equal(
      (await service.manage('GET', '/tokens', undefined, token)).status,
      200,
      'the confirmation page ends nothing',
    )
    t.match(await browse(service, path, { cookie, form: {} }), { status: 303, location: '/account?done=revoked' })
    t.equal((await service.manage('GET', '/tokens', undefined, token)).status, 401)
  })
}

await t.test("the account page lists only one's own tokens, for administrators too", async (t) => {
  const cookie = await cookieOf(service, admin)
  const { body } = await issueToken(service, auditor, { name: 'Of the auditor' })
  t.notMatch((await browse(service, '/account', { cookie })).text, 'Of the auditor')
  for (const id of [body.id, 'x', 'tok_01h455vb4pex5vsknk084sn02q']) {
    t.equal((await browse(service, `/account/tokens/${id}/revoke`, { cookie })).status, 404)
    t.equal((await browse(service, `/account/tokens/${id}/revoke`, { cookie, form: {} })).status, 404)
  }
  t.equal((await service.manage('GET', '/tokens', undefined, body.token)).status, 200)
  const faulty = await browse(service, '/account/tokens', {
    cookie,
    form: { seen: '0', name: '', expires_in_days: '367' },
  })
  t.match(faulty, { status: 422, text: /must be at most 366/ })
})

await t.test('the list of sessions marks the current one and leaves out ended ones', async (t) => {
  const user = (await service.makeCompany('Fresh')).member
  await service.pool.query(`update users set email = 'fresh@example.com' where user_id = $1`, [toUuid(user.user_id)])
  const cookies: string[] = []
  for (let at = 0; at < 4; at += 1)
    cookies.push(await cookieOf(service, { email: 'fresh@example.com', password: user.password }))
  await service.pool.query('update sessions set last_used = $1 where session_hash = $2', [
    new Date(Date.now() - 61 * 60_000),
    hash('sha256', cookies[0]!.slice(cookies[0]!.indexOf('=') + 1), 'buffer'),
  ])
  const { text } = await browse(service, '/account', { cookie: cookies[2]! })
  t.equal(text.slice(text.indexOf('<h2 id="sessions">')).split('<th scope="row">').length - 1, 3)
  t.equal(text.split('(this session)').length - 1, 1)
})
