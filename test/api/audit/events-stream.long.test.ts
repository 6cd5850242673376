import t from 'tap'
import type { Test } from 'tap'
import { eventually } from '../../support/eventually.ts'
import { openEventStream } from '../../support/http/event-stream.ts'
import type { EventStream } from '../../support/http/event-stream.ts'
import { addressOf, startProcess } from '../../support/processes/processes.ts'
import { employee, startService } from '../../support/service.ts'

const service = await startService(t, { STREAM_HEARTBEAT_MS: '100', STREAMS_PER_USER: '3' })

interface Opening {
  token?: string | null
  lastId?: string
  query?: string
  address?: string
}

function open(
  t: Test,
  { token = service.company.auditor.token, lastId, query = '', address = service.address }: Opening = {},
) {
  return openEventStream(t, `${address}/audit/v1/events/stream${query}`, {
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
  })
}

const create = (key = service.company.key) => service.call('POST', '/v1/employees', { body: employee(), key })

async function take(stream: EventStream, count: number) {
  const events = []
  while (events.length < count) events.push((await stream.next())!)
  return events
}

const linesOf = async (query = '', token?: string) => (await service.audit(`/events${query}`, token)).body

await t.test('events arrive as they are appended, in the form of the list, with position as id', async (t) => {
  const stream = await open(t)
  t.equal(stream.status, 200)
  t.match(stream.headers['content-type'], 'text/event-stream')
  const before = Number(stream.lastId())
  await create()
  await create()
  const events = await take(stream, 4)
  t.strictSame(
    events.map(({ data }) => data),
    await linesOf(`?after=${before}`),
  )
  t.strictSame(
    events.map(({ id }) => id),
    events.map(({ data }) => String(data.position)),
  )
  stream.close()
})

await t.test('a cut stream resumes exactly after the last event, even on another process', async (t) => {
  const server = await startProcess(t, 'serve', service.urls)
  const first = await open(t, { address: addressOf(server), query: '?after=0' })
  const seen = await take(first, 5)
  await server.end('SIGKILL')
  await create()
  const second = await open(t, { lastId: seen.at(-1)!.id, query: '?after=1' })
  const all = await linesOf()
  const rest = await take(second, all.length - 5)
  t.strictSame(
    [...seen, ...rest].map(({ data }) => data),
    all,
  )
  second.close()
})

await t.test('filters leave events out, but the id still advances', async (t) => {
  const { body } = await create()
  const { id } = body.employees[0]
  const [ofType, ofEmployee] = [
    await open(t, { query: '?type=ApiCallCompleted' }),
    await open(t, { query: `?employee=${id}&after=0` }),
  ]
  const { headers } = await create()
  await service.call('PATCH', `/v1/employees/${id}`, { body: { job_title: 'X' } })
  t.strictSame(
    (await take(ofType, 2)).map(({ data }) => data.type),
    ['ApiCallCompleted', 'ApiCallCompleted'],
  )
  t.strictSame(
    (await take(ofEmployee, 2)).map(({ data }) => data.type),
    ['EmployeeCreated', 'EmployeeUpdated'],
  )
  const head = Number(headers['x-ledger-position']) + 2
  await eventually('the id has reached the head', async () => ofEmployee.lastId() === String(head))
  ofType.close()
  ofEmployee.close()
})

await t.test("another company's events are never shown", async (t) => {
  const other = await service.makeCompany('Other')
  const stream = await open(t, { token: other.auditor.token })
  await create()
  await create(other.key)
  const events = await take(stream, 2)
  t.strictSame(
    events.map(({ data }) => data.actor),
    [other.key.api_id, other.key.api_id],
  )
  stream.close()
})

await t.test('a stream begins at an existing position, with valid parameters', async (t) => {
  for (const lastId of ['x', '-1', '1.5', '01', '999999']) t.equal((await open(t, { lastId })).status, 400, lastId)
  for (const query of ['after=999999', 'after=x', 'type=Nonsense', 'employee=me', 'limit=1', 'format=proof']) {
    t.match(await service.audit(`/events/stream?${query}`), { status: 400, body: { code: 'invalid_query' } }, query)
  }
})

for (const path of ['/admin/v1/bulk-user-logs/stream', '/audit/v1/events/stream']) {
  const headers = { authorization: `Bearer ${service.company.admin.token}` }

  await t.test(`comments show that ${path} is alive while nothing happens`, async (t) => {
    const stream = await openEventStream(t, service.address + path, headers)
    t.equal(await stream.comment(), 'still here')
    t.equal(await stream.comment(), 'still here')
    stream.close()
  })

  await t.test(`HEAD on ${path} is refused`, async (t) => {
    // No entry has the id "stream", and the other path has no other route.
    const { status } = await fetch(service.address + path, { method: 'HEAD', headers })
    t.equal(status, path.startsWith('/admin/') ? 404 : 405)
  })
}

await t.test('streams of the log and of the ledger count together', async (t) => {
  const headers = { authorization: `Bearer ${service.company.admin.token}` }
  const { token } = service.company.admin
  const log = () => openEventStream(t, `${service.address}/admin/v1/bulk-user-logs/stream`, headers)
  const streams = await eventually('all earlier streams have ended', async () => {
    const opened = [await log(), await log(), await open(t, { token })]
    if (opened.every(({ status }) => status === 200)) return opened
    for (const stream of opened) stream.close()
    return null
  })
  t.equal((await open(t, { token })).status, 429)
  t.equal((await log()).status, 429)
  for (const stream of streams) stream.close()
})
