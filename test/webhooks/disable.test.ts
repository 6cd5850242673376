import t from 'tap'
import { changeWebhook, disableWebhook } from '../../src/accounts/webhooks/change-webhook.ts'
import { startReceiver } from '../support/http/receiver.ts'
import { employee, startService } from '../support/service.ts'
import { openTestWebhooks } from '../support/webhooks.ts'

const service = await startService(t)
const webhooks = openTestWebhooks(t, service)
const receiver = await startReceiver(t)

await t.test('a failure from before an administrator resumed a webhook does not disable it', async (t) => {
  const webhook = await webhooks.create(receiver.url)
  receiver.answer = (_message, response) => response.writeHead(500).end()
  await service.call('POST', '/v1/employees', { body: employee() })
  t.strictSame(await webhooks.deliver(webhook), ['failed'])
  const { progress } = await webhooks.find(webhook)
  const resume = { change: 'resume', position: progress.position } as const
  await changeWebhook(webhooks.changing, webhooks.acting, webhook.webhookId, resume)
  await disableWebhook(webhooks.changing, webhook.companyId, webhook.webhookId, 'failing')
  t.equal((await webhooks.find(webhook)).status, 'enabled')
  t.strictSame(await webhooks.deliver(webhook), ['failed'])
  await disableWebhook(webhooks.changing, webhook.companyId, webhook.webhookId, 'failing')
  t.equal((await webhooks.find(webhook)).status, 'disabled')
})
