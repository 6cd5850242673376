import type { FastifyReply } from 'fastify'
import type { WebhookServices, WebhookWithSecret } from '../../../accounts/webhooks/change-webhook.ts'
import { NO_SUCH_WEBHOOK } from '../../../accounts/webhooks/change-webhook.ts'
import type { LedgerDb } from '../../../ledger/tables.ts'
import type { SingleDeliveries } from '../../../delivery/webhooks/single-deliveries.ts'
import { idIn } from '../../openapi/schema-parts.ts'
import { setPositionHeader } from '../company-schemas.ts'
import { renderWebhook } from './webhook-schemas.ts'

/* Shared by the routes of webhooks. */

/** What the routes and the pages of webhooks use. */
export interface WebhookRouteServices {
  db: LedgerDb
  webhooks: WebhookServices & {
    /** Whether a webhook may use http, for development. */
    allowsHttp: boolean
  }
  singleDeliveries: SingleDeliveries
}

/** The id of a webhook in a path. */
export const { schema: ofWebhook, read: readWebhookId } = idIn('webhook', 'whk', NO_SUCH_WEBHOOK)

/** Shows a webhook together with its new secret. */
export function showWithSecret(reply: FastifyReply, { secret, position, ...seen }: WebhookWithSecret) {
  setPositionHeader(reply, position)
  return { ...renderWebhook(seen), secret }
}
