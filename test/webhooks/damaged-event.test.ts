import t from 'tap'
import { toUuid } from '../../src/domain/ids.ts'
import { startReceiver } from '../support/http/receiver.ts'
import { asSuperuser } from '../support/postgres/as-superuser.ts'
import { employee, startService } from '../support/service.ts'
import { openTestWebhooks } from '../support/webhooks.ts'

await t.test('an event that cannot be read does not have the messages before it sent again and again', async (t) => {
  const service = await startService(t)
  const webhooks = openTestWebhooks(t, service)
  const receiver = await startReceiver(t)
  const webhook = await webhooks.create(receiver.url, { concurrency: 1 })
  const { headers } = await service.call('POST', '/v1/employees', { body: [employee(), employee()] })
  await service.project()
  await asSuperuser(
    service.urls.superUrl,
    `update events set data = 'damaged' where company_id = '${toUuid(service.company.id)}'
      and position = ${headers['x-ledger-position']}`,
  )
  await webhooks.deliverOnce(webhook)
  t.strictSame(receiver.received, [])
})
