import { randomUUID } from 'node:crypto'
import t from 'tap'
import { listDeliveries } from '../../src/accounts/webhooks/read-webhooks.ts'
import { eraseEmployee } from '../../src/personal-data/erase-employee.ts'
import { inTransaction } from '../../src/postgres/pipeline.ts'
import { recordRound, leaseWebhook } from '../../src/delivery/webhooks/progress.ts'
import { startReceiver } from '../support/http/receiver.ts'
import { employee, startService } from '../support/service.ts'
import { openTestWebhooks } from '../support/webhooks.ts'

const service = await startService(t)
const webhooks = openTestWebhooks(t, service)
const receiver = await startReceiver(t)
receiver.answer = ({ text }, response) => response.writeHead(200).end(text)

async function createEmployee(): Promise<string> {
  const { body } = await service.call('POST', '/v1/employees', { body: employee({ last_name: 'Forgotten' }) })
  await service.project()
  return body.employees[0].id
}

const erase = (value: string) => eraseEmployee(webhooks.changing, webhooks.acting, { by: 'id', value })

await t.test('nothing that a receiver answered about an erased person stays', async (t) => {
  const webhook = await webhooks.create(receiver.url, { include_data: true, types: ['employee.created'] })
  const answers = async () =>
    (await listDeliveries(service.db, webhook.companyId, webhook.webhookId, { limit: 10 })).map(({ answer }) => answer)
  const [gone, stays] = [await createEmployee(), await createEmployee()]
  await webhooks.deliver(webhook)
  t.equal((await answers()).filter((answer) => answer?.includes('Forgotten')).length, 2)
  await erase(gone)
  const kept = await answers()
  t.equal(kept.length, 2)
  t.strictSame(
    kept.filter((answer) => answer !== null).map((answer) => JSON.parse(answer).data.employee_id),
    [stays],
  )
})

await t.test('an answer that is recorded after the erasure is not stored', async (t) => {
  const webhook = await webhooks.create(receiver.url, { include_data: true, types: ['employee.created'] })
  const employeeId = await createEmployee()
  const leaseId = randomUUID()
  const leased = (await leaseWebhook(service.pool, webhook, leaseId))!
  await erase(employeeId)
  const round = { position: leased.head, ahead: [], attempts: 0, error: null, delayMs: null, isSlow: false }
  const { rows } = await service.pool.query<{ position: number }>(
    `select position from events where type = 'EmployeeCreated' and data is null order by position desc limit 1`,
  )
  const attempt = {
    deliveryId: webhooks.services.newId('dlv'),
    position: rows[0]!.position,
    type: 'employee.created',
    sentAt: new Date().toISOString(),
    durationMs: 1,
    httpStatus: 200,
    error: null,
    answer: 'Forgotten',
  }
  await inTransaction(service.pool, (client) => recordRound(client, webhook, leaseId, round, [attempt]))
  const [delivery] = await listDeliveries(service.db, webhook.companyId, webhook.webhookId, { limit: 1 })
  t.equal(delivery!.position, attempt.position)
  t.equal(delivery!.answer, null)
})
