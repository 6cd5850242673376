import { once } from 'node:events'
import net from 'node:net'
import t, { type Test } from 'tap'
import { eventually } from '../../support/eventually.ts'
import { employee, send, startService, type TestCompany } from '../../support/service.ts'

/* Clients that ask for large answers and read none of them take a bounded part of the memory, which comes back. */

const service = await startService(t)
const { hostname, port } = new URL(service.address)
const reader = await service.makeCompany('Reader')

/** A list of 2 MB. */
const PEOPLE = 100
const VALUE = 'x'.repeat(1_000)
const VALUES = 20
/** More lists than fit into the buffers of a connection. */
const LISTS = 6
/** More lists than the company has room for. */
const MANY = 40

const custom = Object.fromEntries(Array.from({ length: VALUES }, (_, at) => [`attribute_${at}`, VALUE]))
for (const { key } of [service.company, reader]) {
  const employees = Array.from({ length: PEOPLE }, () => employee({ custom_attributes: custom }))
  await service.call('POST', '/v1/employees', { key, body: { employees } })
}
await service.project()

const list = ({ key }: TestCompany) => send(service.address, 'GET', `/v1/employees?limit=${PEOPLE}`, { key })

/** Asks for several lists on a connection of its own, and reads nothing. */
async function askOnly(t: Test, { key }: TestCompany): Promise<net.Socket> {
  const socket = net.connect({ host: hostname, port: Number(port) })
  t.teardown(() => socket.destroy())
  await once(socket, 'connect')
  socket.pause()
  const request =
    `GET /v1/employees?limit=${PEOPLE} HTTP/1.1\r\nHost: ${hostname}\r\n` +
    `x-api-id: ${key.api_id}\r\nx-api-key: ${key.api_key}\r\n\r\n`
  socket.write(request.repeat(LISTS))
  return socket
}

await t.test('a company that reads no answers is refused further ones, and others are not', async (t) => {
  const sockets: net.Socket[] = []
  let refused = await list(service.company)
  await eventually('the company has no room left', async () => {
    sockets.push(await askOnly(t, service.company))
    refused = await list(service.company)
    return refused.status === 429
  })
  t.match(refused, { body: { code: 'rate_limited', detail: /waiting to be read/ }, headers: { 'retry-after': '1' } })
  t.equal((await list(reader)).status, 200, 'another company reads its list')
  const body = { employees: [employee({ custom_attributes: custom })] }
  t.equal((await service.call('POST', '/v1/employees', { body })).status, 201, 'a call changes something')

  for (const socket of sockets) socket.destroy()
  await eventually('the room is given back', async () => (await list(service.company)).status === 200)
})

await t.test('answers that are read need no room any more', async (t) => {
  for (let read = 0; read < MANY; read += 1) t.equal((await list(reader)).status, 200)
})
