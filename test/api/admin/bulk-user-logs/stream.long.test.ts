import t from 'tap'
import type { Test } from 'tap'
import { encodeCursor } from '../../../../src/http/server/query-values.ts'
import { eventually } from '../../../support/eventually.ts'
import { openEventStream } from '../../../support/http/event-stream.ts'
import type { EventStream } from '../../../support/http/event-stream.ts'
import { startProcess } from '../../../support/processes/processes.ts'
import type { Service } from '../../../support/service.ts'
import { employee, startService } from '../../../support/service.ts'

const service = await startService(t, { STREAM_HEARTBEAT_MS: '100', STREAMS_PER_USER: '3' })
await startProcess(t, 'work', service.urls, { SWEEP_INTERVAL_MS: '100' })

interface Opening {
  token?: string | null
  lastId?: string
  query?: string
  of?: Service
}

function open(t: Test, { token, lastId, query = '', of = service }: Opening = {}): Promise<EventStream> {
  const bearer = token === undefined ? of.company.admin.token : token
  return openEventStream(t, `${of.address}/admin/v1/bulk-user-logs/stream${query}`, {
    ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
    ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
  })
}

/** Calls the API, and returns the id of the entry and the cursor of its event. */
async function call(of = service, key = of.company.key): Promise<{ id: string; cursor: string }> {
  const { body, headers } = await of.call('POST', '/v1/employees', { body: employee(), key })
  return { id: body.log_id, cursor: encodeCursor(Number(headers['x-ledger-position'])) }
}

async function idsOf(stream: EventStream, count: number): Promise<string[]> {
  const ids: string[] = []
  while (ids.length < count) ids.push((await stream.next())!.data.id)
  return ids
}

const isProjected = (id: string, of = service) =>
  eventually('the entry is there', async () => (await of.admin(`/bulk-user-logs/${id}`)).status === 200)

await t.test('scripts, which see no comments, get an event of each heartbeat, and its interval', async (t) => {
  const stream = await open(t)
  t.match(await stream.heartbeat(), { interval_ms: 100 })
  t.match(await stream.heartbeat(), { interval_ms: 100 })
  stream.close()
})

await t.test('an entry folded by another process arrives in the form of the list', async (t) => {
  await isProjected((await call()).id)
  const stream = await open(t)
  t.equal(stream.status, 200)
  t.match(stream.headers, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  const { id, cursor } = await call()
  const event = await stream.next()
  t.equal(event?.id, cursor, 'its id is its cursor')
  const { items } = (await service.admin('/bulk-user-logs?limit=1')).body
  t.match(items, [{ id }])
  t.strictSame(event?.data, items[0])
  const more = [await call(), await call(), await call()]
  t.strictSame(
    await idsOf(stream, 3),
    more.map(({ id }) => id),
  )
  stream.close()
})

await t.test('a stream resumes after any event without a gap or a repetition', async (t) => {
  const calls = []
  for (let at = 0; at < 6; at += 1) calls.push(await call())
  const ids = calls.map(({ id }) => id)
  await isProjected(ids.at(-1)!)
  const first = await open(t, { query: `?cursor=${calls[0]!.cursor}` })
  t.strictSame(await idsOf(first, 2), ids.slice(1, 3))
  first.close()
  const second = await open(t, { lastId: calls[2]!.cursor, query: `?cursor=${calls[0]!.cursor}` })
  t.strictSame(await idsOf(second, 3), ids.slice(3), 'Last-Event-ID overrides the cursor')
  const late = await call()
  t.strictSame(await idsOf(second, 1), [late.id])
  second.close()
})

await t.test('a stream that ends before its first event can be resumed', async (t) => {
  const stream = await open(t)
  const before = stream.lastId()
  stream.close()
  const missed = await call()
  await isProjected(missed.id)
  const again = await open(t, { lastId: before })
  t.strictSame(await idsOf(again, 1), [missed.id])
  again.close()
})

await t.test("another company's entries are never shown", async (t) => {
  const other = await service.makeCompany('Other')
  const [own, foreign] = [await open(t), await open(t, { token: other.admin.token })]
  const ids: { own: string[]; foreign: string[] } = { own: [], foreign: [] }
  for (let at = 0; at < 3; at += 1) {
    ids.own.push((await call()).id)
    ids.foreign.push((await call(service, other.key)).id)
  }
  t.strictSame(await idsOf(own, 3), ids.own)
  t.strictSame(await idsOf(foreign, 3), ids.foreign)
  own.close()
  foreign.close()
})

await t.test('a stream needs a valid event id and valid parameters', async (t) => {
  t.equal((await open(t, { lastId: 'x' })).status, 400)
  const { status, body } = await service.admin('/bulk-user-logs/stream?cursor=x')
  t.match({ status, body }, { status: 400, body: { code: 'invalid_query', detail: /query parameter cursor/ } })
  t.equal((await service.admin('/bulk-user-logs/stream?limit=1')).status, 400)
})

await t.test('a user with too many streams gets 429 until one is closed', async (t) => {
  const streams = [await open(t), await open(t), await open(t)]
  const refused = await open(t)
  t.equal(refused.status, 429)
  t.match(refused.headers['retry-after'], /^\d+$/)
  const other = await service.makeCompany('Third')
  const foreign = await open(t, { token: other.admin.token })
  t.equal(foreign.status, 200, 'each user has their own limit')
  foreign.close()
  streams[0]!.close()
  const next = await eventually('a place is free', async () => {
    const stream = await open(t)
    return stream.status === 200 && stream
  })
  for (const stream of [...streams, next]) stream.close()
})
