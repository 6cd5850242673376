import t from 'tap'
import { newId } from '../../../src/ledger/new-id.ts'
import { issueApiKey } from '../../../src/accounts/api-keys/api-keys.ts'
import { notAtTheEndOfAnHour } from '../../support/postgres/end-of-hour.ts'
import { employee, startService } from '../../support/service.ts'

const service = await startService(t)
const second = await issueApiKey(
  { pool: service.pool, newId },
  { companyId: service.company.id, name: 'Import', quotaLimit: 1000, refreshPeriod: 'monthly' },
)
await notAtTheEndOfAnHour(service.pool)
const { body: made } = await service.call('POST', '/v1/employees', { body: [employee(), employee(), employee()] })
const [first, other, third] = made.employees.map(({ id }: { id: string }) => id)
await service.call('POST', '/v1/employees', { body: [employee(), { phone: '1' }], key: second })
await service.call('PATCH', '/v1/employees', {
  body: [{ id: first, job_title: 'x' }, { id: other, status: 'inactive' }, { id: third }],
})
await service.project()
await service.call('PATCH', `/v1/employees/${first}`, { body: { job_title: 'y' } })
await service.call('PATCH', `/v1/employees/${first}`, { body: { job_title: 'y' } })
await service.call('PATCH', `/v1/employees/${first}`, { body: { phone: '1' } })
await service.project()

const counts = (total: number, updated: number, deactivated: number, failed: number, no_updates: number) => ({
  total,
  updated,
  deactivated,
  failed,
  no_updates,
})
const { body: entry } = await service.admin(`/bulk-user-logs/${made.log_id}`)
const today: string = entry.requested_at.slice(0, 10)
const daysFrom = (day: string, days: number) => new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)

await t.test('calls and records are counted by day, operation and outcome', async (t) => {
  const { status, body } = await service.admin(`/usage?from=${today}&to=${today}`)
  t.equal(status, 200)
  t.strictSame(body, {
    from: today,
    to: today,
    items: [
      { day: today, operation: 'create', status: 'Completed', calls: 1, records: counts(3, 0, 0, 0, 0) },
      { day: today, operation: 'create', status: 'Failed', calls: 1, records: counts(2, 0, 0, 1, 0) },
      { day: today, operation: 'update_many', status: 'Completed', calls: 1, records: counts(3, 1, 1, 0, 1) },
      { day: today, operation: 'update_one', status: 'Completed', calls: 2, records: counts(2, 1, 0, 0, 1) },
      { day: today, operation: 'update_one', status: 'Failed', calls: 1, records: counts(1, 0, 0, 1, 0) },
    ],
    time_zone: 'UTC',
    next_cursor: null,
  })
})

await t.test('usage can be limited to one key', async (t) => {
  const { body } = await service.admin(`/usage?key=${second.api_id}`)
  t.match(body.items, [{ operation: 'create', status: 'Failed', calls: 1 }])
  t.equal(body.items.length, 1)
  t.strictSame((await service.admin('/usage?key=key_01h455vb4pex5vsknk084sn02q')).body.items, [])
})

await t.test('the default range is the last 30 days, both ends included', async (t) => {
  const { body } = await service.admin('/usage')
  t.equal(body.from, daysFrom(body.to, -29))
  t.equal(body.items.length, 5)
  t.strictSame((await service.admin(`/usage?to=${daysFrom(today, -1)}`)).body.items, [])
  t.equal((await service.admin(`/usage?from=${daysFrom(today, -365)}&to=${today}`)).body.items.length, 5, '366 days')
})

await t.test('a range that is too long, reversed or malformed is a 400 that names it', async (t) => {
  const bad = [
    `from=${daysFrom(today, -366)}&to=${today}`,
    `from=${daysFrom(today, 1)}&to=${today}`,
    ...[
      'from=2026-02-30',
      'from=0000-01-01&to=0000-01-02',
      'to=0000-12-31',
      'to=0001-01-01',
      'to=tomorrow',
      'from=2026-11-20T00:00:00Z',
    ],
    ...['key=x', 'key=%00', 'day=1', 'from=9999-12-31&to=9999-01-01'],
  ]
  for (const query of bad) {
    const { status, body } = await service.admin(`/usage?${query}`)
    t.equal(status, 400, query)
    t.match(body, { code: 'invalid_query', detail: /query parameter/ })
  }
})

await t.test('usage counts no calls of another company', async (t) => {
  const foreign = await service.makeCompany('Other')
  t.strictSame((await service.admin('/usage', foreign.admin.token)).body.items, [])
})
