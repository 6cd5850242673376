import t from 'tap'
import { employee, startService } from '../../support/service.ts'

/* People whom nobody deactivated, although they have left, or their manager has. */

const service = await startService(t)
const put = async (body: unknown) => (await service.call('PUT', '/v1/employees', { body })).body
const codes = (body: { warnings: { code: string; count: number }[] }) =>
  body.warnings.map(({ code, count }) => [code, count])
const listed = async (warning: string, query = '') => {
  await service.project()
  const { body } = await service.call('GET', `/v1/employees?warning=${warning}${query}`)
  return body.items.map(({ external_id: id }: { external_id: string }) => id)
}
const [day, soon] = [-2, 2].map((days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10))

await t.test('active people whose termination date has passed are counted, and listed', async (t) => {
  const people = [
    employee({ external_id: 'past', termination_date: day }),
    employee({ external_id: 'later', termination_date: soon }),
    { ...employee({ external_id: 'gone', termination_date: day }), status: 'inactive' },
  ]
  t.strictSame(codes(await put(people)), [['past_termination_dates', 1]])
  t.strictSame(codes(await put([{ external_id: 'past', job_title: 'Nurse' }])), [['past_termination_dates', 1]])
  t.strictSame(await listed('past_termination_dates'), ['past'])
  t.strictSame(await listed('past_termination_dates', '&status=inactive'), [])
  t.strictSame(codes(await put([{ external_id: 'past', status: 'inactive' }])), [])
  t.strictSame(await listed('past_termination_dates'), [])
})

await t.test(
  'active people who get an inactive manager are counted, and listed as long as they have one',
  async (t) => {
    await put([employee({ external_id: 'boss' }), employee({ external_id: 'head' })])
    const team = ['t-1', 't-2'].map((external_id) => employee({ external_id, manager_external_id: 'boss' }))
    t.strictSame(codes(await put(team)), [])
    // The manager leaves in the same call that names them.
    const leaving = [
      { external_id: 'boss', status: 'inactive' },
      employee({ external_id: 't-3', manager_external_id: 'boss' }),
    ]
    t.strictSame(codes(await put(leaving)), [['inactive_managers', 1]])
    t.strictSame(await listed('inactive_managers'), ['t-1', 't-2', 't-3'])
    await put(['t-1', 't-2'].map((external_id) => ({ external_id, manager_external_id: 'head' })))
    t.strictSame(await listed('inactive_managers'), ['t-3'])
  },
)
