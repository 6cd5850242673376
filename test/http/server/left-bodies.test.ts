import { once } from 'node:events'
import http from 'node:http'
import t from 'tap'
import { nextTurn } from '../../../src/admission/turns.ts'
import { employee, startService } from '../../support/service.ts'

/* A large body is parsed in turns of the event loop, and no further once nobody needs its answer. */

const RECORDS = 1_000
const TURNS = 400

/** Takes turns beside the body, so that it needs many. Resolves after so many of them. */
async function takeTurns(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
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
    const others = takeTurns(TURNS)
    const request = http.request(`${service.address}/v1/employees`, {
      method: 'POST',
      headers: { 'x-api-id': key.api_id, 'x-api-key': key.api_key, 'content-type': 'application/json' },
    })
    const answered = once(request, 'response').catch(() => null) as Promise<[http.IncomingMessage] | null>
    request.end(body())
    await once(request, 'finish')
    if (status === null) {
      request.destroy()
      await others
      t.equal((await service.audit('/checkpoint')).body.position, before)
      t.strictSame((await service.admin('/bulk-user-logs', admin.token)).body.items, [])
    } else {
      const closed = service.app.close()
      t.equal((await answered)![0].statusCode, status)
      await others
      await closed
      const { rows } = await service.pool.query('select max(position)::int as position from events')
      t.strictSame(rows, [{ position: before }])
    }
  })
}
