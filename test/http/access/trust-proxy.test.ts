import t from 'tap'
import { readConfig } from '../../../src/config.ts'
import { employee, startService } from '../../support/service.ts'
import { browse, cookieOf, OWN_PAGE } from '../../support/http/sessions.ts'

const WRONG = { email: 'nobody@example.com', password: 'wrong' }

/** Tries to sign in as a client that the proxy names. */
async function tryAs(service: Awaited<ReturnType<typeof startService>>, forwardedFor: string): Promise<number> {
  return (await browse(service, '/sign-in', { form: WRONG, headers: { ...OWN_PAGE, 'x-forwarded-for': forwardedFor } }))
    .status
}

await t.test('behind a trusted proxy, sign-in tries are counted by the address it names', async (t) => {
  const service = await startService(t, { SIGN_IN_LIMIT: '1', TRUST_PROXY: '127.0.0.1, 10.0.0.0/8' })
  t.equal(await tryAs(service, '203.0.113.1'), 401)
  t.equal(await tryAs(service, '203.0.113.1'), 429)
  t.equal(await tryAs(service, '203.0.113.2'), 401, 'nobody else is blocked')
  t.equal(await tryAs(service, '203.0.113.2, 10.1.2.3'), 429, 'a second trusted proxy stands in between')
  t.equal(await tryAs(service, '203.0.113.9, 203.0.113.2'), 429, 'what a client says about itself is ignored')
})

/** Each list of spellings is of one address; some proxies add the port of the connection. */
const SPELLINGS = [
  ['203.0.113.7', '203.0.113.7:51234', '"203.0.113.7:51235"', '::ffff:203.0.113.7', '[::ffff:203.0.113.7]:443'],
  ['2001:db8::7', '[2001:DB8::7]', '[2001:db8:0::7]:51234', '"[2001:db8::7]:1"', '2001:db8:0:0:0:0:0:7:51234'],
]

await t.test('a port, brackets, and quotation marks around an address change nothing', async (t) => {
  const limits = { SIGN_IN_LIMIT: '1', FAILURE_LIMIT: '1' }
  const service = await startService(t, { ...limits, TRUST_PROXY: '127.0.0.1, 10.0.0.0/8' })
  const cookie = await cookieOf(service, service.company.admin)
  for (const [address = '', ...others] of SPELLINGS) {
    const issued = await service.manage('POST', '/api-keys', { name: address, allowed_networks: [address] })
    const key = { api_id: issued.body.id, api_key: issued.body.api_key }
    const call = (as: string, using: typeof key | null = key) =>
      service.call('POST', '/v1/employees', { key: using, body: employee(), headers: { 'x-forwarded-for': as } })
    t.equal(await tryAs(service, address), 401)
    t.equal((await call(address, null)).status, 401)
    const calls = [await call(address)]
    for (const spelling of [...others, ...others.map((other) => `${other}, 10.1.2.3:4711`)]) {
      t.equal(await tryAs(service, spelling), 429, `a sign-in from ${spelling}`)
      t.equal((await call(spelling, null)).status, 429, `a wrong secret from ${spelling}`)
      calls.push(await call(spelling))
      t.equal(calls.at(-1)?.status, 201, `a key with networks from ${spelling}`)
    }
    await service.project()
    const ids = calls.map(({ body }) => body.log_id)
    for (const q of [address, ...others]) {
      const { body } = await service.admin(`/bulk-user-logs?q=${encodeURIComponent(q)}`)
      t.strictSame(new Set(body.items.map(({ id }: { id: string }) => id)), new Set(ids), `a search for ${q}`)
    }
    const { text } = await browse(service, `/settings/api-keys/${key.api_id}`, { cookie })
    const shown = [...text.matchAll(/bulk-user-logs\?q=[^"]*">([^<]+)<\/a>/g)].map(([, name]) => name)
    t.strictSame(shown, [address], 'the page of the key shows one address')
  }
})

await t.test('without the setting no proxy is trusted', async (t) => {
  const service = await startService(t, { SIGN_IN_LIMIT: '1' })
  t.equal(await tryAs(service, '203.0.113.1'), 401)
  t.equal(await tryAs(service, '203.0.113.2'), 429, 'it is one address, whatever it claims')
})

await t.test("a malformed list is refused with the setting's name", async (t) => {
  const base = { DATA_DIR: './data' }
  for (const bad of [
    '2',
    'true',
    '*',
    'proxy.example',
    '10.0.0.1;10.0.0.2',
    '10.0.0.256',
    '10.0.0.0/33',
    '1:2',
    '::1/129',
    '10.0.0.1,',
  ]) {
    t.throws(() => readConfig({ ...base, TRUST_PROXY: bad }), /TRUST_PROXY/, bad)
  }
  for (const good of ['10.0.0.1', '::1', '10.0.0.0/8,fd00::/8', '127.0.0.1, ::ffff:10.0.0.1']) {
    t.equal(readConfig({ ...base, TRUST_PROXY: good }).TRUST_PROXY, good)
  }
})
