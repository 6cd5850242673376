import t from 'tap'
import { readConfig } from '../../../src/config.ts'
import { startService } from '../../support/service.ts'
import { browse, OWN_PAGE } from '../../support/http/sessions.ts'

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
