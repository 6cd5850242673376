import t from 'tap'
import { openRawSocket, statusesIn } from '../../support/http/raw-socket.ts'
import { employee, send, startService } from '../../support/service.ts'

/* What clients, proxies and libraries usually do to a request without anybody's asking for it. */

const service = await startService(t)
const { company } = service

await t.test('a trailing slash is the same route, and an empty id is none', async (t) => {
  const created = await service.call('POST', '/v1/employees/', { body: employee() })
  t.equal(created.status, 201)
  const [{ id }] = created.body.employees
  t.match(await service.call('GET', `/v1/employees/${id}/`), { status: 200, body: { id } })
  t.equal((await service.call('GET', '/v1/employees/')).status, 200)
  t.match(await service.call('DELETE', '/v1/employees/'), { status: 405, headers: { allow: /GET/ } })
  t.match(await service.call('GET', '/v1/employees//'), { status: 404 })
})

await t.test('a path with dot segments leads nowhere', async (t) => {
  const secrets = `x-api-id: ${company.key.api_id}\r\nx-api-key: ${company.key.api_key}\r\n`
  for (const path of ['/v1/./employees', '/v1/x/../employees', '/v1/%2e%2e/v1/employees', '/./v1/employees/.'])
    for (const method of ['GET', 'DELETE']) {
      const socket = await openRawSocket(t, service.address)
      socket.write(`${method} ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${secrets}\r\n`)
      t.strictSame(statusesIn(await socket.closed()), [404], `${method} ${path}`)
    }
})

await t.test('a method in X-HTTP-Method-Override is refused by name, and creates nobody', async (t) => {
  const headers = { 'x-http-method-override': 'PATCH' }
  const { status, body } = await service.call('POST', '/v1/employees', { body: [employee()], headers })
  t.match({ status, body }, { status: 400, body: { code: 'malformed_request', detail: /X-HTTP-Method-Override/ } })
  t.match((await service.logOf(body.log_id)).entry, { status: 'Failed', counts: { total: 1, failed: 1 } })
})

await t.test('what is not found leads on: to the reference, and from an address to the search by it', async (t) => {
  t.match((await service.call('GET', '/v1/people')).body, { code: 'route_not_found', detail: /\/docs/ })
  const { status, body } = await service.call('GET', '/v1/employees/ana.perez@example.com')
  t.match({ status, body }, { status: 404, body: { code: 'employee_not_found', detail: /\/v1\/employees\?email=/ } })
  t.notMatch(body.detail, 'ana.perez')
})

await t.test('a type without a body is no error where there need be none', async (t) => {
  const key = await service.manage('POST', '/api-keys', { name: 'Spare' })
  const authorization = `Bearer ${company.admin.token}`
  for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/plain']) {
    const headers = { 'content-type': type, 'content-length': '0', authorization }
    for (const change of ['disable', 'enable']) {
      const path = `/admin/v1/api-keys/${key.body.id}/${change}`
      t.equal((await send(service.address, 'POST', path, { key: null, headers })).status, 200, `${change}, ${type}`)
    }
  }
  const form = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '0' }
  t.match(await service.call('POST', '/v1/employees', { headers: form }), { status: 400, body: { detail: /body/ } })
  const refused = await service.call('POST', '/v1/employees', { headers: { 'content-type': 'application/json' } })
  t.match(refused, { status: 400, body: { code: 'malformed_json', detail: 'The body is empty' } })
})

await t.test('an address that is nearly that of a route leads there', async (t) => {
  const meant: Record<string, string> = {
    '//v1/employees': '/v1/employees',
    '/v1//employees?limit=1': '/v1/employees',
    '/V1/Employees': '/v1/employees',
    '/v1/employee': '/v1/employees',
    '/employees': '/v1/employees',
    '/api/v1/employees/emp_1': '/v1/employees/{id}',
  }
  for (const [sent, path] of Object.entries(meant)) {
    const { status, body } = await service.call('GET', sent)
    t.match({ status, body }, { status: 404, body: { code: 'route_not_found' } }, sent)
    t.ok(body.detail.endsWith(`did you mean ${path}?`), `${sent}: ${body.detail}`)
  }
  t.match((await service.call('GET', '/v1/staff')).body.detail, /\/docs lists what there is/)
})
