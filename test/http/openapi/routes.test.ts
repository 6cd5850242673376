import t from 'tap'
import { send, startService } from '../../support/service.ts'

const service = await startService(t)

await t.test('an unknown route is a 404 problem', async (t) => {
  for (const path of ['/nothing', '/v1/nothing', '/v2/employees', '/v1/employees/a/b']) {
    const answer = await service.call('GET', path)
    t.match(answer, { status: 404, body: { code: 'route_not_found', type: '/problems/route_not_found' } })
  }
})

await t.test('a browser gets a page for an unknown address, except below the API', async (t) => {
  const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  for (const [method, path, status] of [
    ['GET', '/nope', 404],
    ['POST', '/nope?a=<b>', 404],
    ['GET', '/problems/nope', 404],
    ['GET', '/sign-out', 405],
  ] as const) {
    const { headers, body, ...answer } = await service.call(method, path, { key: null, headers: { accept } })
    t.equal(answer.status, status, path)
    t.match(headers, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': /style-src 'self'/ })
    t.match(body, status === 404 ? '<h1>Page not found</h1>' : '<h1>The route does not support this method</h1>')
    t.match(headers['vary'], 'accept')
  }
  t.match(await service.call('GET', '/v1/nothing', { headers: { accept } }), { body: { code: 'route_not_found' } })
  t.match(await service.call('DELETE', '/v1/employees', { headers: { accept } }), {
    body: { code: 'method_not_allowed' },
  })
})

await t.test('an unsupported method is a 405 with Allow', async (t) => {
  const cases = [
    ['DELETE', '/v1/employees', 'GET, HEAD, POST, PUT, PATCH'],
    ['PUT', '/v1/employees/x', 'GET, HEAD, PATCH'],
    ['POST', '/v1/auth/verify', 'GET, HEAD'],
    ['POST', '/admin/v1/bulk-user-logs', 'GET, HEAD'],
    ['PUT', '/admin/v1/webhooks', 'GET, HEAD, POST'],
    ['POST', '/admin/v1/webhooks/x', 'GET, HEAD, PATCH, DELETE'],
    ['GET', '/admin/v1/webhooks/x/ping', 'POST'],
  ] as const
  for (const [method, path, allow] of cases) {
    const answer = await service.call(method, path)
    t.match(answer, { status: 405, body: { code: 'method_not_allowed' } })
    t.equal(answer.headers['allow'], allow)
  }
})

await t.test('so is a method that no route supports, on every path', async (t) => {
  const own = service.app.registeredRoutes.filter(({ schema, url }) => schema.hide !== true || url === '/livez')
  for (const url of new Set(own.map(({ url }) => url))) {
    const path = url.replaceAll(/:\w+|\*/g, 'x')
    const { status, headers } = await send(service.address, 'OPTIONS', path, {})
    t.equal(status, 405, path)
    for (const method of ['TRACE', 'PROPFIND', 'QUERY']) {
      const answer = await send(service.address, method, `${path}?a=b`, {})
      t.match(answer, { status: 405, headers: { allow: headers['allow'] }, body: { code: 'method_not_allowed' } }, path)
    }
  }
  t.equal((await send(service.address, 'TRACE', '/nothing', {})).status, 404)
})

await t.test('no cache may store what may change at any moment: health, and what does not exist yet', async (t) => {
  for (const [method, path] of [
    ['GET', '/livez'],
    ['GET', '/readyz'],
    ['GET', '/nothing'],
    ['GET', '/v1/nothing'],
    ['GET', '/problems/nothing'],
    ['GET', '/assets/nothing.js'],
    ['GET', '/%ff'],
    ['POST', '/livez'],
    ['TRACE', '/docs'],
  ] as const) {
    for (const accept of ['application/json', 'text/html']) {
      const { headers } = await send(service.address, method, path, { headers: { accept } })
      t.equal(headers['cache-control'], 'no-store', `${method} ${path} as ${accept}`)
    }
  }
})

await t.test(
  'a path with encoded letters is the same route, no cache stores its answer, and refusals are alike',
  async (t) => {
    const { status, headers } = await service.call('GET', '/%761/auth/verify')
    t.equal(status, 200)
    t.equal(headers['cache-control'], 'no-store')
    const refused = await service.call('DELETE', '/%761/employees', { headers: { accept: 'text/html' } })
    t.equal(refused.status, 405)
    t.match(refused.headers['content-type'], 'application/problem+json')
    const unknown = await service.call('GET', '/%761/employees', { key: null })
    t.equal(unknown.status, 401)
    t.equal(unknown.headers['www-authenticate'], 'ApiKey realm="employee-ledger"')
  },
)

await t.test("a client's valid request id is returned, any other is replaced", async (t) => {
  const id = async (sent: string) =>
    (await service.call('GET', '/livez', { headers: { 'x-request-id': sent } })).headers['x-request-id']
  for (const good of ['sync-2026-11-20', 'A_b.9', 'x'.repeat(64)]) t.equal(await id(good), good)
  for (const bad of ['with space', 'x'.repeat(65), 'ana@example.com', 'a/b', 'é', ''])
    t.match(await id(bad), /^[0-9a-f-]{36}$/)
})

await t.test('livez says that the process is alive, readyz that it can serve', async (t) => {
  t.match(await service.call('GET', '/livez', { key: null }), { status: 200, body: { status: 'alive' } })
  t.match(await service.call('GET', '/readyz', { key: null }), { status: 200, body: { status: 'ready' } })
})
