import t from 'tap'
import { gzipSync } from 'node:zlib'
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

await t.test('a method in a header is refused by the name of the header, and creates nobody', async (t) => {
  for (const name of ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override']) {
    const headers = { [name.toLowerCase()]: 'PATCH' }
    const { status, body } = await service.call('POST', '/v1/employees', { body: [employee()], headers })
    const code = 'malformed_request'
    t.match({ status, body }, { status: 400, body: { code, detail: `${name} is not supported` } })
    t.match((await service.logOf(body.log_id)).entry, { status: 'Failed', counts: { total: 1, failed: 1 } })
  }
})

await t.test('every request that Node.js itself would refuse gets a problem or is served', async (t) => {
  const one = 'host: x\r\nconnection: close\r\n'
  const requests: Record<string, { text: string; status: number; says?: RegExp }> = {
    'no host': { text: 'GET /livez HTTP/1.1\r\n', status: 400, says: /one Host header/ },
    'two hosts': { text: `GET /livez HTTP/1.1\r\nHOST: y\r\n${one}`, status: 400, says: /one Host header/ },
    'HTTP/1.0 without a host': { text: 'GET /livez HTTP/1.0\r\n', status: 200 },
    'an expectation that nobody knows': { text: `GET /livez HTTP/1.1\r\nexpect: 200-ok\r\n${one}`, status: 200 },
    'HTTP/2': { text: 'PRI * HTTP/2.0\r\n\r\nSM\r\n', status: 400, says: /HTTP\/2 ends at a proxy/ },
    'the PROXY protocol': { text: 'PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n', status: 400, says: /PROXY protocol/ },
    'a long address': { text: `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n`, status: 431, says: /16384 bytes/ },
  }
  for (const [name, { text, status, says }] of Object.entries(requests)) {
    const socket = await openRawSocket(t, service.address)
    socket.write(`${text}\r\n`)
    const answer = await socket.receives(/\r\n\r\n\{.*\}/s)
    socket.cut()
    t.strictSame(statusesIn(answer), [status], name)
    if (says) t.match(answer, says, name)
    if (says) t.match(answer, /content-type: application\/problem\+json/i, name)
  }
})

await t.test('a body in another encoding says which one it seems to be', async (t) => {
  const text = '{"first_name":"Zo\u00eb","email":"zoe@example.com"}'
  const bodies = {
    compressed: gzipSync(text),
    'UTF-16': Buffer.from(text, 'utf16le'),
    '8859': Buffer.from(text, 'latin1'),
  }
  for (const [says, body] of Object.entries(bodies)) {
    const { status, body: refusal } = await service.call('POST', '/v1/employees', {
      body,
      headers: { 'content-type': 'application/json' },
    })
    t.match({ status, refusal }, { status: 400, refusal: { code: 'malformed_json', detail: new RegExp(says) } })
  }
})

await t.test('a token may follow its scheme at any distance, and in any case', async (t) => {
  for (const scheme of ['Bearer ', 'bearer   ', 'BEARER ']) {
    const headers = { authorization: `${scheme}${company.admin.token}` }
    t.equal((await send(service.address, 'GET', '/admin/v1/company', { key: null, headers })).status, 200, scheme)
  }
})

await t.test('fields inside another field are told to stand beside it', async (t) => {
  const [{ id }] = (await service.call('POST', '/v1/employees', { body: employee() })).body.employees
  const said = { status: 422, body: { errors: [{ code: 'unknown_field', message: /not inside another one$/ }] } }
  for (const body of [{ employee: { job_title: 'x' } }, { employees: [{ job_title: 'x' }] }, { data: { phone: '1' } }])
    t.match(await service.call('PATCH', `/v1/employees/${id}`, { body }), said)
  const { body } = await service.call('PATCH', `/v1/employees/${id}`, { body: { custom_fields: { grade: 'A' } } })
  t.match(body.errors[0].message, /custom_attributes/)
})

await t.test('what is not found leads on: to the reference, and from an address to the search by it', async (t) => {
  t.match((await service.call('GET', '/v1/people')).body, { code: 'route_not_found', detail: /\/docs/ })
  const { status, body } = await service.call('GET', '/v1/employees/ana.perez@example.com')
  t.match({ status, body }, { status: 404, body: { code: 'employee_not_found', detail: /\/v1\/employees\?email=/ } })
  t.notMatch(body.detail, 'ana.perez')
  const [{ id }] = (await service.call('POST', '/v1/employees', { body: employee() })).body.employees
  for (const spoiled of [`${id}%20`, `${id}.json`, id.toUpperCase(), id.slice(4), 'emp_'])
    t.match((await service.call('GET', `/v1/employees/${spoiled}`)).body.detail, /The path takes an id/, spoiled)
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
    '/v2/employees': '/v1/employees',
    '/v1/employees.json': '/v1/employees',
    '/v1/employees;jsessionid=1': '/v1/employees',
    '/v1/employees&limit=1': '/v1/employees',
    '/v1/employees%3Flimit=1': '/v1/employees',
    '/v1/employees%20': '/v1/employees',
  }
  for (const [sent, path] of Object.entries(meant)) {
    const { status, body } = await service.call('GET', sent)
    t.match({ status, body }, { status: 404, body: { code: 'route_not_found' } }, sent)
    t.ok(body.detail.endsWith(`did you mean ${path}?`), `${sent}: ${body.detail}`)
  }
  t.match((await service.call('GET', '/v1/staff')).body.detail, /\/docs lists all addresses/)
})
