import { once } from 'node:events'
import http from 'node:http'
import type net from 'node:net'
import t from 'tap'
import { nextTurn } from '../../../src/admission/turns.ts'
import { employee, startService } from '../../support/service.ts'

/* A large body is parsed in turns of the event loop, and no further once nobody needs its answer. */

const RECORDS = 1_000

/** Takes turns beside the body, so that it needs many, until its end no longer depends on them. */
async function takeTurns(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await nextTurn()
    // As long as a turn, so that the next one is over at once.
    for (const until = performance.now() + 10; performance.now() < until;);
  }
}

const body = () => JSON.stringify(Array.from({ length: RECORDS }, () => employee({ location: 'x'.repeat(4_000) })))

for (const [end, status] of [
  ['the client leaves', null],
  ['the service stops', 503],
] as const) {
  await t.test(`when ${end}, a call whose body is being parsed applies nothing and has no entry`, async (t) => {
    const service = await startService(t)
    const { key, admin } = service.company
    const before = (await service.audit('/checkpoint')).body.position
    const over = new AbortController()
    const others = takeTurns(over.signal)
    const request = http.request(`${service.address}/v1/employees`, {
      method: 'POST',
      headers: { 'x-api-id': key.api_id, 'x-api-key': key.api_key, 'content-type': 'application/json' },
    })
    const connected = once(service.app.server, 'connection') as Promise<[net.Socket]>
    const answered = once(request, 'response').catch(() => null) as Promise<[http.IncomingMessage] | null>
    request.end(body())
    await once(request, 'finish')
    if (status === null) {
      const [connection] = await connected
      const left = once(connection, 'close')
      request.destroy()
      await left
      over.abort()
      await others
      t.equal((await service.audit('/checkpoint')).body.position, before)
      t.strictSame((await service.admin('/bulk-user-logs', admin.token)).body.items, [])
    } else {
      const closed = service.app.close()
      t.equal((await answered)![0].statusCode, status)
      over.abort()
      await others
      await closed
      const { rows } = await service.pool.query('select max(position)::int as position from events')
      t.strictSame(rows, [{ position: before }])
    }
  })
}
