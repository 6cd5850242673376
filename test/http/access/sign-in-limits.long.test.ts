import t from 'tap'
import { countHashes } from '../../support/ledger/counted-hashes.ts'
import { send, startService } from '../../support/service.ts'
import { browse, OWN_PAGE } from '../../support/http/sessions.ts'

/* Limits on sign-ins and bad credentials, by person and by network. A trusted proxy names the addresses. */

const PROXIED = { TRUST_PROXY: '127.0.0.1' }
let count = 0
const anybody = () => `nobody.${(count += 1)}@example.com`

function trying(service: { address: string }, email: string, password: string, from: string) {
  return browse(service, '/sign-in', { form: { email, password }, headers: { ...OWN_PAGE, 'x-forwarded-for': from } })
}

await t.test('ten people who keep signing in from one address are never blocked', async (t) => {
  const service = await startService(t, { SIGN_IN_LIMIT: '3', SIGN_IN_ADDRESS_LIMIT: '3' })
  const { admin, member } = service.company
  for (let at = 0; at < 10; at += 1) {
    t.equal((await browse(service, '/sign-in', { form: { email: admin.email, password: admin.password } })).status, 303)
  }
  const statuses = await Promise.all(
    [admin, member].map(({ email, password }) => browse(service, '/sign-in', { form: { email, password } })),
  )
  t.strictSame(
    statuses.map(({ status }) => status),
    [303, 303],
  )
})

await t.test("by default, one network can't try 60 e-mail addresses", async (t) => {
  const service = await startService(t, PROXIED)
  const { admin } = service.company
  const statuses: number[] = []
  for (let at = 0; at < 60; at += 1)
    statuses.push((await trying(service, anybody(), 'wrong', `2001:db8::${at}`)).status)
  t.strictSame(statuses, [...Array.from({ length: 50 }, () => 401), ...Array.from({ length: 10 }, () => 429)])
  const hashes = countHashes(t)
  t.equal(
    (await trying(service, admin.email, admin.password, '2001:db8::ffff')).status,
    429,
    'the whole /64 is one network',
  )
  t.strictSame(hashes(), [], 'no password is checked')
  t.equal(
    (await trying(service, admin.email, admin.password, '2001:db8:0:1::1')).status,
    303,
    'the next /64 is another',
  )
})

await t.test("a /48 gets ten times as many tries as a /64, and can't lock anybody out elsewhere", async (t) => {
  const service = await startService(t, { ...PROXIED, SIGN_IN_LIMIT: '2', SIGN_IN_ADDRESS_LIMIT: '3' })
  const { admin } = service.company
  const statuses: number[] = []
  for (let at = 0; at < 55; at += 1) {
    const email = at < 15 ? admin.email : anybody()
    statuses.push((await trying(service, email, 'wrong', `2001:db8:7:${at.toString(16)}::1`)).status)
  }
  t.strictSame(
    statuses.slice(0, 15),
    [401, 401, ...Array.from({ length: 13 }, () => 429)],
    'one person, from many networks',
  )
  t.equal(statuses.filter((status) => status === 401).length, 30, 'all of them together')
  t.equal((await trying(service, admin.email, admin.password, '203.0.113.1')).status, 303)
})

await t.test('simultaneous guesses do not exceed the limit', async (t) => {
  const service = await startService(t, { SIGN_IN_LIMIT: '4' })
  const { admin } = service.company
  const hashes = countHashes(t)
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, at) =>
      browse(service, '/sign-in', { form: { email: admin.email, password: `guess ${at}` } }),
    ),
  )
  t.equal(answers.filter(({ status }) => status === 401).length, 4)
  t.equal(answers.filter(({ status }) => status === 429).length, 26)
  t.equal(hashes().length, 4)
})

await t.test("one network has only a few passwords checked at once, so it can't fill the queue", async (t) => {
  const service = await startService(t, PROXIED)
  const answers = await Promise.all(
    Array.from({ length: 45 }, () => trying(service, anybody(), 'wrong', '203.0.113.1')),
  )
  t.ok(
    answers.some(({ status }) => status === 429),
    'too many at once',
  )
  t.notOk(
    answers.some(({ status }) => status === 503),
    'the queue was never full',
  )
  for (const { headers } of answers.filter(({ status }) => status === 429)) t.equal(headers['retry-after'], '1')
})

await t.test("the refusal's page keeps the form and says plainly how long to wait", async (t) => {
  const service = await startService(t, { SIGN_IN_LIMIT: '1' })
  const form = { email: 'ana@example.com', password: 'wrong-password', next: '/settings/usage' }
  t.equal((await browse(service, '/sign-in', { form })).status, 401)
  const refused = await browse(service, '/sign-in', { form })
  t.equal(refused.status, 429)
  t.match(refused.text, /role="alert"[^>]*>Too many attempts\. Try again in 15 minutes\.</)
  t.match(refused.text, /value="ana@example.com"/)
  t.match(refused.text, /name="next" value="\/settings\/usage"/)
  t.match(refused.text, /type="password"/)
  t.notMatch(refused.text, /wrong-password/)
  const seconds = Number(refused.headers['retry-after'])
  t.ok(seconds > 840 && seconds <= 900, String(seconds))
})

await t.test('bad API keys and tokens are counted by /64', async (t) => {
  const service = await startService(t, { ...PROXIED, FAILURE_LIMIT: '2' })
  for (const path of ['/v1/auth/verify', '/admin/v1/users', '/audit/v1/checkpoint']) {
    const from = (address: string) =>
      send(service.address, 'GET', path, { key: null, headers: { 'x-forwarded-for': address } })
    const statuses = []
    for (const address of ['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8:0:1::1'])
      statuses.push((await from(address)).status)
    t.strictSame(statuses, [401, 401, 429, 401], path)
  }
})
