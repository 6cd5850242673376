import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { createServer } from 'node:net'
import type { Test } from 'tap'
import t from 'tap'
import { openPoster } from '../../src/delivery/webhooks/message-posting.ts'

const HEADERS = { 'content-type': 'application/json' }

/** A server that answers each request with what the test writes. */
async function startServer(
  t: Test,
  answer: (socket: Socket) => void,
): Promise<{ url: string; closed: Promise<unknown> }> {
  let closed: () => void
  const isClosed = new Promise<void>((resolve) => (closed = resolve))
  const server = createServer((socket) => {
    socket.on('error', () => undefined).on('close', () => closed())
    socket.once('data', () => answer(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, closed: isClosed }
}

const NEVER: [name: string, answer: (socket: Socket) => void][] = [
  ['says nothing', () => undefined],
  ['never ends its headers', (socket) => socket.write('HTTP/1.1 200 OK\r\nX-A: ')],
  ['never ends its answer', (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf')],
]

for (const [name, answer] of NEVER) {
  await t.test(`a receiver that ${name} fails when its time is up`, async (t) => {
    const poster = openPoster({ allowPrivate: true, answerMs: 200 })
    t.teardown(poster.close)
    const { url, closed } = await startServer(t, answer)
    const result = await poster.post(url, HEADERS, '{}')
    t.equal(result.error, 'The receiver did not answer within 0.2 seconds')
    await closed
  })
}

const ANSWERS: [name: string, text: string, status: number | null, error: string | RegExp | null][] = [
  ['no content', 'HTTP/1.1 204 No Content\r\n\r\n', 204, null],
  [
    'a redirect',
    'HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\nContent-Length: 0\r\n\r\n',
    302,
    /^Redirects are not followed \(302, to http:\/\/127\.0\.0\.1\/\): use the address of the receiver itself$/,
  ],
  ['a failure', 'HTTP/1.1 500 Oops\r\nContent-Length: 4\r\n\r\nfull', 500, 'The receiver answered 500'],
  [
    'a change of protocol',
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
    null,
    'The receiver answered 101',
  ],
  ['garbage', 'hello there\r\n\r\n', null, 'The answer is not valid HTTP'],
  ['endless headers', `HTTP/1.1 200 OK\r\nX-A: ${'x'.repeat(100_000)}\r\n\r\n`, null, 'The answer is not valid HTTP'],
]

await t.test('an answer is judged by its status', async (t) => {
  const poster = openPoster({ allowPrivate: true })
  t.teardown(poster.close)
  for (const [name, text, httpStatus, error] of ANSWERS) {
    const { url } = await startServer(t, (socket) => socket.end(text))
    t.match(await poster.post(url, HEADERS, '{}'), { httpStatus, error }, name)
  }
  const { url } = await startServer(t, (socket) => socket.destroy())
  t.match(await poster.post(url, HEADERS, '{}'), {
    httpStatus: null,
    error: 'The connection was closed before the answer ended',
  })
})

await t.test('an endless answer is cut off, and counts by its status', async (t) => {
  const poster = openPoster({ allowPrivate: true })
  t.teardown(poster.close)
  const { url, closed } = await startServer(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`
    const write = () => {
      while (!socket.destroyed && socket.write(chunk));
    }
    socket.on('drain', write)
    write()
  })
  const result = await poster.post(url, HEADERS, '{}')
  t.match(result, { httpStatus: 200, error: null, answer: 'x'.repeat(1024) })
  await closed
})

await t.test('a receiver that sends interim answers without end fails at once', async (t) => {
  const poster = openPoster({ allowPrivate: true })
  t.teardown(poster.close)
  const { url, closed } = await startServer(t, (socket) => {
    const write = () => {
      while (!socket.destroyed && socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1_000)));
    }
    socket.on('drain', write)
    write()
  })
  t.match(await poster.post(url, HEADERS, '{}'), { httpStatus: null, error: 'The receiver sent no answer' })
  await closed
})

await t.test('the start of an answer is kept, as text that the database can store', async (t) => {
  const poster = openPoster({ allowPrivate: true })
  t.teardown(poster.close)
  const { url } = await startServer(t, (socket) => socket.end(`HTTP/1.1 200 OK\r\n\r\na\0é${'x'.repeat(2_000)}`))
  const { answer } = await poster.post(url, HEADERS, '{}')
  t.equal(answer, `a\uFFFDé${'x'.repeat(1020)}`)
})

const PRIVATE = [
  'https://127.0.0.1/',
  'https://2130706433/',
  'https://0.0.0.0/',
  'https://10.1.2.3/',
  'https://172.16.0.1/',
  'https://192.168.1.1/',
  'https://169.254.169.254/latest/meta-data',
  'https://100.64.0.1/',
  'https://168.63.129.16/',
  'https://[::1]/',
  'https://[::]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[fe80::1]/',
  'https://[fd00:ec2::254]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[::127.0.0.1]/',
  'https://[100:0:0:1::1]/',
  'https://[4000::1]/',
  'https://[2002:7f00:1::]/',
  'https://[2001::80ff:fffe]/',
]

await t.test('an address that is not public is refused', async (t) => {
  const poster = openPoster({ allowPrivate: false })
  t.teardown(poster.close)
  for (const url of PRIVATE)
    t.match(await poster.post(url, HEADERS, '{}'), { httpStatus: null, error: 'The address is not public' }, url)
  t.match(await poster.post('http://example.com/', HEADERS, '{}'), { error: 'The address does not use https' })
})

await t.test('a host name is looked up for each connection, and refused if any address is not public', async (t) => {
  const answers = [['169.254.169.254'], ['192.0.2.1', '127.0.0.1'], ['::1']]
  const poster = openPoster({
    allowPrivate: false,
    lookUp: (_hostname, { all }, callback) => {
      const found = answers.shift()!.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
      if (all) callback(null, found)
      else callback(null, found.at(-1)!.address, found.at(-1)!.family)
    },
  })
  t.teardown(poster.close)
  for (let at = 0; at < 3; at += 1)
    t.match(await poster.post('https://rebound.example/', HEADERS, '{}'), { error: 'The address is not public' })
  t.strictSame(answers, [])
})

const CLOSED = [
  '169.254.169.254',
  '169.254.1.1',
  '168.63.129.16',
  '100.100.100.200',
  'fe80::1',
  'fd00:ec2::254',
  '::ffff:169.254.169.254',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::a9fe:a9fe',
  '::169.254.169.254',
  '2002:a9fe:a9fe::1',
  '2001::5601:5601',
  '2001:0:a9fe:a9fe::',
]

await t.test(
  'link-local addresses and metadata services stay closed where private addresses are allowed',
  async (t) => {
    const poster = openPoster({
      allowPrivate: true,
      lookUp: (hostname, { all }, callback) => {
        const address = CLOSED[Number(hostname.split('.')[0])]!
        const family = address.includes(':') ? 6 : 4
        if (all)
          callback(null, [
            { address: '127.0.0.1', family: 4 },
            { address, family },
          ])
        else callback(null, address, family)
      },
    })
    t.teardown(poster.close)
    for (const [at, address] of CLOSED.entries()) {
      const host = address.includes(':') ? `[${address}]` : address
      for (const url of [`http://${host}/`, `https://${host}/`, `http://${at}.example/`])
        t.match(await poster.post(url, HEADERS, '{}'), { httpStatus: null, error: /link-local/ }, url)
    }
    t.match(await poster.post('http://2852039166/', HEADERS, '{}'), { error: /link-local/ }, 'in decimal')
  },
)

await t.test('a host name without an address, or that cannot be resolved, fails', async (t) => {
  const poster = openPoster({
    allowPrivate: false,
    lookUp: (_hostname, _options, callback) => callback(new Error('The host name has no address'), []),
  })
  t.teardown(poster.close)
  t.match(await poster.post('https://nowhere.example/', HEADERS, '{}'), { error: 'The host name has no address' })
})

await t.test('a message that is cut off rejects, and is neither delivered nor failed', async (t) => {
  const poster = openPoster({ allowPrivate: true })
  t.teardown(poster.close)
  const cut = new AbortController()
  const { url } = await startServer(t, () => cut.abort(new Error('stopping')))
  await t.rejects(poster.post(url, HEADERS, '{}', cut.signal), { message: 'stopping' })
})

await t.test('idle connections that the receiver has closed are no failure', async (t) => {
  const poster = openPoster({ allowPrivate: true })
  t.teardown(poster.close)
  const sockets: Socket[] = []
  const { url } = await startServer(t, (socket) => {
    sockets.push(socket)
    // Closed while the next message is under way on it.
    socket.once('data', () => socket.resetAndDestroy())
    // The first two messages are answered together, so that each has a connection.
    const ready = sockets.length === 2 ? sockets : sockets.slice(2)
    for (const each of ready) each.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
  })
  const post = () => poster.post(url, HEADERS, '{}')
  for (const result of await Promise.all([post(), post()])) t.match(result, { error: null })
  t.match(await post(), { error: null })
  t.equal(sockets.length, 3)
})
