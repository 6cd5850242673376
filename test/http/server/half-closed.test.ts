import { once } from 'node:events'
import net from 'node:net'
import t from 'tap'
import { employee, startService } from '../../support/service.ts'

/* Clients that close their sending half once a request is sent, as `nc -N` does. */

const service = await startService(t)
const { port } = new URL(service.address)
const { api_id, api_key } = service.company.key

/** Sends a request, and closes the sending half at once. Returns all that is answered. */
async function sendHalfClosed(method: string, body = ''): Promise<string> {
  const socket = net.connect({ host: '127.0.0.1', port: Number(port), allowHalfOpen: true })
  const head = [
    `${method} /v1/employees HTTP/1.1`,
    'host: x',
    `x-api-id: ${api_id}`,
    `x-api-key: ${api_key}`,
    ...(body === '' ? [] : ['content-type: application/json', `content-length: ${Buffer.byteLength(body)}`]),
  ]
  let answer = ''
  socket.on('data', (chunk) => (answer += String(chunk)))
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  await once(socket, 'end')
  socket.destroy()
  return answer
}

await t.test('a call is answered, and the connection ends', async (t) => {
  for (let turn = 0; turn < 5; turn += 1)
    t.match(await sendHalfClosed('POST', JSON.stringify(employee())), /^HTTP\/1\.1 201 [^]*"log_id"/)
  t.match(await sendHalfClosed('POST', '{'), /^HTTP\/1\.1 400 /)
})
