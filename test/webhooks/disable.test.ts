import { randomUUID } from 'node:crypto'
import t from 'tap'
import { changeWebhook, disableWebhook } from '../../src/accounts/webhooks/change-webhook.ts'
import { leaseWebhook } from '../../src/delivery/webhooks/progress.ts'
import { startReceiver } from '../support/http/receiver.ts'
import { employee, startService } from '../support/service.ts'
import { openTestWebhooks } from '../support/webhooks.ts'

const service = await startService(t)
const webhooks = openTestWebhooks(t, service)
const receiver = await startReceiver(t)

await t.test('a failure from before an administrator resumed a webhook does not disable it', async (t) => {
  const webhook = await webhooks.create(receiver.url)
  await service.call('POST', '/v1/employees', { body: employee() })
  await service.project()
  const { position } = (await webhooks.find(webhook)).progress
  const failed = { ...webhook, leaseId: randomUUID() }
  t.ok(await leaseWebhook(service.pool, webhook, failed.leaseId))
  await changeWebhook(webhooks.changing, webhooks.acting, webhook.webhookId, { change: 'resume', position })
  await disableWebhook(service.pool, failed, 'failing')
  t.equal((await webhooks.find(webhook)).status, 'enabled')

  const later = { ...webhook, leaseId: randomUUID() }
  t.ok(await leaseWebhook(service.pool, webhook, later.leaseId))
  await disableWebhook(service.pool, failed, 'failing')
  t.equal((await webhooks.find(webhook)).status, 'enabled')
  await disableWebhook(service.pool, later, 'failing')
  t.equal((await webhooks.find(webhook)).status, 'disabled')
})
