import { pino } from 'pino'
import t from 'tap'
import { startDeliveries } from '../../src/delivery/webhooks/deliveries.ts'
import { startReceiver } from '../support/http/receiver.ts'
import { employee, startService } from '../support/service.ts'
import { openTestWebhooks } from '../support/webhooks.ts'

const service = await startService(t)
const webhooks = openTestWebhooks(t, service)

await t.test('without the job queue, the sweep delivers by itself', async (t) => {
  const receiver = await startReceiver(t)
  await webhooks.create(receiver.url, { types: ['employee.created'] })
  await service.call('POST', '/v1/employees', { body: employee() })
  await service.project()
  const log = pino({ level: 'silent' })
  const deliveries = startDeliveries({
    ...webhooks.services,
    log,
    sweepIntervalMs: 50,
  })
  t.teardown(() => deliveries.stop())
  const messages = await receiver.waitFor(1)
  t.equal(messages[0]!.body.type, 'employee.created')
})
