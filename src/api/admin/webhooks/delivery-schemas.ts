import { Type, type Static } from '@sinclair/typebox'
import type { RebuiltMessage } from '../../../delivery/webhooks/rebuild-message.ts'
import type { Delivery } from '../../../accounts/webhooks/read-deliveries.ts'
import { PING_TYPE, WEBHOOK_TYPES } from '../../../domain/webhook-types.ts'
import { render } from '../../../http/openapi/render.ts'
import {
  describedObject,
  makeListSchema,
  nullable,
  oneOf,
  Page,
  strictObject,
  textOrNull,
  Time,
} from '../../../http/openapi/schema-parts.ts'

export const DELIVERY_STATUSES = ['delivered', 'failed'] as const

const SentMessage = strictObject({
  headers: Type.Record(Type.String(), Type.String(), {
    description: 'The headers, without `webhook-signature`, which is not kept.',
  }),
  body: Type.String({
    description: 'The exact text that was signed. It is not stored, but made from the event once more.',
  }),
  erased: Type.Boolean({
    description:
      'Whether the data of the event are erased. Then `body` has no names and no values, even if they were sent.',
  }),
})

export const ShownDelivery = describedObject('WebhookDelivery', 'One attempt to deliver a message. Kept for 30 days.', {
  id: Type.String({ description: 'The id of the delivery: `dlv_…`.' }),
  type: oneOf([...WEBHOOK_TYPES, PING_TYPE], 'The type of the message.'),
  position: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    minimum: 1,
    description: 'The position of the event that the message reports. Null for a ping.',
  }),
  sent_at: Time,
  duration_ms: Type.Integer({ minimum: 0 }),
  status: oneOf(DELIVERY_STATUSES, 'The receiver accepts a message by answering with a status from 200 to 299.'),
  http_status: nullable(Type.Integer(), {
    description: 'The status that the receiver answered. Null if it did not answer.',
  }),
  error: textOrNull('Why it failed. Null if it did not.'),
  answer: textOrNull("The start of the receiver's answer. Null if there was none, or if the event has been erased."),
  request: Type.Optional(
    nullable(SentMessage, {
      description:
        'What was sent. Only in the answer to a request for one delivery. Null if the ledger no longer has the event, ' +
        'because it was restored to an earlier state.',
    }),
  ),
})
export const DeliveryList = makeListSchema(ShownDelivery)
export const DeliveryListQuery = strictObject({
  ...Page,
  status: Type.Optional(oneOf(DELIVERY_STATUSES, 'Only deliveries with this status.')),
})

/** Renders a delivery for a response; with what it sent, if that was read. */
export function renderDelivery(delivery: Delivery, sent?: RebuiltMessage | null): Static<typeof ShownDelivery> {
  const status = delivery.isDelivered ? 'delivered' : 'failed'
  const request = sent && { headers: sent.headers, body: sent.body, erased: sent.isErased }
  return render(ShownDelivery, { ...delivery, status, ...(request === undefined ? {} : { request }) })
}
