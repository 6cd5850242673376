import { once } from 'node:events'
import net from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { openRawSocket, statusesIn } from '../../support/http/raw-socket.ts'
import { employee, startService } from '../../support/service.ts'

/*
 * Requests that no HTTP client sends: slow, torn, contradictory or endless, each on its own socket, while the service
 * keeps answering a good client.
 */

const BODY_LIMIT = 20_000
const service = await startService(t, {
  REQUEST_TIMEOUT_MS: '1000',
  STREAM_HEARTBEAT_MS: '100',
  BODY_LIMIT: String(BODY_LIMIT),
})
const { key } = service.company
const KEY = `x-api-id: ${key.api_id}\r\nx-api-key: ${key.api_key}\r\n`
const open = () => openRawSocket(t, service.address)
const POST = `POST /v1/employees HTTP/1.1\r\nhost: x\r\n${KEY}content-type: application/json\r\n`
const VERIFY = `GET /v1/auth/verify HTTP/1.1\r\nhost: x\r\n${KEY}`

/** Of the good client, which leaves the others some of the processor. */
const BETWEEN_CALLS_MS = 200

/** A good client that creates one employee after another until it is stopped. */
const good = { statuses: [] as number[], isStopped: false }
// Each on its own connection: the service may close one that was idle for REQUEST_TIMEOUT_MS just when it is used.
const createEmployee = () =>
  service.call('POST', '/v1/employees', { body: employee(), headers: { connection: 'close' } }).catch(ofClosed)

/** A 408 is lost if the client sends while the service closes the connection. */
function ofClosed(error: Error & { code?: string }) {
  if (error.code === 'UND_ERR_SOCKET') return { status: 408 }
  throw error
}
const goodClient = (async () => {
  while (!good.isStopped) {
    good.statuses.push((await createEmployee()).status)
    await pause(BETWEEN_CALLS_MS)
  }
})()

/** Sends one request and returns the statuses of all answers until the server closes the connection. */
async function answersTo(bytes: string | Buffer): Promise<{ statuses: number[]; text: string }> {
  const socket = await open()
  socket.write(bytes)
  const text = await socket.closed()
  return { statuses: statusesIn(text), text }
}

await t.test('a body in an unknown transfer coding is refused, and its connection closed', async (t) => {
  for (const coding of ['foo, chunked', 'gzip, chunked', 'chunked, chunked']) {
    const { statuses, text } = await answersTo(
      `${POST}transfer-encoding: ${coding}\r\n\r\n2\r\n{}\r\n0\r\n\r\n${VERIFY}\r\n`,
    )
    t.strictSame(statuses, [400], coding)
    t.match(text, /malformed_request/)
  }
})

await t.test('a method in small letters is told apart from bytes that are no request', async (t) => {
  const { statuses, text } = await answersTo('post /v1/employees HTTP/1.1\r\nhost: x\r\n\r\n')
  t.strictSame(statuses, [400])
  t.match(text, /methods are written in capitals/)
})

await t.test('a slow request is cut off: nothing sent, half a header, half a body', async (t) => {
  const beginnings = [
    '',
    'GET /livez HT',
    'GET /livez HTTP/1.1\r\nhost: x\r\nx-slow: ',
    `${POST}content-length: 100\r\n\r\n{"first`,
    `${POST}transfer-encoding: chunked\r\n\r\n5\r\n{"fir`,
  ]
  const ends = await Promise.all(beginnings.map(answersTo))
  for (const [at, { statuses, text }] of ends.entries()) {
    t.strictSame(statuses, [408], `beginning ${at}`)
    t.match(text, /content-type: application\/problem\+json[^]*"code":"request_timeout"/)
  }
})

await t.test('a client that sends a byte at a time is cut off', async (t) => {
  const socket = await open()
  socket.write(VERIFY)
  const dripping = setInterval(() => socket.write('x: 1\r\n'), 50)
  t.strictSame(statusesIn(await socket.closed()), [408])
  clearInterval(dripping)
})

