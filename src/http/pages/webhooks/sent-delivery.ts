import { findDelivery, type Delivery } from '../../../accounts/webhooks/read-deliveries.ts'
import { isId } from '../../../domain/ids.ts'
import { PING_TYPE } from '../../../domain/webhook-types.ts'
import { readFormFields } from '../parts/form.ts'
import { html, type Html } from '../parts/html.ts'
import type { PageServices } from '../parts/page-services.ts'
import { formatNumber } from '../parts/shown-values.ts'
import { getViewer } from '../parts/viewer.ts'
import { decapitalize } from '../parts/shown-values.ts'
import { describeOutcome } from './delivery-table.ts'
import type { WebhookRequest } from './require-webhook.ts'

/** Finds the delivery in `?sent=`; null if there is none. */
export async function findSent(
  { db }: PageServices,
  request: WebhookRequest,
  webhookId: string,
): Promise<Delivery | null> {
  const { sent } = readFormFields(request.query)
  return isId('dlv', sent) ? findDelivery(db, getViewer(request).companyId, webhookId, sent) : null
}

/** Renders how a delivery ended. */
export function renderSent(delivery: Delivery): Html {
  const { isDelivered, type, durationMs, answer } = delivery
  const what = type === PING_TYPE ? 'Test message' : 'Message'
  const outcome = decapitalize(describeOutcome(delivery))
  const length = `${formatNumber(durationMs)} ms`
  const text = isDelivered
    ? `${what} delivered: ${outcome} after ${length}.`
    : `${what} failed: ${outcome} after ${length}.`
  return html`<p class="${isDelivered ? 'notice' : 'alert'}" role="${isDelivered ? 'status' : 'alert'}">${text}</p>
    ${
      answer === null
        ? ''
        : html`<h2>Answer of the receiver</h2>
            <pre>${answer}</pre>`
    }`
}
