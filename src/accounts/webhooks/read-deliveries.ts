import { sql, type InferResult } from 'kysely'
import { fromUuid, toUuid } from '../../domain/ids.ts'
import type { LedgerDb } from '../../ledger/tables.ts'

/** An attempt to deliver a message. Times are RFC 3339 UTC. */
export interface Delivery {
  id: string
  type: string
  /** The position of the event that the message reports; null for a test ping. */
  position: number | null
  sentAt: string
  durationMs: number
  isDelivered: boolean
  /** The status that the receiver answered; null if it did not answer. */
  httpStatus: number | null
  /** Why it failed; null if it did not. */
  error: string | null
  /** The start of the receiver's answer; null if there was none, or if the event has been erased. */
  answer: string | null
}

/** A delivery as it is kept. */
export interface KeptDelivery extends Delivery {
  /** Which attempt it is of those that are kept of its message, from 1. */
  attempt: number
}

/** Lists the deliveries of a webhook, newest first. `before` is the id of a delivery. */
export async function listDeliveries(
  db: LedgerDb,
  companyId: string,
  webhookId: string,
  page: { isDelivered?: boolean; before?: string; limit: number },
): Promise<KeptDelivery[]> {
  const { isDelivered, before, limit } = page
  let query = selectDeliveries(db, companyId, webhookId)
  if (isDelivered !== undefined) query = query.where('is_delivered', '=', isDelivered)
  if (before !== undefined) query = query.where('delivery_id', '<', toUuid(before))
  return (await query.orderBy('delivery_id', 'desc').limit(limit).execute()).map(toDelivery)
}

/** Finds a delivery of a webhook; null if it does not exist. */
export async function findDelivery(
  db: LedgerDb,
  companyId: string,
  webhookId: string,
  deliveryId: string,
): Promise<KeptDelivery | null> {
  const query = selectDeliveries(db, companyId, webhookId).where('delivery_id', '=', toUuid(deliveryId))
  const row = await query.executeTakeFirst()
  return row ? toDelivery(row) : null
}

/** The attempts that are counted of a message: people may send one again and again. */
const MAX_ATTEMPTS = 1_000

/** Counts the attempts of the message of a delivery `d` up to it. A test message has one. */
const ATTEMPT = sql<number>`(select greatest(count(*), 1)::integer from (
  select from webhook_deliveries o where o.company_id = d.company_id and o.position = d.position
    and o.webhook_id = d.webhook_id and o.type = d.type and o.delivery_id <= d.delivery_id limit ${sql.lit(MAX_ATTEMPTS)}) earlier)`

function selectDeliveries(db: LedgerDb, companyId: string, webhookId: string) {
  return db
    .selectFrom('webhook_deliveries as d')
    .where('company_id', '=', toUuid(companyId))
    .where('webhook_id', '=', toUuid(webhookId))
    .select(['delivery_id', 'type', 'position', 'sent_at as sentAt', 'duration_ms as durationMs'])
    .select(['is_delivered as isDelivered', 'http_status as httpStatus', 'error', 'answer', ATTEMPT.as('attempt')])
}

function toDelivery(row: InferResult<ReturnType<typeof selectDeliveries>>[number]): KeptDelivery {
  const { delivery_id: uuid, ...delivery } = row
  return { id: fromUuid('dlv', uuid), ...delivery }
}
