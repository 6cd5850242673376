import t from 'tap'
import { employee, startService } from '../support/service.ts'

await t.test('a creation answers the whole employee, and its entry shows the attributes set', async (t) => {
  const service = await startService(t)
  const { status, body, headers } = await service.call('POST', '/v1/employees', { body: employee({ email: 'ANA@X.com' }) })
  t.equal(status, 201)
  t.equal(body.employees[0].email, 'ana@x.com')
  t.equal(headers['location'], `/v1/employees/${body.employees[0].id}`)
  const { entry, records } = await service.logOf(body.log_id)
  t.match(entry, { status: 'Completed', counts: { total: 1, updated: 0, deactivated: 0, failed: 0, no_updates: 0 } })
  t.strictSame(records[0].attributes, { first_name: 'Ana', last_name: 'Pérez', email: 'ana@x.com', status: 'active' })
})
