import { NO_SUCH_WEBHOOK, type WebhookServices } from '../../../accounts/webhooks/change-webhook.ts'
import type { LedgerDb } from '../../../ledger/tables.ts'
import type { SingleDeliveries } from '../../../delivery/webhooks/single-deliveries.ts'
import { idIn } from '../../../http/openapi/schema-parts.ts'

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
