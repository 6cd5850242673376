import { sql } from 'kysely'
import { fromUuid, toUuid } from '../../domain/ids.ts'
import { listEventTypes } from '../../domain/webhooks/webhook-message.ts'
import type { LedgerDb } from '../../ledger/tables.ts'
import type { WebhookRecord } from './read-webhooks.ts'

/** How many messages wait for a webhook. */
export interface WaitingMessages {
  count: number
  /** How many later events have not been looked at: further messages may wait there. */
  unread: number
}

/** Bounds what a page with all of a company's webhooks reads: they share it. */
const EVENTS_READ = 10_000

/** Counts the messages that webhooks have not delivered, by their ids, among the next 10,000 events of all together. */
export async function countWaitingMessages(
  db: LedgerDb,
  companyId: string,
  webhooks: readonly WebhookRecord[],
): Promise<Map<string, WaitingMessages>> {
  const waiting = new Map(webhooks.map(({ id }) => [id, { count: 0, unread: 0 }]))
  const behind = webhooks.filter(({ progress: { position, head } }) => position < head)
  if (behind.length === 0) return waiting
  const share = Math.floor(EVENTS_READ / behind.length)
  const values = behind.map(
    ({ id, settings, progress: { position } }) =>
      sql`(${toUuid(id)}::uuid, ${position}::bigint, ${listEventTypes(settings.types)}::text[])`,
  )
  const { rows } = await sql<{ id: string; count: number }>`
    select w.id, (
      select count(*)::integer from events e
      where e.company_id = ${toUuid(companyId)} and e.position > w.position and e.position <= w.position + ${share}
        and e.type = any(w.types) and e.position <> all(p.ahead)
    ) as count
    from (values ${sql.join(values)}) as w (id, position, types)
      join webhook_progress p on p.company_id = ${toUuid(companyId)} and p.webhook_id = w.id`.execute(db)
  const counts = new Map(rows.map(({ id, count }) => [fromUuid('whk', id), count]))
  for (const { id, progress } of behind) {
    const unread = Math.max(progress.head - progress.position - share, 0)
    waiting.set(id, { count: counts.get(id) ?? 0, unread })
  }
  return waiting
}
