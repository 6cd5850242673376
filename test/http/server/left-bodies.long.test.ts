import { once } from 'node:events'
import http from 'node:http'
import t, { type Test } from 'tap'
import { nextTurn } from '../../../src/admission/turns.ts'
import { employee, startService } from '../../support/service.ts'

/* A large body is parsed in turns of the event loop, and no further once nobody needs its answer. */

/** Many members and an escaped name in each record: such a body takes many turns to parse on any machine. */
const RECORDS = 1_000
const FIELDS = 240
const ESCAPED_NAME = String.raw`"field\u005f0"`

/**
 * Work beside the body. Each has a turn between two turns of the body, which so are 2 s apart. A stop needs half a second
 * and a few turns of the event loop, so it comes before the body is parsed.
 */
const OTHERS = 200
const TURN_MS = 10

/** Takes turns beside the body, until its end no longer depends on them. */
async function takeTurns(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await nextTurn()
    for (const until = performance.now() + TURN_MS; performance.now() < until;);
  }
}

function makeBody(): string {
  const fields = Object.fromEntries(Array.from({ length: FIELDS }, (_, at) => [`field_${at}`, at]))
  const records = Array.from({ length: RECORDS }, () => employee(fields))
  return JSON.stringify(records).replaceAll('"field_0"', ESCAPED_NAME)
}

/** Sends a large call to a new service. Returns it when the service has received the body, and begins to parse it. */
async function sendLarge(t: Test) {
  const service = await startService(t)
  const { key } = service.company
  const before = (await service.audit('/checkpoint')).body.position as number
  const arrived = once(service.app.server, 'request') as Promise<[http.IncomingMessage]>
  const request = http.request(`${service.address}/v1/employees`, {
    method: 'POST',
    headers: { 'x-api-id': key.api_id, 'x-api-key': key.api_key, 'content-type': 'application/json' },
  })
  const answered = once(request, 'response').catch(() => null) as Promise<[http.IncomingMessage] | null>
  request.end(makeBody())
  const [received] = await arrived
  await once(received, 'end')
  const over = new AbortController()
  t.teardown(() => over.abort())
  const others = Promise.all(Array.from({ length: OTHERS }, () => takeTurns(over.signal)))
  const endTurns = async () => {
    over.abort()
    await others
  }
  return { service, before, request, connection: received.socket, answered, endTurns }
}

await t.test(
  'when the client leaves, a call whose body is being parsed applies nothing and has no entry',
  async (t) => {
    const { service, before, request, connection, endTurns } = await sendLarge(t)
    const left = once(connection, 'close')
    request.destroy()
    await left
    await endTurns()
    t.equal((await service.audit('/checkpoint')).body.position, before)
    t.strictSame((await service.admin('/bulk-user-logs', service.company.admin.token)).body.items, [])
  },
)

await t.test(
  'when the service stops, a call whose body is being parsed applies nothing and has no entry',
  async (t) => {
    const { service, before, answered, endTurns } = await sendLarge(t)
    const closed = service.app.close()
    const status = (await answered)?.[0].statusCode
    await endTurns()
    await closed
    const { rows } = await service.pool.query('select max(position)::int as position from events')
    t.equal(status, 503)
    t.strictSame(rows, [{ position: before }])
  },
)
