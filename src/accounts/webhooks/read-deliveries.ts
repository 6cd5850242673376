import { sql } from 'kysely'
import { fromUuid, toUuid } from '../../domain/ids.ts'
import type { LedgerDb, LedgerTables } from '../../ledger/tables.ts'

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
  const { rows } = await sql<DeliveryRow>`
    select *, ${ATTEMPT} as attempt from webhook_deliveries d
    where company_id = ${toUuid(companyId)} and webhook_id = ${toUuid(webhookId)}
      ${isDelivered === undefined ? sql`` : sql.raw(isDelivered ? 'and is_delivered' : 'and not is_delivered')}
      ${before === undefined ? sql`` : sql`and delivery_id < ${toUuid(before)}`}
    order by delivery_id desc limit ${limit}`.execute(db)
  return rows.map(toDelivery)
}

/** Finds a delivery of a webhook; null if it does not exist. */
export async function findDelivery(
  db: LedgerDb,
  companyId: string,
  webhookId: string,
  deliveryId: string,
): Promise<KeptDelivery | null> {
  const { rows } = await sql<DeliveryRow>`
    select *, ${ATTEMPT} as attempt from webhook_deliveries d where company_id = ${toUuid(companyId)} and webhook_id = ${toUuid(webhookId)}
      and delivery_id = ${toUuid(deliveryId)}`.execute(db)
  return rows[0] ? toDelivery(rows[0]) : null
}

type DeliveryRow = LedgerTables['webhook_deliveries'] & { attempt: number }

/** The attempts that are counted of a message: people may send one again and again. */
const MAX_ATTEMPTS = 1_000

/** Counts the attempts of the message of a delivery `d` up to it. A test message has one. */
const ATTEMPT = sql`(select greatest(count(*), 1)::integer from (
  select from webhook_deliveries o where o.company_id = d.company_id and o.position = d.position
    and o.webhook_id = d.webhook_id and o.type = d.type and o.delivery_id <= d.delivery_id limit ${sql.lit(MAX_ATTEMPTS)}) earlier)`

function toDelivery(row: DeliveryRow): KeptDelivery {
  return {
    id: fromUuid('dlv', row.delivery_id),
    type: row.type,
    attempt: row.attempt,
    position: row.position,
    sentAt: row.sent_at,
    durationMs: row.duration_ms,
    isDelivered: row.is_delivered,
    httpStatus: row.http_status,
    error: row.error,
    answer: row.answer,
  }
}
