import { once } from 'node:events'
import net from 'node:net'
import t from 'tap'
import { openRawSocket, statusesIn } from '../../support/http/raw-socket.ts'
import { startService } from '../../support/service.ts'

await t.test('a stopping service answers the call in progress on an open connection, and then closes it', async (t) => {
  const service = await startService(t)
  const socket = net.connect(Number(new URL(service.address).port), '127.0.0.1')
  let answer = ''
  socket.setEncoding('utf8').on('data', (text: string) => (answer += text))
  // Half a request: the server waits for the rest instead of closing an idle connection.
  socket.write('GET /v1/auth/verify HTTP/1.1\r\nhost: x\r\n')
  await service.call('GET', '/livez')
  const closed = service.app.close()
  await new Promise((resolve) => setImmediate(resolve))
  socket.write('\r\n')
  await once(socket, 'close')
  await closed
  t.match(answer, /^HTTP\/1\.1 401 /, 'answered like any other')
  t.match(answer, /connection: close/i)
  t.match(answer, /"code":"invalid_credentials"/)
})

await t.test('a stopping service waits for no client whose call it was answering', async (t) => {
  const service = await startService(t)
  const { api_id, api_key } = service.company.key
  const socket = await openRawSocket(t, service.address)
  const body = JSON.stringify({ first_name: 'Ana', last_name: 'Perez', email: 'ana.perez@example.com' })
  socket.write(
    `POST /v1/employees HTTP/1.1\r\nhost: x\r\nx-api-id: ${api_id}\r\nx-api-key: ${api_key}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\nexpect: 100-continue\r\n\r\n`,
  )
  await socket.receives(/ 100 Continue/)
  const closed = service.app.close()
  socket.write(body)
  const text = await socket.closed()
  await closed
  t.strictSame(statusesIn(text), [100, 201])
  t.match(text, /connection: close/i, 'the client learns that it must open another connection')
})
