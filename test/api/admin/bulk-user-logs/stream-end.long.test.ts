import { once } from 'node:events'
import http from 'node:http'
import t from 'tap'
import { encodeCursor } from '../../../../src/http/server/query-values.ts'
import { eventually } from '../../../support/eventually.ts'
import { openEventStream } from '../../../support/http/event-stream.ts'
import { addressOf, startProcess } from '../../../support/processes/processes.ts'
import { employee, startService } from '../../../support/service.ts'
import { copyEntry } from '../../../support/postgres/copy-entry.ts'

const PATH = '/admin/v1/bulk-user-logs/stream'

await t.test('a client of a killed server resumes on another one without losing an entry', async (t) => {
  const service = await startService(t)
  await startProcess(t, 'work', service.urls, { SWEEP_INTERVAL_MS: '100' })
  const headers = { authorization: `Bearer ${service.company.admin.token}` }
  const call = async () => (await service.call('POST', '/v1/employees', { body: employee() })).body.log_id as string

  const seen: string[] = []
  const first = await startProcess(t, 'serve', service.urls)
  const stream = await openEventStream(t, `${addressOf(first)}${PATH}`, headers)
  const ids = [await call(), await call()]
  const event = await stream.next()
  seen.push(event!.data.id)
  await first.end('SIGKILL')
  ids.push(await call(), await call())

  const second = await startProcess(t, 'serve', service.urls)
  const again = await openEventStream(t, `${addressOf(second)}${PATH}`, { ...headers, 'last-event-id': event!.id })
  ids.push(await call())
  while (seen.length < ids.length) seen.push((await again.next())!.data.id)
  t.strictSame(seen, ids)
  await second.end('SIGTERM')
  t.equal(await again.next(), null, 'nothing comes twice')
})

await t.test('a server stops at once even with open streams', async (t) => {
  const service = await startService(t)
  const headers = { authorization: `Bearer ${service.company.admin.token}` }
  const streams = [
    await openEventStream(t, service.address + PATH, headers),
    await openEventStream(t, service.address + PATH, headers),
  ]
  await service.app.close()
  for (const stream of streams) t.equal(await stream.next(), null)
})

await t.test('a stream ends after its maximum life', async (t) => {
  const service = await startService(t, { STREAM_LIFE_MS: '1000' })
  const stream = await openEventStream(t, service.address + PATH, {
    authorization: `Bearer ${service.company.admin.token}`,
  })
  t.equal(stream.status, 200)
  t.equal(await stream.next(), null)
})

await t.test('the streams of all users of a company, of both kinds, are limited together', async (t) => {
  const service = await startService(t, { STREAMS_PER_USER: '2', STREAMS_PER_COMPANY: '3' })
  const { company } = service
  const open = (token: string, path = PATH) =>
    openEventStream(t, service.address + path, { authorization: `Bearer ${token}` })
  const [first] = [await open(company.admin.token), await open(company.admin.token)]
  t.equal((await open(company.admin.token)).status, 429, 'a user has a limit, too')
  t.equal((await open(company.auditor.token, '/audit/v1/events/stream')).status, 200)
  const refused = await open(company.auditor.token, '/audit/v1/events/stream')
  t.match(refused, { status: 429, headers: { 'retry-after': '5' } })
  const other = await service.makeCompany('Other')
  t.equal((await open(other.admin.token)).status, 200, 'another company has its own')
  first.close()
  await eventually(
    'a place is free',
    async () => (await open(company.auditor.token, '/audit/v1/events/stream')).status === 200,
  )
})

await t.test('a client that reads nothing is disconnected, which frees its place', async (t) => {
  const service = await startService(t, { STREAMS_PER_USER: '1', STREAM_HEARTBEAT_MS: '100' })
  await service.call('POST', '/v1/employees', { body: employee() })
  await service.project()
  await copyEntry(service.pool, service.company.id, 20_000, { request_id: "repeat('r', 2000)" })
  const headers = { authorization: `Bearer ${service.company.admin.token}` }
  const request = http.get(`${service.address}${PATH}?cursor=${encodeCursor(0)}`, { headers, agent: false })
  t.teardown(() => request.destroy())
  const [response] = (await once(request, 'response')) as [http.IncomingMessage]
  response.pause()
  response.on('error', () => undefined)
  await eventually(
    'the place is free',
    async () => (await openEventStream(t, service.address + PATH, headers)).status === 200,
  )
})
