import { sql } from 'kysely'
import type { Delivery, WebhookRecord } from '../../accounts/webhooks/read-webhooks.ts'
import { toUuid } from '../../domain/ids.ts'
import type { WebhookType } from '../../domain/webhook-types.ts'
import { describeEvent, listEventTypes } from '../../domain/webhooks/webhook-message.ts'
import { readEventsAt } from '../../ledger/read/read-events.ts'
import type { LedgerDb } from '../../ledger/tables.ts'
import { buildHeaders, describePing, messageIdOf } from './message-posting.ts'

/** What a delivery sent, apart from its signature. */
export interface RebuiltMessage {
  headers: Record<string, string>
  /** The exact text. */
  body: string
  /** Whether the data of its event have been erased: names and values that were sent before that are missing. */
  isErased: boolean
}

/**
 * Makes the message of a delivery once more from its event, as delivering does, with what the webhook included then.
 * Null if the ledger does not have that event, because it was restored to an earlier state.
 */
export async function rebuildMessage(
  db: LedgerDb,
  companyId: string,
  { id: webhookId, settings }: Pick<WebhookRecord, 'id' | 'settings'>,
  { id: deliveryId, position, type, sentAt }: Delivery,
): Promise<RebuiltMessage | null> {
  if (position === null) {
    const { id, message } = describePing(webhookId, { deliveryId, sentAt })
    return { headers: buildHeaders(id, sentAt), body: JSON.stringify(message), isErased: false }
  }
  const [event] = await readEventsAt(db, companyId, [position])
  if (!event || !listEventTypes([type as WebhookType]).includes(event.type)) return null
  const includesData = (await findChangeAfter(db, companyId, webhookId, sentAt)) ?? settings.include_data
  return {
    headers: buildHeaders(messageIdOf(webhookId, event), sentAt),
    body: JSON.stringify(describeEvent(event, includesData)),
    isErased: event.data === null,
  }
}

/** What a webhook included before the first change of that after a time; null if it has not changed since. */
async function findChangeAfter(
  db: LedgerDb,
  companyId: string,
  webhookId: string,
  time: string,
): Promise<boolean | null> {
  const { rows } = await sql<{ included: boolean }>`
    select (data::json -> 'from' ->> 'include_data')::boolean as included from events
    where company_id = ${toUuid(companyId)} and stream_id = ${toUuid(webhookId)} and type = 'WebhookChanged'
      and recorded_at > ${time} and data::json -> 'from' ->> 'include_data' is not null
    order by stream_version limit 1`.execute(db)
  return rows[0]?.included ?? null
}
