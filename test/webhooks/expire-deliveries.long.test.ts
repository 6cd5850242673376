import t from 'tap'
import { toUuid } from '../../src/domain/ids.ts'
import { expireDeliveries } from '../../src/delivery/webhooks/deliveries.ts'
import { DELETE_EXPIRED, openQueues } from '../../src/workers/queues.ts'
import { eventually } from '../support/eventually.ts'
import { startService } from '../support/service.ts'
import { storeDelivery } from '../support/http/stored-deliveries.ts'
import { makeWebhook } from '../support/stored-webhooks.ts'

const service = await startService(t)
const other = { ...service, company: await service.makeCompany('Other') }

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const sentBefore = (ms: number) => ({ sentAt: new Date(Date.now() - ms).toISOString() })

const countsByCompany = async () => {
  const { rows } = await service.pool.query<{ company_id: string; count: number }>(
    'select company_id, count(*)::integer as count from webhook_deliveries group by company_id',
  )
  return Object.fromEntries(rows.map(({ company_id: id, count }) => [id, count]))
}

await t.test('deliveries are deleted when they are 30 days old, of every company, and no others', async (t) => {
  for (const each of [service, other]) {
    const { id } = await makeWebhook(each)
    for (const age of [0, 30 * DAY - 60 * MINUTE, 30 * DAY + MINUTE, 90 * DAY])
      await storeDelivery(each.pool, each.company.id, id, sentBefore(age))
  }
  const removals = await Promise.all([expireDeliveries(service.pool), expireDeliveries(service.pool)])
  t.equal(removals[0] + removals[1], 4, 'two processes at once delete each row once')
  t.strictSame(await countsByCompany(), { [toUuid(service.company.id)]: 2, [toUuid(other.company.id)]: 2 })
  t.equal(await expireDeliveries(service.pool), 0)
})

await t.test('more deliveries than one batch holds are all deleted', async (t) => {
  const { id } = await makeWebhook(service)
  await service.pool.query(
    `insert into webhook_deliveries
       (company_id, webhook_id, delivery_id, position, type, sent_at, duration_ms, is_delivered)
     select $1, $2, gen_random_uuid(), n, 'employee.updated', clock_timestamp() - interval '31 days', 3, false
     from generate_series(1, 2500) n`,
    [toUuid(service.company.id), toUuid(id)],
  )
  t.equal(await expireDeliveries(service.pool), 2_500)
})

await t.test('workers delete old deliveries on a schedule', async (t) => {
  const worked = await startService(t, {}, { workers: true })
  const { id } = await makeWebhook(worked)
  await storeDelivery(worked.pool, worked.company.id, id, sentBefore(31 * DAY))
  const onError = (error: Error) => t.fail(error.message)
  const boss = await openQueues(worked.urls.serviceUrl, { works: false, connections: 1, onError })
  t.teardown(() => boss.stop({ graceful: false }))
  t.match(await boss.getSchedules(DELETE_EXPIRED), [{ name: DELETE_EXPIRED }])
  await boss.send(DELETE_EXPIRED, {})
  await eventually('the delivery is gone', async () => {
    const { rows } = await worked.pool.query('select from webhook_deliveries')
    return rows.length === 0
  })
})
