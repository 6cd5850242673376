import t from 'tap'
import { employee, startService } from '../../support/service.ts'

const service = await startService(t)
const verify = async () => (await service.call('GET', '/v1/auth/verify')).body

await t.test('verify returns exactly six fields, and the first use of a key was just now', async (t) => {
  const before = Date.now()
  const { status, body } = await service.call('GET', '/v1/auth/verify', { headers: { accept: 'application/json' } })
  t.equal(status, 200)
  t.strictSame(Object.keys(body), [
    'company_name',
    'last_used',
    'is_enabled',
    'quota_limit',
    'requests_made',
    'refresh_period',
  ])
  t.match(body, {
    company_name: 'Acme',
    is_enabled: true,
    quota_limit: 1_000_000,
    requests_made: 0,
    refresh_period: 'monthly',
  })
  t.match(body.last_used, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  t.ok(Date.parse(body.last_used) >= before - 1000)
})

await t.test('last_used is the time of the previous call', async (t) => {
  const { body } = await service.call('POST', '/v1/employees', { body: employee() })
  t.equal((await verify()).last_used, body.employees[0].created_at)
  const second = await verify()
  t.ok(second.last_used > body.employees[0].created_at, 'a verification counts as a use')
})

await t.test('a read or write costs one unit, whatever its size and outcome; verifying is free', async (t) => {
  const before = (await verify()).requests_made
  await service.call('POST', '/v1/employees', { body: [employee(), employee(), employee()] })
  await service.call('POST', '/v1/employees', { body: {} })
  await service.call('POST', '/v1/employees', { body: '{' })
  await service.call('GET', '/v1/employees/emp_01h455vb4pex5vsknk084sn02q')
  await verify()
  t.equal((await verify()).requests_made, before + 4)
})
