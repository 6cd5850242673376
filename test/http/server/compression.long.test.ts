import http from 'node:http'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import t from 'tap'
import { chooseEncoding } from '../../../src/http/server/compression.ts'
import type { CallOptions } from '../../support/service.ts'
import { employee, send, startService } from '../../support/service.ts'
import { cookieOf, OWN_PAGE } from '../../support/http/sessions.ts'

const service = await startService(t)
const cookie = await cookieOf(service, service.company.admin)
await service.call('POST', '/v1/employees', { body: Array.from({ length: 50 }, () => employee()) })
await service.project()

function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<{ status: number; headers: http.IncomingHttpHeaders; bytes: Buffer }>((resolve, reject) => {
    const sent = { ...OWN_PAGE, cookie, 'accept-encoding': 'gzip, deflate, br', ...headers }
    const request = http.request(service.address + path, { method, headers: sent, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response
        .on('error', reject)
        .on('end', () =>
          resolve({ status: response.statusCode!, headers: response.headers, bytes: Buffer.concat(chunks) }),
        )
    })
    request.on('error', reject).end()
  })
}
const page = (await get('/settings/bulk-user-logs', { 'accept-encoding': '' })).bytes.toString()
const assets = [...page.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!)
const LARGE = [
  '/admin/v1/bulk-user-logs',
  '/admin/v1/users',
  '/openapi.json',
  '/problems',
  '/account',
  '/docs/reference.js',
]

await t.test('pages, JSON and files are the same after decompression', async (t) => {
  t.ok(assets.length > 2)
  for (const path of [...LARGE, ...assets]) {
    const plain = await get(path, { 'accept-encoding': '' })
    t.equal(plain.headers['content-encoding'], undefined)
    if (plain.bytes.length < 1_024) continue
    for (const [encoding, unpack] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      for (let time = 1; time <= 2; time += 1) {
        const packed = await get(path, { 'accept-encoding': encoding })
        t.match(packed, { status: plain.status, headers: { 'content-encoding': encoding } }, path)
        t.equal(packed.headers['content-length'], String(packed.bytes.length))
        t.ok(packed.bytes.length < plain.bytes.length / 1.5, `${path}: ${plain.bytes.length} to ${packed.bytes.length}`)
        // Ages such as "2 seconds ago" may differ.
        const ageless = (text: string) => text.replaceAll(/data-since="[^"]+">[^<]*/g, '')
        t.equal(ageless(unpack(packed.bytes).toString()), ageless(plain.bytes.toString()))
      }
    }
    for (const { headers } of [plain, await get(path)]) t.match(headers['vary'], /accept-encoding/, path)
  }
})

await t.test('the reference page transfers less than 1.5 MB', async (t) => {
  let bytes = 0
  for (const path of ['/docs', '/docs/start.js', '/docs/reference.js', '/openapi.json'])
    bytes += (await get(path)).bytes.length
  t.ok(bytes < 1_500_000, String(bytes))
})

await t.test('small answers, streams and live streams are not compressed', async (t) => {
  const small = await get('/healthz')
  t.equal(small.headers['content-encoding'], undefined)
  const csv = await get('/admin/v1/bulk-user-logs.csv')
  t.match(csv, { status: 200, headers: { 'content-type': /^text\/csv/ } })
  t.equal(csv.headers['content-encoding'], undefined)
  const live = await new Promise<http.IncomingMessage>((resolve) => {
    const headers = { ...OWN_PAGE, cookie, 'accept-encoding': 'gzip, br', accept: 'text/event-stream' }
    http.get(`${service.address}/admin/v1/bulk-user-logs/stream`, { headers, agent: false }, resolve)
  })
  t.match(live.headers, { 'content-type': /^text\/event-stream/ })
  t.equal(live.headers['content-encoding'], undefined)
  live.destroy()
})

