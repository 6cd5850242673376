import t from 'tap'
import { employee, startService } from '../../support/service.ts'

/* Answers say who is inactive, so that people who come back don't stay inactive unseen. */

const service = await startService(t, { EMPLOYEE_CACHE: '0' })
const people = ['G-1', 'G-2', 'A-1'].map((external_id) => employee({ external_id }))
const created = await service.call('POST', '/v1/employees', { body: people })
const [gone, ...others] = (created.body.employees as { id: string }[]).map(({ id }) => id)
for (const id of [gone, others[0]]) await service.call('PATCH', `/v1/employees/${id}`, { body: { status: 'inactive' } })

const ONE = {
  code: 'inactive_employees',
  count: 1,
  message:
    '1 record names an inactive employee and sets no status, so they stay inactive. To reactivate an employee, send "status": "active"',
}
const warnings = async (method: 'PATCH' | 'PUT', path: string, body: unknown) => {
  const answer = await service.call(method, `/v1/employees${path}`, { body })
  t.equal(answer.status, 200)
  return answer.body.warnings
}

for (const query of ['?validate_only=true', '']) {
  await t.test(
    `a record of an inactive employee without a status is counted${query && ', in a preview, too'}`,
    async (t) => {
      t.strictSame(await warnings('PATCH', `/${gone}${query}`, { job_title: `Nurse${query}` }), [ONE])
      t.strictSame(await warnings('PATCH', `/${others[1]}${query}`, { job_title: 'Nurse' }), [])
      const records = [
        { external_id: 'G-1', job_title: 'Nurse' },
        { external_id: 'G-2', status: 'inactive' },
        { external_id: 'A-1', department: 'Care' },
      ]
      for (const method of ['PATCH', 'PUT'] as const) {
        const { body } = await service.call(method, `/v1/employees${query}`, { body: records })
        t.strictSame(body.warnings, [ONE])
        t.strictSame(
          body.results.map(({ status }: { status: string }) => status),
          ['inactive', 'inactive', 'active'],
        )
      }
    },
  )
}

await t.test('whoever is reactivated, deactivated, or created is not counted', async (t) => {
  const record = { ...employee({ external_id: 'N-1' }), status: 'inactive' }
  for (const sent of [record, { external_id: 'G-1', status: 'active' }, { external_id: 'G-1', status: 'inactive' }]) {
    const { body } = await service.call('PUT', '/v1/employees', { body: [sent] })
    t.strictSame([body.warnings, body.results[0].status], [[], sent.status])
  }
})

await t.test('records that change nothing again in large calls are counted, too', async (t) => {
  const many = Array.from({ length: 40 }, (_, at) => ({ ...employee({ external_id: `M-${at}` }) }))
  const left = many.slice(0, 30).map(({ external_id }) => ({ external_id, status: 'inactive' }))
  await service.call('POST', '/v1/employees', { body: many })
  await service.call('PATCH', '/v1/employees', { body: left })
  for (const _ of ['compared with the states', 'recognized by their digests', 'again']) {
    const { body } = await service.call('PUT', '/v1/employees', { body: many })
    t.match(body, { counts: { no_updates: 40 }, warnings: [{ count: 30, message: /^30 records name inactive/ }] })
    t.equal(body.results.filter(({ status }: { status: string }) => status === 'inactive').length, 30)
  }
  await service.call('PATCH', '/v1/employees', { body: left.map((record) => ({ ...record, status: 'active' })) })
  t.strictSame((await service.call('PUT', '/v1/employees', { body: many })).body.warnings, [])
})
