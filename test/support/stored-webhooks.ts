import { randomBytes } from 'node:crypto'
import { createWebhook } from '../../src/accounts/webhooks/change-webhook.ts'
import { newId } from '../../src/bootstrap/new-id.ts'
import type { WebhookSettings } from '../../src/domain/events.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { WEBHOOK_TYPES } from '../../src/domain/webhook-types.ts'
import type { SecretBox } from '../../src/secrets/secret-box.ts'
import { openSecretBox } from '../../src/secrets/secret-box.ts'
import type { Service } from './service.ts'

const SETTINGS: WebhookSettings = {
  url: 'https://receiver.example/hook',
  description: 'HR',
  types: [...WEBHOOK_TYPES],
  include_data: false,
  concurrency: 4,
}

/** Creates a webhook as the company's administrator. Returns its id and secret. */
export async function makeWebhook(
  { pool, company }: Pick<Service, 'pool' | 'company'>,
  secrets: SecretBox = openSecretBox([randomBytes(32)]),
  settings: Partial<WebhookSettings> = {},
): Promise<{ id: string; secret: string }> {
  const acting = { companyId: company.id, actor: company.admin.user_id }
  const { webhook, secret } = await createWebhook({ pool, newId, secrets }, acting, { ...SETTINGS, ...settings })
  return { id: webhook.id, secret }
}

/** Stores a delivery of the message about a position, with an answer. `age` is a PostgreSQL interval. */
export async function storeDelivery(
  { pool, company }: Pick<Service, 'pool' | 'company'>,
  webhookId: string,
  position: number | null,
  { answer = 'thanks', age = '0' }: { answer?: string | null; age?: string } = {},
): Promise<void> {
  await pool.query(
    `insert into webhook_deliveries
       (company_id, webhook_id, delivery_id, position, type, sent_at, duration_ms, is_delivered, http_status, answer)
     values ($1, $2, $3, $4, 'employee.updated', clock_timestamp() - $5::interval, 3, true, 200, $6)`,
    [toUuid(company.id), toUuid(webhookId), toUuid(newId('dlv')), position, age, answer],
  )
}
