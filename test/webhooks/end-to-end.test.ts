import t from 'tap'
import { startReceiver } from '../support/http/receiver.ts'
import { employee, startService } from '../support/service.ts'
import { openTestWebhooks, SECRETS_KEY } from '../support/webhooks.ts'

const service = await startService(
  t,
  { OUTGOING_PRIVATE: '1', SECRETS_KEY: SECRETS_KEY.toString('base64'), SWEEP_INTERVAL_MS: '100' },
  { workers: true },
)
const webhooks = openTestWebhooks(t, service)

await t.test('a running service tells receivers of calls, once their entries are visible', async (t) => {
  const receiver = await startReceiver(t)
  const entries: Promise<{ status: number }>[] = []
  receiver.answer = ({ body }, response) => {
    entries.push(service.admin(`/bulk-user-logs/${body.data.log_id}`))
    response.end()
  }
  await webhooks.create(receiver.url)
  await service.call('POST', '/v1/employees', { body: [employee(), employee()] })
  await service.call('POST', '/v1/employees', { body: [{ first_name: 'Ana' }] })
  const messages = await receiver.waitFor(4)
  t.strictSame(messages.map(({ body }) => String(body.type)).toSorted(), [
    ...['api_call.completed', 'api_call.failed'],
    ...['employee.created', 'employee.created'],
  ])
  for (const { status } of await Promise.all(entries)) t.equal(status, 200)
})

await t.test('a failed message is sent again without a new event', async (t) => {
  const receiver = await startReceiver(t)
  receiver.answer = (_message, response) => {
    receiver.answer = (_again, other) => other.end()
    response.writeHead(500).end()
  }
  const webhook = await webhooks.create(receiver.url, { types: ['employee.created'] })
  await service.call('POST', '/v1/employees', { body: employee() })
  await receiver.waitFor(1)
  let failed = await webhooks.find(webhook)
  while (failed.progress.attempts === 0) failed = await webhooks.find(webhook)
  await webhooks.passTime(webhook)
  await receiver.waitFor(2)
  t.equal(receiver.received.length, 2)
})
