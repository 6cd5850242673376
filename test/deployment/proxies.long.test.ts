import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import { readConfig } from '../../src/config.ts'
import { freePort } from '../../src/postgres/embedded/postgres-server.ts'
import { eventually } from '../support/eventually.ts'
import { openEventStream } from '../support/http/event-stream.ts'
import { browse } from '../support/http/sessions.ts'
import { needs } from '../support/processes/installed.ts'
import type { Service } from '../support/service.ts'
import { employee, send, startService } from '../support/service.ts'

/* The example configurations of proxies, each with the real proxy where it is installed. */

const PROXIES: { program: string; file: string; args: (file: string, folder: string) => string[] }[] = [
  {
    program: 'nginx',
    file: 'docs/proxies/nginx.conf',
    args: (file, folder) => ['-c', file, '-e', 'stderr', '-g', `daemon off; pid ${folder}/nginx.pid;`],
  },
  { program: 'haproxy', file: 'docs/proxies/haproxy.cfg', args: (file) => ['-db', '-f', file] },
  {
    program: 'caddy',
    file: 'docs/proxies/Caddyfile',
    args: (file) => ['run', '--config', file, '--adapter', 'caddyfile'],
  },
]
const SERVICE_PORT = '127.0.0.1:3000'
const PROXY_PORT = /:8080\b|(?<=listen )8080\b/

/** Starts a service and a proxy before it. Returns the service and the proxy's address. */
async function startBehind(t: Test, { program, file, args }: (typeof PROXIES)[number]) {
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  const service = await startService(t, { TRUST_PROXY: '127.0.0.1', PUBLIC_URL: address, SIGN_IN_ADDRESS_LIMIT: '2' })
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ledger-proxy-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const example = readFileSync(file, 'utf8')
  t.ok(example.includes(SERVICE_PORT) && PROXY_PORT.test(example), 'it has the ports of the examples')
  const config = path.join(folder, path.basename(file))
  const text = example.replace(SERVICE_PORT, new URL(service.address).host)
  writeFileSync(
    config,
    text.replace(PROXY_PORT, (found) => found.replace('8080', String(port))),
  )
  const PATH = `${process.env['PATH']}:/usr/sbin`
  const proxy = spawn(program, args(config, folder), { stdio: 'ignore', env: { PATH, HOME: folder } })
  const ended = once(proxy, 'exit')
  t.teardown(async () => {
    proxy.kill('SIGTERM')
    await ended
  })
  await eventually('the proxy passes calls on', async () => {
    const answer = await fetch(`${address}/livez`).catch(() => null)
    return answer?.status === 200
  })
  return { service, address }
}

/** Tries to sign in with wrong credentials from an address of this machine. */
async function guess(service: Pick<Service, 'address'>, from: string, forwardedFor?: string): Promise<number> {
  const claimed: Record<string, string> = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }
  const headers = { origin: service.address, ...claimed }
  const form = { email: `${Math.random()}@example.com`, password: 'wrong' }
  return (await browse(service, '/sign-in', { form, headers, from })).status
}

for (const proxy of PROXIES) {
  await t.test(`behind ${proxy.program}`, needs(proxy.program), async (t) => {
    const { service, address } = await startBehind(t, proxy)
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
  })
}
