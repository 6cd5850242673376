import t from 'tap'
import type { OpenApiDocument } from '../../src/http/openapi/build-document.ts'
import { answerChecker } from '../support/http/api-document.ts'
import { openRawSocket, statusesIn } from '../support/http/raw-socket.ts'
import { send, startService } from '../support/service.ts'
import { cookieOf } from '../support/http/sessions.ts'

/*
 * What the fuzzer has found, each case as the smallest request that shows it. Overflowing numbers in queries are in
 * `test/http/server/query-numbers.test.ts`; bodies sent to unknown routes, in
 * `test/http/server/raw-sockets.long.test.ts`.
 */

const service = await startService(t)
const { admin } = service.company
const document: OpenApiDocument = (await service.call('GET', '/openapi.json')).body
const check = answerChecker(document)
const bearer = { authorization: `Bearer ${admin.token}` }

await t.test('an undecodable address is a 404 with a request id, like any other', async (t) => {
  for (const path of ['/account/%ff', '/admin/v1/users/%ff', '/v1/employees/%']) {
    const { status, headers, body } = await send(service.address, 'GET', path, { headers: bearer })
    t.match({ status, body }, { status: 404, body: { code: 'route_not_found' } }, path)
    t.equal(body.request_id, headers['x-request-id'], path)
  }
})

await t.test('too many bytes of headers get a problem document with an id', async (t) => {
  const socket = await openRawSocket(t, service.address)
  socket.write(`GET /settings/users?cursor=${'x'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`)
  const answer = await socket.closed()
  t.strictSame(statusesIn(answer), [431])
  const [head, body] = answer.split('\r\n\r\n')
  t.match(head!, /content-type: application\/problem\+json/)
  const { code, type, request_id: id } = JSON.parse(body!) as Record<string, string>
  t.strictSame({ code, type }, { code: 'headers_too_large', type: '/problems/headers_too_large' })
  t.ok(head!.includes(`x-request-id: ${id}`))
})

await t.test('the document describes how a DELETE with a bad body is refused', async (t) => {
  const broken = [
    { body: '' },
    { body: '{' },
    { body: '"\\u0000"' },
    { body: 'x'.repeat(20_000) },
    { body: 'x', headers: { 'content-type': 'text/plain' } },
  ]
  for (const [kind, path] of [
    ['users', '/admin/v1/users/{id}'],
    ['tokens', '/admin/v1/tokens/{id}'],
  ] as const) {
    for (const { body, headers } of broken as { body: string; headers?: Record<string, string> }[]) {
      const answer = await send(service.address, 'DELETE', `/admin/v1/${kind}/x`, {
        headers: { ...bearer, ...headers },
        body,
      })
      t.strictSame(check({ path, method: 'DELETE' }, answer), [], `${kind} ${body.slice(0, 10)}: ${answer.status}`)
    }
  }
})

await t.test('the document describes how a cross-site request is refused', async (t) => {
  const cookie = await cookieOf(service, admin)
  for (const [method, path] of [
    ['POST', '/admin/v1/users/{id}/erase'],
    ['GET', '/admin/v1/users'],
    ['GET', '/audit/v1/events'],
  ] as const) {
    const answer = await send(service.address, method, path.replace('{id}', 'x'), {
      headers: { cookie, 'sec-fetch-site': 'cross-site' },
    })
    t.match(answer, { status: 403, body: { code: 'cross_site_request' } })
    t.strictSame(check({ path, method }, answer), [], path)
  }
})

await t.test('an unsupported method is 405, however bad the body is', async (t) => {
  for (const body of ['{', 'x'.repeat(100_000)]) {
    t.equal((await send(service.address, 'DELETE', '/v1/employees', { body })).status, 405)
    t.equal(
      (await send(service.address, 'POST', '/nothing', { body, headers: { 'content-type': 'text/plain' } })).status,
      404,
    )
  }
})

await t.test("a page accepts only the browsers' form types", async (t) => {
  const headers = { cookie: await cookieOf(service, admin), 'sec-fetch-site': 'same-origin' }
  for (const type of ['application/json', 'application/merge-patch+json']) {
    const body = '{"":{"toString":"x"}}'
    const { status } = await send(service.address, 'POST', '/settings/api-keys/new', {
      headers: { ...headers, 'content-type': type },
      body,
    })
    t.equal(status, 415, type)
  }
})

await t.test('a visitor from elsewhere is led back whatever the address names as a company', async (t) => {
  for (const company of ['%F0%9F%99%82', '%0D%0Aset-cookie:%20x', '%C3%A9', '..%2F..']) {
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    const answer = await send(service.address, 'GET', `/sign-in/${company}/start`, { key: null, headers })
    t.match(answer, { status: 303, headers: { location: `/sign-in/${company.replace(':', '%3A')}` } }, company)
  }
})
