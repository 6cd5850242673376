import t from 'tap'
import { employee, send, startService } from '../../support/service.ts'

const service = await startService(t)

await t.test('a read returns the last committed state, with its entity tag', async (t) => {
  const { body } = await service.call('POST', '/v1/employees', { body: employee() })
  const [created] = body.employees
  const first = await service.call('GET', `/v1/employees/${created.id}`)
  t.equal(first.status, 200)
  t.equal(first.headers['etag'], '"1"')
  t.strictSame(first.body, created)
  const { body: patched } = await service.call('PATCH', `/v1/employees/${created.id}`, { body: { location: 'Lisbon' } })
  const second = await service.call('GET', `/v1/employees/${created.id}`)
  t.equal(second.headers['etag'], '"2"')
  t.strictSame(second.body, patched.employee)
})

await t.test('a read answers 304 while the employee has the version in If-None-Match', async (t) => {
  const { body } = await service.call('POST', '/v1/employees', { body: employee() })
  const path = `/v1/employees/${body.employees[0].id}`
  const read = (headers: Record<string, string>) => service.call('GET', path, { headers })
  for (const tag of ['"1"', 'W/"1"', '"7", "1"', '*']) {
    const same = await read({ 'if-none-match': tag })
    t.equal(same.status, 304, tag)
    t.equal(same.headers['etag'], '"1"')
    t.equal(same.body, '')
  }
  const { key } = service.company
  t.equal((await send(service.address, 'HEAD', path, { key, headers: { 'if-none-match': '"1"' } })).status, 304)
  t.equal((await read({ 'if-none-match': '"2"' })).status, 200)
  await service.call('PATCH', path, { body: { location: 'Lisbon' } })
  t.match(await read({ 'if-none-match': '"1"' }), {
    status: 200,
    body: { location: 'Lisbon' },
    headers: { etag: '"2"' },
  })
  t.match(await read({ 'if-match': '"1"' }), { status: 412, body: { code: 'precondition_failed' } })
  t.equal((await read({ 'if-match': '"2"' })).status, 200)
  const gone = await service.call('GET', '/v1/employees/0', { headers: { 'if-none-match': '*', 'if-match': '"1"' } })
  t.equal(gone.status, 404, 'conditions count only where the call would succeed')
})

await t.test("another company's id gets the same answer as an unknown one", async (t) => {
  const other = await service.makeCompany('Other')
  const { body } = await service.call('POST', '/v1/employees', { body: employee(), key: other.key })
  const headers = { 'x-request-id': 'same' }
  const foreign = await service.call('GET', `/v1/employees/${body.employees[0].id}`, { headers })
  const unknown = await service.call('GET', '/v1/employees/emp_01h455vb4pex5vsknk084sn02q', { headers })
  const malformed = await service.call('GET', '/v1/employees/0', { headers })
  t.equal(foreign.status, 404)
  t.strictSame(foreign.body, unknown.body)
  t.match(malformed.body, { ...unknown.body, detail: 'The path takes an id' })
})

await t.test('a read appends no event', async (t) => {
  const before = await service.db.selectFrom('heads').select('position').orderBy('company_id').execute()
  await service.call('GET', '/v1/employees/0')
  t.strictSame(await service.db.selectFrom('heads').select('position').orderBy('company_id').execute(), before)
})
