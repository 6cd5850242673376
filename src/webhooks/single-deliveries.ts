import type { Delivery } from '../accounts/webhooks/read-deliveries.ts'

/** Deliveries that an administrator asks for, one at a time for each webhook. */
export interface SingleDeliveries {
  /** Sends a test message now. Throws RefusedByStateError if there is no such webhook, or if one is under way. */
  ping(companyId: string, webhookId: string): Promise<Delivery>
  /**
   * Sends the message of an earlier delivery again, made from its event as it is stored now. Throws RefusedByStateError
   * if there is no such webhook or delivery, or if one is under way.
   */
  redeliver(companyId: string, webhookId: string, deliveryId: string): Promise<Delivery>
}
