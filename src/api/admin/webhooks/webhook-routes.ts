import { NO_SUCH_WEBHOOK, type WebhookServices } from '../../../accounts/webhooks/change-webhook.ts'
import type { LedgerDb } from '../../../ledger/tables.ts'
import type { SingleDeliveries } from '../../../delivery/webhooks/single-deliveries.ts'
import { idIn } from '../../../http/openapi/schema-parts.ts'
import type { Action } from '../../../http/openapi/actions.ts'

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

/** What can be done with a webhook, besides editing and rotation. */
export const WEBHOOK_ACTIONS = {
  pause: {
    operationId: 'pauseWebhook',
    summary: 'Pause deliveries until the webhook is resumed',
    description: 'Resumed deliveries go on where they stopped, so that no event is skipped.',
    problems: ['webhook_not_found'],
    button: 'Pause',
    question: 'Messages wait until you resume the webhook.',
    done: 'paused',
    notice: 'Webhook paused. Messages wait until you resume it.',
  },
  resume: {
    operationId: 'resumeWebhook',
    summary: 'Resume or replay deliveries',
    description: 'Also works on an enabled webhook, to send messages again.',
    problems: ['webhook_not_found'],
    button: 'Resume',
    done: 'resumed',
    notice: 'Webhook resumed. Messages that waited are being sent.',
  },
} as const satisfies Record<string, Action>
