import type { Static } from '@sinclair/typebox'
import { Type } from '@sinclair/typebox'
import type { Delivery } from '../../../accounts/webhooks/read-deliveries.ts'
import { PING_TYPE, WEBHOOK_TYPES } from '../../../domain/webhook-types.ts'
import { makeListSchema, oneOf, Page, STRICT, Time } from '../../openapi/schema-parts.ts'

export const DELIVERY_STATUSES = ['delivered', 'failed'] as const

export const ShownDelivery = Type.Object(
  {
    id: Type.String({ description: 'The id of the delivery: `dlv_…`.' }),
    type: oneOf([...WEBHOOK_TYPES, PING_TYPE], 'The type of the message.'),
    position: Type.Unsafe<number | null>({
      ...{ type: ['integer', 'null'], minimum: 1 },
      description: 'The position of the event that the message tells. Null for a ping.',
    }),
    sent_at: Time,
    duration_ms: Type.Integer({ minimum: 0 }),
    status: oneOf(DELIVERY_STATUSES, 'The receiver accepts a message by answering with a status from 200 to 299.'),
    http_status: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'The status that the receiver answered. Null if it did not answer.',
    }),
    error: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'Why it failed. Null if it did not.' }),
    answer: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: "The start of the receiver's answer. Null if there was none, or if the event has been erased.",
    }),
  },
  { $id: 'WebhookDelivery', ...STRICT, description: 'One attempt to deliver a message. Kept for 30 days.' },
)
export const DeliveryList = makeListSchema(ShownDelivery)
export const DeliveryListQuery = Type.Object(
  { ...Page, status: Type.Optional(oneOf(DELIVERY_STATUSES, 'Only deliveries with this status.')) },
  STRICT,
)

/** Renders a delivery for a response. */
export function renderDelivery(delivery: Delivery): Static<typeof ShownDelivery> {
  return {
    id: delivery.id,
    type: delivery.type,
    position: delivery.position,
    sent_at: delivery.sentAt,
    duration_ms: delivery.durationMs,
    status: delivery.isDelivered ? 'delivered' : 'failed',
    http_status: delivery.httpStatus,
    error: delivery.error,
    answer: delivery.answer,
  }
}
