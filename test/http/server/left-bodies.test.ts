import { once } from 'node:events'
import http from 'node:http'
import type net from 'node:net'
import t, { type Test } from 'tap'
import { nextTurn } from '../../../src/admission/turns.ts'
import { employee, startService } from '../../support/service.ts'

/* A large body is parsed in turns of the event loop, and no further once nobody needs its answer. */

const RECORDS = 1_000

/** How long each turn beside the body takes while it is sent: longer than its own, so that it needs many. */
const WHILE_SENT_MS = 60
/** And afterwards: longer than a stop waits for the body, which so needs no more than a few turns. */
const ONCE_SENT_MS = 600

interface Turns {
  ms: number
  signal: AbortSignal
}

/** Takes turns beside the body, until its end no longer depends on them. */
async function takeTurns(turns: Turns): Promise<void> {
  while (!turns.signal.aborted) {
    await nextTurn()
    for (const until = performance.now() + turns.ms; performance.now() < until;);
  }
}

const body = () => JSON.stringify(Array.from({ length: RECORDS }, () => employee({ location: 'x'.repeat(4_000) })))

/** Sends a large call to a new service. Returns it once all is sent, and while the body is parsed. */
async function sendLarge(t: Test) {
  const service = await startService(t)
  const { key } = service.company
  const before = (await service.audit('/checkpoint')).body.position as number
  const over = new AbortController()
  const turns = { ms: WHILE_SENT_MS, signal: over.signal }
  const others = takeTurns(turns)
  const request = http.request(`${service.address}/v1/employees`, {
    method: 'POST',
    headers: { 'x-api-id': key.api_id, 'x-api-key': key.api_key, 'content-type': 'application/json' },
  })
  const connected = once(service.app.server, 'connection') as Promise<[net.Socket]>
  const answered = once(request, 'response').catch(() => null) as Promise<[http.IncomingMessage] | null>
  request.end(body())
  await once(request, 'finish')
  turns.ms = ONCE_SENT_MS
  const endTurns = async () => {
    over.abort()
    await others
  }
  return { service, before, request, connected, answered, endTurns }
}

await t.test(
  'when the client leaves, a call whose body is being parsed applies nothing and has no entry',
  async (t) => {
    const { service, before, request, connected, endTurns } = await sendLarge(t)
    const [connection] = await connected
    const left = once(connection, 'close')
    request.destroy()
    await left
    await endTurns()
    t.equal((await service.audit('/checkpoint')).body.position, before)
    t.strictSame((await service.admin('/bulk-user-logs', service.company.admin.token)).body.items, [])
  },
)

/** Now and then, the body is parsed before the client knows that all is sent. */
const TRIES = 5

await t.test(
  'when the service stops, a call whose body is being parsed applies nothing and has no entry',
  async (t) => {
    let status: number | undefined
    for (let tries = 0; tries < TRIES && status !== 503; tries += 1) {
      const { service, before, answered, endTurns } = await sendLarge(t)
      const closed = service.app.close()
      status = (await answered)![0].statusCode
      await endTurns()
      await closed
      const { rows } = await service.pool.query('select max(position)::int as position from events')
      if (status === 503) t.strictSame(rows, [{ position: before }])
    }
    t.equal(status, 503)
  },
)
