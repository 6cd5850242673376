import t from 'tap'
import { checkCompany } from '../../../src/accounts/attention/check-attention.ts'
import { browse, cookieOf } from '../../support/http/sessions.ts'
import { employee, startService } from '../../support/service.ts'
import { watchStatements } from '../../support/postgres/watch-clients.ts'
import { connectProvider } from '../../support/scim-client.ts'

const statements = watchStatements(t)
const service = await startService(t)
const { company } = service
const idp = await connectProvider(service, 'Okta')
const overwritten = async () => {
  await service.project()
  const { items } = (await service.admin('/attention', company.admin.token)).body
  return items.filter(({ kind }: { kind: string }) => kind === 'fields_overwritten')
}
const { body: made } = await service.call('POST', '/v1/employees', {
  body: [1, 2, 3].map((nth) => employee({ external_id: `p${nth}`, job_title: 'Y' })),
})
const ids = made.employees.map(({ id }: { id: string }) => id) as string[]
const byFile = (job_title: string) =>
  service.call('PATCH', '/v1/employees', { body: ids.map((id) => ({ id, job_title })) })
const byProvider = async (value: string) => {
  for (const id of ids) await idp.patch(id, { op: 'replace', path: 'title', value })
}

await t.test('changes of two sources, and one that is set back once, need no attention', async (t) => {
  await byProvider('X')
  await byFile('Y')
  await byProvider('Z')
  t.strictSame(await overwritten(), [])
})

await t.test(
  'two keys that set back the same field need attention, and the page leads to what a key may write',
  async (t) => {
    await byFile('Y')
    await byProvider('Z')
    const [item, ...others] = await overwritten()
    t.strictSame(others, [])
    t.match(item, {
      subject: { id: company.key.api_id, name: 'HR sync' },
      details: { other_key: { name: 'Okta' }, fields: ['job_title'], people: 3 },
    })
    t.ok(ids.includes(item.details.employee_id))
    const { text } = await browse(service, '/settings/bulk-user-logs', {
      cookie: await cookieOf(service, company.admin),
    })
    t.match(text, `href="/settings/api-keys/${company.key.api_id}"`)
    t.match(text.replaceAll(/\s+/g, ' '), /the key and Okta overwrote each other(?:'|&#39;)s job_title for 3\+ people/)
  },
)

await t.test('it lasts for whom it was raised, whatever else the sources change', async (t) => {
  const services = { pool: service.pool, db: service.db, onCommitted: () => {} }
  t.equal(await checkCompany(services, company.id), true)
  for (let nth = 0; nth < 20; nth += 1) {
    const { body } = await service.call('POST', '/v1/employees', { body: [employee()] })
    await service.call('PATCH', `/v1/employees/${body.employees[0].id}`, { body: { job_title: 'New' } })
    await idp.patch(body.employees[0].id, { op: 'replace', path: 'title', value: 'Newer' })
  }
  t.strictSame(await overwritten(), [], 'they are no longer in the sample')
  t.equal(await checkCompany(services, company.id), false)
  await byProvider('W')
  t.match(await overwritten(), [{ details: { people: 3 } }])
})

await t.test('pages look for it once a minute', async (t) => {
  const cookie = await cookieOf(service, company.admin)
  const show = async () => {
    const before = statements.length
    const { text } = await browse(service, '/settings/company', { cookie })
    t.match(text, 'Needs attention')
    return statements.slice(before).filter(({ text: sql }) => sql.includes('contested')).length
  }
  await show()
  t.equal(await show(), 0)
})

await t.test('it ends when one of them may no longer write the field', async (t) => {
  const path = `/api-keys/${company.key.api_id}`
  await service.manage('PATCH', path, { writable_fields: ['email', 'job_title'] })
  t.match(await overwritten(), [{ details: { fields: ['job_title'] } }])
  await service.manage('PATCH', path, { writable_fields: ['email'] })
  t.strictSame(await overwritten(), [])
  await service.manage('PATCH', path, { writable_fields: null })
})

await t.test('the status is a field, and what a user undoes is of another source', async (t) => {
  const quiet = await service.makeCompany('Undone')
  const { body } = await service.call('POST', '/v1/employees', { body: [employee()], key: quiet.key })
  for (let nth = 0; nth < 2; nth += 1) {
    const { id } = body.employees[0]
    const change = { body: { status: 'inactive' }, key: quiet.key }
    const { log_id } = (await service.call('PATCH', `/v1/employees/${id}`, change)).body
    await service.manage('POST', `/bulk-user-logs/${log_id}/undo`, {}, quiet.admin.token)
  }
  await service.project(quiet.id)
  const { items } = (await service.admin('/attention', quiet.admin.token)).body
  t.match(items, [{ kind: 'fields_overwritten', details: { other_key: null, fields: ['status'], people: 1 } }])
})