await t.test('an answer to a request that another site caused is not compressed', async (t) => {
  const followed = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
  for (const [site, encoding] of [
    ['cross-site', undefined],
    ['same-site', undefined],
    ['same-origin', 'br'],
    ['none', 'br'],
  ] as const) {
    const { status, headers } = await get('/settings/bulk-user-logs?q=guess', { ...followed, 'sec-fetch-site': site })
    t.equal(status, 200)
    t.equal(headers['content-encoding'], encoding, site)
  }
})

await t.test('HEAD has no body, and says what the answer depends on', async (t) => {
  const { status, headers, bytes } = await get('/problems', {}, 'HEAD')
  t.equal(status, 200)
  t.equal(headers['vary'], 'accept, accept-encoding')
  t.equal(bytes.length, 0)
})

await t.test('what an Accept-Encoding means', (t) => {
  const choose = (accepted: string | undefined) =>
    chooseEncoding({ headers: accepted === undefined ? {} : { 'accept-encoding': accepted } }, ['br', 'gzip'])
  const meanings: [string | undefined, 'br' | 'gzip' | undefined][] = [
    ...([undefined, '', 'identity', 'deflate', 'gzip;q=0', '*;q=0', 'gzip;q=x', 'br;q=0,gzip;q=0, *'] as const).map(
      (none): [string | undefined, undefined] => [none, undefined],
    ),
    ...(['gzip', 'GZIP', 'x-gzip', 'br;q=0, *', 'gzip;q=1.0, br;q=0.5', 'gzip ; q=0.001'] as const).map(
      (text): [string, 'gzip'] => [text, 'gzip'],
    ),
    ...(['br', 'gzip, deflate, br', '*', 'gzip;q=0, *', 'deflate, br;q=1, *;q=0.1'] as const).map(
      (text): [string, 'br'] => [text, 'br'],
    ),
  ]
  for (const [accepted, expected] of meanings) t.equal(choose(accepted), expected, String(accepted))
  t.equal(chooseEncoding({ headers: { 'accept-encoding': 'br, gzip;q=0.5' } }, ['gzip']), 'gzip')
  t.end()
})

await t.test('a compressed body is refused with what is accepted, on every kind of route', async (t) => {
  const { key, admin } = service.company
  const bearer = { authorization: `Bearer ${admin.token}` }
  const form = { ...OWN_PAGE, cookie, 'content-type': 'application/x-www-form-urlencoded' }
  const routes: [method: string, path: string, call: CallOptions][] = [
    ['POST', '/v1/employees', { key }],
    ['POST', '/admin/v1/users', { headers: bearer }],
    ['DELETE', '/admin/v1/users/x', { headers: bearer }],
    ['POST', '/settings/users/new', { headers: form }],
    ['POST', '/sign-in', { headers: form }],
  ]
  const call = ([method, path, { headers, ...sent }]: (typeof routes)[number], encoding: string) =>
    send(service.address, method, path, {
      ...sent,
      headers: { ...headers, 'content-encoding': encoding },
      body: gzipSync('{}'),
    })
  for (const route of routes) {
    for (const encoding of ['gzip', 'br', 'x', 'identity, gzip']) {
      const { status, headers } = await call(route, encoding)
      t.match(
        { status, headers },
        { status: 415, headers: { 'accept-encoding': 'identity' } },
        `${route[1]} ${encoding}`,
      )
    }
    t.not((await call(route, 'Identity')).status, 415)
  }
  const { body: other } = await service.manage('POST', '/api-keys', { name: 'Disabled' })
  await service.manage('POST', `/api-keys/${other.id}/disable`)
  const { status: refused, headers } = await service.call('POST', '/v1/employees', {
    body: employee(),
    key: { ...service.company.key, api_id: other.id, api_key: other.api_key },
    headers: { 'content-encoding': 'gzip' },
  })
  t.equal(refused, 403)
  t.equal(headers['accept-encoding'], undefined, 'the key is refused, not the encoding')
  const { status } = await service.call('GET', '/v1/auth/verify', { headers: { 'content-encoding': 'gzip' } })
  t.equal(status, 200, 'without a body, it says nothing')
})
