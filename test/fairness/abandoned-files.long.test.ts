import type net from 'node:net'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { hostileFiles } from '../support/files/hostile-files.ts'
import { eventually } from '../support/eventually.ts'
import { openRawSocket, statusesIn } from '../support/http/raw-socket.ts'
import type { Service } from '../support/service.ts'
import { startService } from '../support/service.ts'

/* Reading a large file ends when nobody waits for it any more. */

const [large] = hostileFiles()

/** Uploads a file that takes many turns, and resolves once the service has received all of it. */
async function sendLarge(t: Test, service: Service) {
  const { content, type } = large!
  const connections = new Set<net.Socket>()
  service.app.server.on('connection', (connection: net.Socket) => connections.add(connection))
  const socket = await openRawSocket(t, service.address)
  socket.write(
    `POST /admin/v1/uploads HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${service.company.admin.token}\r\n` +
      `content-type: ${type}\r\ncontent-length: ${content.length}\r\n\r\n`,
  )
  socket.write(content)
  await eventually('the file is received', async () =>
    [...connections].some(({ bytesRead }) => bytesRead > content.length),
  )
  return socket
}

async function countUploads({ pool }: Service): Promise<number> {
  return (await pool.query('select 1 from uploads')).rows.length
}

await t.test('reading a file ends when its client leaves, and nothing of it is stored', async (t) => {
  const messages: string[] = []
  const write = (line: string) => void messages.push((JSON.parse(line) as { msg: string }).msg)
  const service = await startService(t, {}, { log: pino({ level: 'debug' }, { write }) })
  const socket = await sendLarge(t, service)
  socket.cut()
  await eventually('the request has ended', async () =>
    messages.includes('the client disconnected before the request was complete'),
  )
  t.equal(await countUploads(service), 0)
})

await t.test('reading a file ends when the service stops, with 503', async (t) => {
  const service = await startService(t)
  const socket = await sendLarge(t, service)
  const stopped = service.app.close()
  t.strictSame(statusesIn(await socket.closed()), [503])
  await stopped
  t.equal(await countUploads(service), 0)
})
