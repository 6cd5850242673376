import http from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { eventually } from '../support/eventually.ts'
import { startServer } from '../support/processes/cli.ts'
import { send, startService } from '../support/service.ts'

/*
 * A rolling restart behind a load balancer, which learns only by polling that a process leaves. Calls go over new and
 * over kept connections, and none is sent twice: each must be answered.
 */

const POLL_MS = 250
/** A process counts as gone when no poll in so many milliseconds got a 200, however long polls take under load. */
const GONE_AFTER_MS = 5_000
const service = await startService(t)
const { DATABASE_URL = '', DATA_DIR, SIGNING_KEY = '' } = service.config
const start = (delay = '7') =>
  startServer(t, ['serve'], { DATABASE_URL, DATA_DIR, SIGNING_KEY, STOP_DELAY_SECONDS: delay })

/** Polls processes and sends calls to those that it takes to be ready, in turns, until it is ended. */
function startBalancer(addresses: string[]) {
  const readyAt = new Map(addresses.map((address) => [address, -Infinity]))
  const over = new AbortController()
  const faults: string[] = []
  const listReady = () => {
    const since = performance.now() - GONE_AFTER_MS
    return [...readyAt].filter(([, at]) => at > since).map(([address]) => address)
  }
  const polling = (async () => {
    while (!over.signal.aborted) {
      for (const address of readyAt.keys()) {
        const askedAt = performance.now()
        const isReady = await send(address, 'GET', '/readyz', { key: null }).then(
          ({ status }) => status === 200,
          () => false,
        )
        if (isReady) readyAt.set(address, askedAt)
      }
      await pause(POLL_MS)
    }
  })()
  const agents = [new http.Agent({ keepAlive: true }), new http.Agent({ keepAlive: false })]
  let sent = 0
  const calling = agents.map(async (agent) => {
    while (!over.signal.aborted) {
      const ready = listReady()
      const address = ready[(sent += 1) % ready.length]
      if (address !== undefined) await call(address, agent).catch((error: unknown) => faults.push(String(error)))
      await pause(5)
    }
    agent.destroy()
  })
  return {
    listReady,
    add: (address: string) => readyAt.set(address, -Infinity),
    sent: () => sent,
    async end(): Promise<string[]> {
      over.abort()
      await Promise.all([polling, ...calling])
      return faults
    },
  }
}

async function call(address: string, agent: http.Agent): Promise<void> {
  const { key } = service.company
  const headers = { 'x-api-id': key.api_id, 'x-api-key': key.api_key }
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>()
  http.get(`${address}/v1/auth/verify`, { headers, agent }, resolve).on('error', reject)
  const response = await promise
  for await (const _ of response);
  if (response.statusCode !== 200) throw new Error(`answered with ${response.statusCode}`)
}

await t.test('behind a balancer that polls, a rolling restart refuses no connection and breaks no call', async (t) => {
  const servers = [await start(), await start()]
  const balancer = startBalancer(servers.map(({ address }) => address))
  for (const old of servers) {
    const { address } = await start()
    balancer.add(address)
    await eventually('the new process gets calls', async () => balancer.listReady().includes(address))
    t.equal((await old.end('SIGTERM')).exitCode, 0)
    t.notOk(balancer.listReady().includes(old.address), 'the balancer knew before it ended')
  }
  t.same(await balancer.end(), [])
  t.ok(balancer.sent() > 0)
})

await t.test('a second signal ends the wait', async (t) => {
  const server = await start('300')
  server.child.kill('SIGTERM')
  const readiness = async () => (await send(server.address, 'GET', '/readyz', { key: null })).status
  await eventually('it is not ready', async () => (await readiness()) === 503)
  t.match(await send(server.address, 'GET', '/livez', { key: null }), { status: 200, headers: { connection: 'close' } })
  // A second signal within a second may be the same key press.
  await pause(1_100)
  t.match(await server.end('SIGTERM'), { exitCode: 0 })
})
