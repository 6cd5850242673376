import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { readConfig } from '../../src/config.ts'
import { freePort } from '../support/processes/free-port.ts'
import { openEventStream } from '../support/http/event-stream.ts'
import { browse } from '../support/http/sessions.ts'
import { needs } from '../support/processes/installed.ts'
import { PROXIES, type Proxy, startProxy } from '../support/processes/proxies.ts'
import type { Service } from '../support/service.ts'
import { employee, send, startService } from '../support/service.ts'

/* The example configurations of proxies, each with the real proxy where it is installed. */

/** Starts a service and a proxy before it. Returns the service and the proxy's address. */
async function startBehind(t: Test, proxy: Proxy) {
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  const service = await startService(t, { TRUST_PROXY: '127.0.0.1', PUBLIC_URL: address, SIGN_IN_ADDRESS_LIMIT: '2' })
  const logOfProxy = await startProxy(t, proxy, { port, before: service.address })
  return { service, address, logOfProxy }
}

/** Tries to sign in with wrong credentials from an address of this machine. */
async function guess(service: Pick<Service, 'address'>, from: string, forwardedFor?: string): Promise<number> {
  const claimed: Record<string, string> = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }
  const headers = { origin: service.address, ...claimed }
  const form = { email: `${Math.random()}@example.com`, password: 'wrong' }
  return (await browse(service, '/sign-in', { form, headers, from })).status
}

/** The lines with which each program is kept from logging headers and queries. */
const SILENCE: Record<string, RegExp[]> = {
  nginx: [/^\s*access_log off;$/m, /^\s*error_log \/dev\/null emerg;$/m],
  // It logs only where a `log` line says so.
  haproxy: [/^(?![\s\S]*^\s*(?:log|capture)\b)/m],
  caddy: [/^\s*request>headers delete$/m, /^\s*request>uri regexp "\\\?\.\*" ""$/m, /^\s*resp_headers delete$/m],
}

await t.test('no example logs headers or queries, also where the program is not installed', async (t) => {
  for (const { program, file } of PROXIES)
    for (const line of SILENCE[program]!) t.match(readFileSync(file, 'utf8'), line, file)
})

for (const proxy of PROXIES) {
  await t.test(`behind ${proxy.program}`, needs(proxy.program), async (t) => {
    const { service, address, logOfProxy } = await startBehind(t, proxy)
    const { key, auditor, member } = service.company

    await t.test('bodies up to BODY_LIMIT arrive, and no larger ones', async (t) => {
      const { BODY_LIMIT } = readConfig({})
      const fill = (bytes: number) => {
        const text = JSON.stringify(employee())
        return text + ' '.repeat(bytes - Buffer.byteLength(text))
      }
      const headers = { 'content-type': 'application/json' }
      const post = (body: string) => send(address, 'POST', '/v1/employees', { key, headers, body })
      t.equal((await post(fill(BODY_LIMIT))).status, 201)
      t.equal((await post(fill(BODY_LIMIT + 1))).status, 413)
    })

    await t.test('events arrive when they happen', async (t) => {
      const stream = await openEventStream(t, `${address}/audit/v1/events/stream`, {
        authorization: `Bearer ${auditor.token}`,
      })
      t.equal(stream.status, 200)
      await send(address, 'POST', '/v1/employees', { key, body: employee() })
      t.match((await stream.next())!.data, { type: String })
      stream.close()
    })

    await t.test("the client's address counts, and not what the client says about it", async (t) => {
      const behind = { address }
      t.equal(await guess(behind, '127.0.0.2'), 401)
      t.equal(await guess(behind, '127.0.0.2'), 401)
      t.equal(await guess(behind, '127.0.0.2'), 429)
      t.equal(await guess(behind, '127.0.0.2', '203.0.113.9'), 429)
      t.equal(await guess(behind, '127.0.0.3'), 401)
    })

    await t.test('a form of a page is taken, and one of another site is refused', async (t) => {
      const form = { email: member.email, password: member.password }
      const signIn = async (origin: string) =>
        (await browse({ address }, '/sign-in', { form, headers: { origin }, from: '127.0.0.4' })).status
      t.equal(await signIn('https://evil.example'), 403)
      t.equal(await signIn(address), 303)
    })

    await t.test('what it logs while the service is gone contains no credential, link, or search term', async (t) => {
      const secrets = ['canary-key', 'canary-token', 'canary-session', 'canary-link', 'canary-search']
      const [apiKey, token, session, link, search] = secrets
      await service.app.close()
      const answer = await fetch(`${address}/invitation?token=${link}&q=${search}`, {
        headers: {
          'x-api-key': apiKey!,
          authorization: `Bearer ${token}`,
          cookie: `session=${session}`,
          referer: `${address}/invitation?token=${link}`,
        },
      })
      t.ok(answer.status >= 500, 'the proxy answers by itself')
      await answer.text()
      t.strictSame(
        secrets.filter((secret) => logOfProxy().includes(secret)),
        [],
      )
    })
  })
}
