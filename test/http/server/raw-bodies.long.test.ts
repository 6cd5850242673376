import { once } from 'node:events'
import net from 'node:net'
import t, { type Test } from 'tap'
import { sendRawBody } from '../../support/http/raw-body.ts'
import { cookieOf } from '../../support/http/sessions.ts'
import { launch, makeDataDir } from '../../support/processes/cli.ts'
import { send, startService } from '../../support/service.ts'

/* Clients that leave while they send a body or get an answer: whatever they do, the process is the same one afterwards. */

const BODY_LIMIT = 200_000
const service = await startService(t)
const { key, admin, id: company } = service.company
const disabled = (await service.manage('POST', '/api-keys', { name: 'off', quota_limit: 5, refresh_period: 'daily' }))
  .body
await service.manage('POST', `/api-keys/${disabled.id}/disable`, {})
const cookie = await cookieOf(service, admin)

const server = launch(t, ['serve'], {
  DATABASE_URL: service.urls.serviceUrl,
  DATA_DIR: makeDataDir(t),
  BODY_LIMIT: String(BODY_LIMIT),
  FAILURE_LIMIT: '0',
  BURST_LIMIT: '0',
  SIGN_IN_LIMIT: '0',
  SIGN_IN_ADDRESS_LIMIT: '0',
})
const address = await server.prints(/listens on (http:\S+)/)

const keyOf = (id: string, secret: string) => `x-api-id: ${id}\r\nx-api-key: ${secret}\r\n`
const JSON_TYPE = 'content-type: application/json\r\n'
const FORM_TYPE = `content-type: application/x-www-form-urlencoded\r\nsec-fetch-site: same-origin\r\n`
const BEARER = `authorization: Bearer ${admin.token}\r\n`
const KEY = keyOf(key.api_id, key.api_key)
const ROUTES: [line: string, headers: string][] = [
  ['POST /v1/employees', KEY + JSON_TYPE],
  ['PATCH /v1/employees', KEY + JSON_TYPE],
  ['PUT /v1/employees', KEY + JSON_TYPE],
  ['PATCH /v1/employees/emp_01h455vb4pex5vsknk084sn02q', KEY + JSON_TYPE],
  ['POST /v1/employees', keyOf(disabled.id, disabled.api_key) + JSON_TYPE],
  ['POST /v1/employees', `${KEY}content-type: text/plain\r\n`],
  ['POST /v1/employees', JSON_TYPE],
  ['POST /admin/v1/tokens', BEARER + JSON_TYPE],
  ['POST /admin/v1/tokens', JSON_TYPE],
  ['POST /sign-in', FORM_TYPE],
  ['POST /settings/users/new', `${FORM_TYPE}cookie: ${cookie}\r\n`],
  [`POST /sign-in/${company}/backchannel-logout`, FORM_TYPE],
  ['POST /nothing', JSON_TYPE],
  ['DELETE /v1/employees', KEY + JSON_TYPE],
]
/** Those of forms from other servers, of small bodies, and of writing calls. */
const LIMITS = [16_384, 65_536, BODY_LIMIT]

/** Fails if the process has ended, and shows why. */
async function isAlive(t: Test, what: string): Promise<boolean> {
  if (server.child.exitCode === null && server.child.signalCode === null) return true
  t.fail(`the process ended after ${what}`, { stderr: (await server.ended).stderr })
  return false
}

for (const [line, headers] of ROUTES) {
  await t.test(`a client leaves in the middle of a body around a limit: ${line}`, async (t) => {
    const head = `${line} HTTP/1.1\r\nhost: x\r\n${headers}`
    for (const bytes of LIMITS.flatMap((limit) => [limit, limit + 1, limit + 2_000])) {
      for (const ending of ['FIN', 'RST'] as const) {
        for (const framing of ['many chunks', 'one chunk', 'a longer length'] as const) {
          await sendRawBody(address, head, { framing, bytes, ending })
          if (!(await isAlive(t, `${bytes} bytes in ${framing} and ${ending}`))) return
        }
      }
    }
    t.equal((await send(address, 'GET', '/v1/auth/verify', { key })).status, 200)
  })
}

const ANSWERS: [path: string, headers: string][] = [
  ['/admin/v1/bulk-user-logs.csv', BEARER],
  ['/admin/v1/bulk-user-logs/stream', BEARER],
  ['/audit/v1/events', BEARER],
  ['/audit/v1/events', `${BEARER}accept-encoding: gzip\r\n`],
  ['/audit/v1/events/stream', BEARER],
  ['/settings/bulk-user-logs', `cookie: ${cookie}\r\n`],
  ['/docs/reference.js', ''],
]

for (const [path, headers] of ANSWERS) {
  await t.test(`a client leaves before or in the middle of an answer: ${path}`, async (t) => {
    for (const ending of ['FIN', 'RST'] as const) {
      for (const isBegun of [false, true]) {
        const { hostname, port } = new URL(address)
        const socket = net.connect(Number(port), hostname)
        socket.on('error', () => undefined)
        const closed = once(socket, 'close')
        socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n${headers}\r\n`)
        await once(socket, isBegun ? 'readable' : 'connect')
        if (ending === 'RST') socket.resetAndDestroy()
        else socket.end().resume()
        await closed
        if (!(await isAlive(t, ending))) return
      }
    }
    t.equal((await send(address, 'GET', '/v1/auth/verify', { key })).status, 200)
  })
}

await t.test('a client that leaves is no error of the service', async (t) => {
  const { exitCode, stderr } = await server.end('SIGTERM')
  t.equal(exitCode, 0)
  t.notMatch(stderr, /"level":[56]0/)
})
