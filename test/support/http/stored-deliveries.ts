import type { Pool } from 'pg'
import { RefusedByStateError } from '../../../src/accounts/change-company.ts'
import { NO_SUCH_WEBHOOK } from '../../../src/accounts/webhooks/change-webhook.ts'
import { newId } from '../../../src/ledger/new-id.ts'
import type { Delivery } from '../../../src/accounts/webhooks/read-webhooks.ts'
import { toUuid } from '../../../src/domain/ids.ts'
import type { SingleDeliveries } from '../../../src/delivery/webhooks/single-deliveries.ts'

/** Stores an attempt to deliver a message, as if it had been made. */
export async function storeDelivery(
  pool: Pool,
  companyId: string,
  webhookId: string,
  more: Partial<Delivery> = {},
): Promise<Delivery> {
  const delivery: Delivery = {
    id: newId('dlv'),
    type: 'employee.created',
    position: 1,
    sentAt: new Date().toISOString(),
    durationMs: 35,
    isDelivered: true,
    httpStatus: 204,
    error: null,
    answer: null,
    ...more,
  }
  await pool.query(
    `insert into webhook_deliveries (company_id, webhook_id, delivery_id, position, type, sent_at, duration_ms,
       is_delivered, http_status, error, answer) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      ...[toUuid(companyId), toUuid(webhookId), toUuid(delivery.id), delivery.position, delivery.type, delivery.sentAt],
      ...[delivery.durationMs, delivery.isDelivered, delivery.httpStatus, delivery.error, delivery.answer],
    ],
  )
  return delivery
}

/** Single deliveries that nobody receives: each is stored as if a receiver had answered. */
export function deliverToNobody(pool: () => Pool, answer: Partial<Delivery> = {}): SingleDeliveries {
  const ping = { type: 'webhook.ping', position: null }
  async function deliver(companyId: string, webhookId: string, more: Partial<Delivery>): Promise<Delivery> {
    const ids = [toUuid(companyId), toUuid(webhookId)]
    const { rowCount } = await pool().query('select 1 from webhooks where company_id = $1 and webhook_id = $2', ids)
    if (rowCount === 0) throw new RefusedByStateError(NO_SUCH_WEBHOOK)
    return storeDelivery(pool(), companyId, webhookId, more)
  }
  return {
    ping: (companyId, webhookId) => deliver(companyId, webhookId, { ...ping, ...answer }),
    redeliver: (companyId, webhookId) => deliver(companyId, webhookId, answer),
  }
}
