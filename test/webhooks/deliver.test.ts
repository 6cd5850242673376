import t from 'tap'
import { createWebhook } from '../../src/accounts/webhooks/change-webhook.ts'
import { OPERATOR } from '../../src/ledger/append/append-company-events.ts'
import { newId } from '../../src/bootstrap/new-id.ts'
import { openSecretBox } from '../../src/secrets/secret-box.ts'
import { WEBHOOK_TYPES } from '../../src/domain/webhook-types.ts'
import { startReceiver } from '../support/http/receiver.ts'
import { employee, startService } from '../support/service.ts'

const KEY = Buffer.alloc(32, 7)
const service = await startService(
  t,
  { WEBHOOKS_PRIVATE: '1', SECRETS_KEY: KEY.toString('base64'), SWEEP_INTERVAL_MS: '100' },
  { workers: true },
)
const services = { pool: service.pool, newId, secrets: openSecretBox([KEY]) }
const acting = { companyId: service.company.id, actor: OPERATOR }

await t.test('a receiver gets each event', async (t) => {
  const receiver = await startReceiver(t)
  const settings = {
    url: receiver.url,
    description: 'Payroll',
    types: [...WEBHOOK_TYPES],
    include_data: false,
    concurrency: 4,
  }
  await createWebhook(services, acting, settings)
  const { body } = await service.call('POST', '/v1/employees', { body: [employee(), employee()] })
  t.equal(body.employees?.length, 2, JSON.stringify(body))
  const messages = await receiver.waitFor(3)
  console.log(messages.map((m) => [m.headers['webhook-id'], m.headers['webhook-signature'], m.text]))
})
