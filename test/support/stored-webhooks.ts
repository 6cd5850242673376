import { randomBytes } from 'node:crypto'
import { createWebhook } from '../../src/accounts/webhooks/change-webhook.ts'
import { newId } from '../../src/ledger/new-id.ts'
import type { WebhookSettings } from '../../src/domain/webhook-types.ts'
import { WEBHOOK_TYPES } from '../../src/domain/webhook-types.ts'
import type { SecretBox } from '../../src/accounts/secrets/secret-box.ts'
import { createSecretBox } from '../../src/accounts/secrets/secret-box.ts'
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
  secrets: SecretBox = createSecretBox([randomBytes(32)]),
  settings: Partial<WebhookSettings> = {},
): Promise<{ id: string; secret: string }> {
  const acting = { companyId: company.id, actor: company.admin.user_id }
  const { webhook, secret } = await createWebhook({ pool, newId, secrets }, acting, { ...SETTINGS, ...settings })
  return { id: webhook.id, secret }
}
