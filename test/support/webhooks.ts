import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import type { Test } from 'tap'
import { createWebhook } from '../../src/accounts/webhooks/change-webhook.ts'
import type { WebhookRecord } from '../../src/accounts/webhooks/read-webhooks.ts'
import { findWebhook } from '../../src/accounts/webhooks/read-webhooks.ts'
import { newId } from '../../src/ledger/new-id.ts'
import type { WebhookSettings } from '../../src/domain/webhook-types.ts'
import { WEBHOOK_TYPES } from '../../src/domain/webhook-types.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { OPERATOR } from '../../src/ledger/append/append-company-events.ts'
import { createSecretBox } from '../../src/accounts/secrets/secret-box.ts'
import { type RoundEnd, type LeaseServices, runLeasedRound } from '../../src/delivery/webhooks/deliver-round.ts'
import { openPoster } from '../../src/delivery/webhooks/message-posting.ts'
import type { WebhookRef } from '../../src/delivery/webhooks/progress.ts'
import { releaseWebhook } from '../../src/delivery/webhooks/progress.ts'
import type { Service } from './service.ts'

export const SECRETS_KEY = Buffer.alloc(32, 7)
const HOUR_MS = 3_600_000
const RUNNING = new AbortController().signal

/** A created webhook, with its secret. */
export interface TestWebhook extends WebhookRef {
  secret: string
}

/** What delivers webhooks of a service in this process, when a test says so. */
export function openTestWebhooks(t: Pick<Test, 'teardown'>, { pool, db, company, project }: Service) {
  const poster = openPoster({ allowPrivate: true })
  t.teardown(poster.close)
  const leaseId = randomUUID()
  const log = pino({ level: 'silent' })
  const services: LeaseServices = { pool, db, poster, log, newId, secrets: createSecretBox([SECRETS_KEY]) }
  return {
    services,
    changing: { pool, newId, secrets: services.secrets },
    acting: { companyId: company.id, actor: OPERATOR },

    async create(
      url: string,
      settings: Partial<WebhookSettings> = {},
      { id: companyId } = company,
    ): Promise<TestWebhook> {
      const preset = { url, description: '', types: [...WEBHOOK_TYPES], include_data: false, concurrency: 4 }
      const acting = { companyId, actor: OPERATOR }
      const { webhook, secret } = await createWebhook(this.changing, acting, { ...preset, ...settings })
      return { companyId, webhookId: webhook.id, secret }
    },

    /** Folds, and delivers one round, with other services if wanted. */
    async deliverOnce(webhook: WebhookRef, other: Partial<LeaseServices> = {}): Promise<RoundEnd> {
      await project(webhook.companyId)
      return runLeasedRound({ ...services, ...other }, webhook, leaseId, { stopping: RUNNING, cutOff: RUNNING })
    },

    /** Delivers as one process would, until nothing is left or something fails. Returns the ends of the rounds. */
    async deliver(webhook: WebhookRef): Promise<RoundEnd['end'][]> {
      const ends: RoundEnd['end'][] = []
      do ends.push((await this.deliverOnce(webhook)).end)
      while (ends.at(-1) === 'more')
      await releaseWebhook(pool, webhook, leaseId)
      return ends
    },

    /** Makes the next attempt due, as if the time had passed. */
    async passTime({ companyId, webhookId }: WebhookRef, hours = 0): Promise<void> {
      const { failingSince } = (await this.find({ companyId, webhookId })).progress
      await pool.query(
        `update webhook_progress set due_at = null, failing_since = $1 where company_id = $2 and webhook_id = $3`,
        [failingSince && new Date(Date.parse(failingSince) - hours * HOUR_MS), toUuid(companyId), toUuid(webhookId)],
      )
    },

    async find({ companyId, webhookId }: WebhookRef): Promise<WebhookRecord> {
      return (await findWebhook(db, companyId, webhookId))!.webhook
    },
  }
}
