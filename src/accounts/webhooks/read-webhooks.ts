import { sql, type InferResult } from 'kysely'
import { fromUuid, toUuid } from '#domain/ids'
import type { WebhookLife } from '#domain/webhooks/webhook-lifecycle'
import type { LedgerDb } from '#ledger/tables'
import { listEventTypes } from '#domain/webhooks/webhook-message'
import { findLastPositionBefore, findHead } from '#ledger/read/read-head'

/** A webhook as shown to administrators, without its secrets. Times are RFC 3339 UTC. */
export interface WebhookRecord extends WebhookLife {
  createdAt: string
  disabledAt: string | null
  rotatedAt: string | null
  /** When messages stop, or stopped, being signed with the replaced secret as well. */
  previousExpiresAt: string | null
  progress: WebhookProgress
}

/** How far a webhook has got. */
interface WebhookProgress {
  /** Everything up to here has been delivered or needs no delivery. */
  position: number
  /** The position of the company's head. */
  head: number
  /** Consecutive failed rounds. */
  attempts: number
  /** Since when the next message has been refused; null if the last round succeeded. */
  failingSince: string | null
  /** When the next attempt is made; null if none is waiting. */
  dueAt: string | null
  /** Why the last round failed. */
  error: string | null
}

function selectWebhooks(db: LedgerDb, companyId: string) {
  return db
    .selectFrom('webhooks as w')
    .innerJoin('webhook_progress as p', (on) =>
      on.onRef('p.company_id', '=', 'w.company_id').onRef('p.webhook_id', '=', 'w.webhook_id'),
    )
    .innerJoin('heads as h', 'h.company_id', 'w.company_id')
    .where('w.company_id', '=', toUuid(companyId))
    .select(['w.webhook_id', 'w.version', 'w.url', 'w.description', 'w.types', 'w.include_data', 'w.concurrency'])
    .select(['w.status', 'w.disabled_reason as disabledReason', 'w.disabled_at as disabledAt'])
    .select(['w.created_at as createdAt', 'w.rotated_at as rotatedAt', 'w.previous_expires_at as previousExpiresAt'])
    .select(['p.position', 'h.position as head', 'p.attempts', 'p.failing_since as failingSince'])
    .select(['p.due_at as dueAt', 'p.error', sql<string>`clock_timestamp()`.as('now')])
}

type WebhookRow = InferResult<ReturnType<typeof selectWebhooks>>[number]

/** A webhook, and the database's time when it was read (RFC 3339 UTC). */
export interface SeenWebhook {
  webhook: WebhookRecord
  now: string
}

/** Lists a company's webhooks, oldest first. There are never more than MAX_WEBHOOKS. */
export async function listWebhooks(db: LedgerDb, companyId: string): Promise<SeenWebhook[]> {
  return (await selectWebhooks(db, companyId).orderBy('w.webhook_id').execute()).map(toSeenWebhook)
}

/** Finds a webhook of a company; null if it does not exist. */
export async function findWebhook(db: LedgerDb, companyId: string, webhookId: string): Promise<SeenWebhook | null> {
  const row = await selectWebhooks(db, companyId).where('w.webhook_id', '=', toUuid(webhookId)).executeTakeFirst()
  return row ? toSeenWebhook(row) : null
}

function toSeenWebhook({ webhook_id: uuid, now, ...row }: WebhookRow): SeenWebhook {
  const { url, description, types, include_data, concurrency, ...others } = row
  const { position, head, attempts, failingSince, dueAt, error, ...webhook } = others
  const settings = { url, description, types, include_data, concurrency }
  const progress = { position, head, attempts, failingSince, dueAt, error }
  return { webhook: { ...webhook, id: fromUuid('whk', uuid), settings, progress }, now }
}

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

/**
 * Counts the attempts of the message of a delivery `d` of this company up to it. A test message has one. With
 * `d.company_id`, Citus would ask all shards.
 */
const countAttempts = (company: string) => sql<number>`(select greatest(count(*), 1)::integer from (
  select from webhook_deliveries o where o.company_id = ${company} and o.position = d.position
    and o.webhook_id = d.webhook_id and o.type = d.type and o.delivery_id <= d.delivery_id
      limit ${sql.lit(MAX_ATTEMPTS)}) earlier)`

function selectDeliveries(db: LedgerDb, companyId: string, webhookId: string) {
  const company = toUuid(companyId)
  return db
    .selectFrom('webhook_deliveries as d')
    .where('company_id', '=', company)
    .where('webhook_id', '=', toUuid(webhookId))
    .select(['delivery_id', 'type', 'position', 'sent_at as sentAt', 'duration_ms as durationMs'])
    .select([
      'is_delivered as isDelivered',
      'http_status as httpStatus',
      'error',
      'answer',
      countAttempts(company).as('attempt'),
    ])
}

function toDelivery(row: InferResult<ReturnType<typeof selectDeliveries>>[number]): KeptDelivery {
  const { delivery_id: uuid, ...delivery } = row
  return { id: fromUuid('dlv', uuid), ...delivery }
}

/**
 * Finds the position after which deliveries go on, so that the first is of the first event recorded at or after a time
 * (RFC 3339 UTC with milliseconds).
 */
export async function findResumePosition(db: LedgerDb, companyId: string, since: string): Promise<number> {
  const head = await findHead(db, companyId)
  return head === null ? 0 : findLastPositionBefore(db, companyId, head.position, since, { inclusive: false })
}
