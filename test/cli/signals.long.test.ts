import { existsSync, readdirSync } from 'node:fs'
import http from 'node:http'
import { once } from 'node:events'
import t from 'tap'
import type { Server } from '../support/processes/cli.ts'
import { hasDatabaseServer, launch, makeDataDir, readDemo, startServer } from '../support/processes/cli.ts'
import { eventually } from '../support/eventually.ts'
import { employee, send } from '../support/service.ts'

const DATA_DIR = makeDataDir(t)
const SETTINGS = { DATA_DIR, LOG_LEVEL: 'warn' }
const BODY = JSON.stringify(employee())

/** Begins a creation and sends its header. The server has said that it waits for the body. */
async function beginCall({ address }: Server): Promise<http.ClientRequest> {
  const { api_id, api_key } = readDemo(DATA_DIR)
  const headers = {
    'x-api-id': api_id,
    'x-api-key': api_key,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(BODY),
    expect: '100-continue',
  }
  const request = http.request(`${address}/v1/employees`, { method: 'POST', headers, agent: false })
  request.flushHeaders()
  await once(request, 'continue')
  return request
}

/** Resolves once new connections are refused. */
async function untilRefused({ address }: Server): Promise<void> {
  await eventually('connections are refused', () =>
    send(address, 'GET', '/livez', {}).then(
      () => false,
      () => true,
    ),
  )
}

/** Whether a later start could not mistake the pieces of a first start for a whole database. */
function isTidy(): boolean {
  return readdirSync(DATA_DIR).every((name) => ['database.json', 'postgres'].includes(name))
}

await t.test('a signal during the creation of the database ends a first start cleanly', async (t) => {
  const running = launch(t, ['start'], SETTINGS)
  await eventually(
    'initdb runs',
    async () => existsSync(DATA_DIR) && readdirSync(DATA_DIR).some((name) => /\.new-/.test(name)),
  )
  running.child.kill('SIGINT')
  await running.prints('employee-ledger is stopping\n')
  t.match(await running.ended, { exitCode: 0, signal: null, stderr: '' })
  t.notOk(hasDatabaseServer(DATA_DIR))
  t.ok(isTidy())
})

await t.test('a signal during the migration ends it cleanly', async (t) => {
  const running = launch(t, ['start'], SETTINGS)
  await running.prints(/migration .+: done/)
  t.match(await running.end('SIGHUP'), { exitCode: 0, signal: null, stderr: '' })
  t.notOk(hasDatabaseServer(DATA_DIR))
})

await t.test('Ctrl-C, which npm sends twice, counts once, and calls in progress are answered', async (t) => {
  const server = await startServer(t, ['start'], SETTINGS)
  await server.prints(/credentials are saved in|credentials of the demo company are in/)
  const request = await beginCall(server)
  server.child.kill('SIGINT')
  server.child.kill('SIGINT')
  await untilRefused(server)

  request.end(BODY)
  const [response] = (await once(request, 'response')) as [http.IncomingMessage]
  t.equal(response.statusCode, 201)
  response.resume()
  t.match(await server.ended, { exitCode: 0, signal: null, stderr: '' })
  t.notOk(hasDatabaseServer(DATA_DIR))
})

await t.test('a caller who stops sending is cut off in the end, and PostgreSQL is still stopped', async (t) => {
  const server = await startServer(t, ['start'], { ...SETTINGS, SHUTDOWN_TIMEOUT_MS: '1000' })
  const request = await beginCall(server)
  const cutOff = once(request, 'error')
  t.match(await server.end('SIGTERM'), { exitCode: 0, signal: null, stderr: /cut off/ })
  await cutOff
  t.notOk(hasDatabaseServer(DATA_DIR))
})

await t.test(
  'when nobody reads its output any more, it ends cleanly, and not as if it had been asked to',
  async (t) => {
    const running = launch(t, ['start'], SETTINGS)
    running.child.stdout.destroy()
    t.match(await running.ended, { exitCode: 141, signal: null, stderr: '' })
    t.notOk(hasDatabaseServer(DATA_DIR))
  },
)

await t.test('an interrupted command stops the server that it started', async (t) => {
  const running = launch(t, ['demo', 'seed'], SETTINGS)
  await eventually('its PostgreSQL runs', async () => hasDatabaseServer(DATA_DIR))
  t.match(await running.end('SIGINT'), { exitCode: 130, signal: null, stdout: '' })
  t.notOk(hasDatabaseServer(DATA_DIR))
})