await t.test('a client that does not read is cut off', async (t) => {
  const { server } = service.app
  // A socket that is cut off forgets its port.
  const accepted = new Map<number | undefined, net.Socket>()
  server.on('connection', (socket: net.Socket) => accepted.set(socket.remotePort, socket))
  const { hostname, port } = new URL(service.address)
  const deaf = net.connect(Number(port), hostname).pause()
  t.teardown(() => deaf.destroy())
  // Together, the answers are larger than what the systems of both sides hold.
  deaf.on('error', () => undefined).write('GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(40))
  await once(deaf, 'connect')
  const { localPort } = deaf
  // The server may accept it before or after this side knows its port.
  while (!accepted.has(localPort)) await once(server, 'connection')
  const connection = accepted.get(localPort)!
  if (!connection.destroyed) await once(connection, 'close')
  let read = 0
  deaf.on('data', (bytes: Buffer) => (read += bytes.length)).resume()
  await once(deaf, 'close')
  const { body } = await service.call('GET', '/openapi.json')
  t.ok(read < 40 * JSON.stringify(body).length, 'there was more to read')
})

const body = '{"first_name":"Smuggled","last_name":"X","email":"smuggled@example.com"}'
const length = Buffer.byteLength(body)
const chunk = `${length.toString(16)}\r\n${body}\r\n0\r\n\r\n`

const REFUSED: [what: string, bytes: string | Buffer, status: number][] = [
  [
    'both Content-Length and Transfer-Encoding',
    `${POST}content-length: ${length}\r\ntransfer-encoding: chunked\r\n\r\n${chunk}`,
    400,
  ],
  [
    'Transfer-Encoding before Content-Length',
    `${POST}transfer-encoding: chunked\r\ncontent-length: ${length}\r\n\r\n${chunk}`,
    400,
  ],
  ['two Content-Lengths', `${POST}content-length: ${length}\r\ncontent-length: ${length}\r\n\r\n${body}`, 400],
  ['two Content-Lengths in one header', `${POST}content-length: ${length}, ${length}\r\n\r\n${body}`, 400],
  ['a negative Content-Length', `${POST}content-length: -1\r\n\r\n${body}`, 400],
  ['a Content-Length with a plus', `${POST}content-length: +${length}\r\n\r\n${body}`, 400],
  ['an overflowing Content-Length', `${POST}content-length: ${'9'.repeat(30)}\r\n\r\n${body}`, 400],
  ['an unknown Transfer-Encoding', `${POST}transfer-encoding: xchunked\r\n\r\n${chunk}`, 400],
  ['chunked in front of another encoding', `${POST}transfer-encoding: chunked, gzip\r\n\r\n${chunk}`, 400],
  ['a space before the colon', `${POST}transfer-encoding : chunked\r\n\r\n${chunk}`, 400],
  ['a folded header', `${POST}x-fold: a\r\n b\r\ncontent-length: ${length}\r\n\r\n${body}`, 400],
  ['bare line feeds', `${POST}content-length: ${length}\n\n${body}`, 400],
  ['a bare carriage return in a header', `${POST}x-cr: a\rb\r\ncontent-length: ${length}\r\n\r\n${body}`, 400],
  ['U+0000 in a header', `${POST}x-nul: a\0b\r\ncontent-length: ${length}\r\n\r\n${body}`, 400],
  ['a huge chunk size', `${POST}transfer-encoding: chunked\r\n\r\nffffffffffffffff0\r\n${body}`, 400],
  ['an invalid chunk size', `${POST}transfer-encoding: chunked\r\n\r\n-5\r\n${body}`, 400],
  ['a chunk longer than its size', `${POST}transfer-encoding: chunked\r\n\r\n1\r\n${body}\r\n0\r\n\r\n`, 400],
  [
    'endless chunk extensions',
    `${POST}transfer-encoding: chunked\r\n\r\n1;${'x'.repeat(20_000)}\r\n{\r\n0\r\n\r\n`,
    400,
  ],
  ['another protocol', Buffer.from('16030100c8010000c40303', 'hex'), 400],
  ['unrequested HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ['an unknown method', 'FLY /v1/employees HTTP/1.1\r\nhost: x\r\n\r\n', 400],
  ['an unknown HTTP version', 'GET /livez HTTP/9.9\r\nhost: x\r\n\r\n', 400],
  ['no host', 'GET /livez HTTP/1.1\r\n\r\n', 400],
  ['a flood of headers', `${VERIFY}${'x-flood: 1\r\n'.repeat(5_000)}\r\n`, 431],
  ['one endless header', `${VERIFY}x-long: ${'x'.repeat(100_000)}`, 431],
  ['an endless address', `GET /${'x'.repeat(100_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, 431],
]

for (const [what, bytes, status] of REFUSED) {
  await t.test(`refused, and the connection closed: ${what}`, async (t) => {
    const { statuses, text } = await answersTo(bytes)
    t.strictSame(statuses, [status], text)
  })
}

await t.test('no part of a refused request is read as another request', async (t) => {
  const hidden = `POST /v1/employees HTTP/1.1\r\nhost: x\r\n${KEY}content-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`
  const { statuses } = await answersTo(
    `${POST}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
  )
  t.strictSame(statuses, [400])
  const found = await service.pool.query("select 1 from employee_directory where email = 'smuggled@example.com'")
  t.equal(found.rowCount, 0)
})

await t.test('two requests in one packet are answered in order', async (t) => {
  const { statuses } = await answersTo(`${VERIFY}\r\nGET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
  t.strictSame(statuses, [200, 200])
})

await t.test('a client that closes its half counts as gone: the server closes the other half', async (t) => {
  const socket = await open()
  socket.write(`${POST}content-length: 100\r\n\r\n{`)
  socket.end()
  t.strictSame(
    statusesIn(await socket.closed()).filter((status) => status < 400),
    [],
  )
})

await t.test(
  'Expect: 100-continue is answered before the body is sent; any other expectation is ignored',
  async (t) => {
    const socket = await open()
    const sent = '{"first_name":"Ana","last_name":"Li","email":"continued@example.com"}'
    socket.write(`${POST}connection: close\r\nexpect: 100-continue\r\ncontent-length: ${sent.length}\r\n\r\n`)
    await socket.receives(/100 Continue/)
    socket.write(sent)
    t.strictSame(statusesIn(await socket.closed()), [100, 201])
    const stranger = await open()
    const anonymous = POST.replace(/x-api-key: [^\r]*/i, 'x-api-key: wrong')
    stranger.write(`${anonymous}connection: close\r\nexpect: 100-continue\r\ncontent-length: ${sent.length}\r\n\r\n`)
    t.strictSame(statusesIn(await stranger.closed()), [401], 'a refused call is not asked for its body')
    t.strictSame(
      (await answersTo(`${POST}connection: close\r\nexpect: wonders\r\ncontent-length: 2\r\n\r\n{}`)).statuses,
      [422],
    )
  },
)

await t.test(
  'a body over the limit is refused by its length, or without one as soon as it exceeds the limit',
  async (t) => {
    const announced = await open()
    announced.write(`${POST}content-length: ${2 * BODY_LIMIT}\r\n\r\n`)
    t.strictSame(statusesIn(await announced.receives(/payload_too_large/)), [413])
    announced.write(`${' '.repeat(2 * BODY_LIMIT)}GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
    t.strictSame(statusesIn(await announced.closed()), [413, 200], 'what was sent despite the answer is discarded')
    const endless = await open()
    endless.write(`${POST}content-length: ${2 * BODY_LIMIT + 1}\r\n\r\n`)
    t.strictSame(statusesIn(await endless.closed()), [413])
    const chunked = await open()
    chunked.write(`${POST}transfer-encoding: chunked\r\n\r\n`)
    for (let at = 0; at < 30; at += 1) chunked.write(`400\r\n${' '.repeat(1_024)}\r\n`)
    t.strictSame(statusesIn(await chunked.receives(/payload_too_large.*"log_id"/)), [413])
  },
)

await t.test('without credentials nobody can send a body, even to an unknown route or method', async (t) => {
  for (const line of ['POST /v1/employees', 'PUT /v1/employees', 'POST /nothing', 'POST /livez']) {
    const socket = await open()
    socket.write(`${line} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 19000\r\n\r\n`)
    const [status] = statusesIn(await socket.receives(/"request_id"/))
    t.ok([401, 404, 405].includes(status!), `${line}: ${status}`)
  }
})

await t.test('200 silent connections block nobody, and are cut off', async (t) => {
  const idle = await Promise.all(Array.from({ length: 200 }, open))
  t.equal((await service.call('GET', '/v1/auth/verify')).status, 200)
  const ends = await Promise.all(idle.map((socket) => socket.closed()))
  t.ok(ends.every((text) => statusesIn(text).every((status) => status === 408)))
})

await t.test('the good client was always answered', async (t) => {
  good.isStopped = true
  await goodClient
  t.ok(good.statuses.includes(201))
  // On a busy machine the good client itself can be too slow to send a request in time. That is an answer too.
  t.strictSame(
    good.statuses.filter((status) => status !== 201 && status !== 408),
    [],
  )
})
