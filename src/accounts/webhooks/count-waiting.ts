import { sql } from 'kysely'
import { toUuid } from '../../domain/ids.ts'
import { listEventTypes } from '../../domain/webhooks/webhook-message.ts'
import type { LedgerDb } from '../../ledger/tables.ts'
import type { WebhookRecord } from './read-webhooks.ts'

/** How many messages wait for a webhook. */
export interface WaitingMessages {
  count: number
  /** How many later events have not been looked at: further messages may wait there. */
  unread: number
}

/** Bounds what a page with all of a company's webhooks reads. */
const EVENTS_READ = 10_000

/** Counts the messages that a webhook has not delivered, among the next 10,000 events. */
export async function countWaitingMessages(
  db: LedgerDb,
  companyId: string,
  { id, settings, progress: { position, head } }: WebhookRecord,
): Promise<WaitingMessages> {
  const upTo = Math.min(head, position + EVENTS_READ)
  if (upTo === position) return { count: 0, unread: 0 }
  const { rows } = await sql<{ count: number }>`select count(*)::integer as count
    from events e join webhook_progress p on p.company_id = e.company_id
    where e.company_id = ${toUuid(companyId)} and p.webhook_id = ${toUuid(id)}
      and e.position > ${position} and e.position <= ${upTo}
      and e.type = any(${listEventTypes(settings.types)}) and e.position <> all(p.ahead)`.execute(db)
  return { count: rows[0]!.count, unread: head - upTo }
}
