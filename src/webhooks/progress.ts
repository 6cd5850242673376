import type { ClientBase, Pool } from 'pg'
import type { WebhookType } from '../domain/webhook-types.ts'
import { fromUuid, toUuid } from '../domain/ids.ts'
import { bigintArray, integerArray, textArray, timestamptzArray, uuidArray } from '../postgres/binary-arrays.ts'

/** A webhook by its ids. */
export interface WebhookPlace {
  companyId: string
  webhookId: string
}

/** A webhook that has undelivered events and may be delivered to now. */
export interface DueWebhook extends WebhookPlace {
  /** Whether its receiver was slow or failed in the last round. */
  isSlow: boolean
}

/** A webhook that this process may deliver to, with what a round needs. */
export interface LeasedWebhook extends WebhookPlace {
  position: number
  ahead: number[]
  /** The position of the company's head. */
  head: number
  attempts: number
  failingSince: string | null
  url: string
  types: WebhookType[]
  includeData: boolean
  concurrency: number
  /** Sealed; the replaced one follows while it still signs. */
  secrets: Buffer[]
}

/** Seconds for which a lease is valid. A round is over well before. */
const LEASE_SECONDS = 30
const LISTED_AT_ONCE = 1_000

const IS_DUE = `w.status = 'enabled' and h.position > p.position and coalesce(p.due_at <= clock_timestamp(), true)`
const IS_FREE = `coalesce(p.leased_until <= clock_timestamp(), true)`

/** Lists webhooks that are due: those of these companies, or the most overdue ones of all. */
export async function listDueWebhooks(pool: Pool, companyIds?: readonly string[]): Promise<DueWebhook[]> {
  const { rows } = await pool.query<{ company_id: string; webhook_id: string; is_slow: boolean }>(
    `select p.company_id, p.webhook_id, p.is_slow
     from webhooks w join webhook_progress p on p.company_id = w.company_id and p.webhook_id = w.webhook_id
       join heads h on h.company_id = w.company_id
     where ${IS_DUE} and ${IS_FREE} ${companyIds ? 'and w.company_id = any($1)' : ''}
     order by p.due_at nulls first limit ${LISTED_AT_ONCE}`,
    companyIds ? [uuidArray(companyIds)] : [],
  )
  return rows.map((row) => ({
    companyId: fromUuid('com', row.company_id),
    webhookId: fromUuid('whk', row.webhook_id),
    isSlow: row.is_slow,
  }))
}

interface LeasedRow {
  position: number
  ahead: string[]
  head: number
  attempts: number
  failing_since: string | null
  url: string
  types: WebhookType[]
  include_data: boolean
  concurrency: number
  secret: Buffer
  previous_secret: Buffer | null
}

/** Takes or renews the lease on a webhook. Null if it is not due, or another process has it. */
export async function leaseWebhook(pool: Pool, place: WebhookPlace, leaseId: string): Promise<LeasedWebhook | null> {
  const { rows } = await pool.query<LeasedRow>(
    `update webhook_progress p
     set lease_id = $3, leased_until = clock_timestamp() + interval '${LEASE_SECONDS} seconds'
     from webhooks w, heads h
     where p.company_id = $1 and p.webhook_id = $2 and w.company_id = $1 and w.webhook_id = $2 and h.company_id = $1
       and ${IS_DUE} and (${IS_FREE} or p.lease_id = $3)
     returning p.position, p.ahead, p.attempts, p.failing_since, h.position as head, w.url, w.types, w.include_data,
       w.concurrency, w.secret, case when w.previous_expires_at > clock_timestamp() then w.previous_secret end
         as previous_secret`,
    [toUuid(place.companyId), toUuid(place.webhookId), leaseId],
  )
  const [row] = rows
  if (!row) return null
  const { position, head, attempts, url, types, concurrency, secret, previous_secret: previous } = row
  return {
    ...place,
    ...{ position, head, attempts, failingSince: row.failing_since, url, types, concurrency },
    // node-postgres reads the elements of a bigint array as texts.
    ahead: row.ahead.map(Number),
    includeData: row.include_data,
    secrets: previous ? [secret, previous] : [secret],
  }
}

/** Ends a lease. Returns whether the webhook is due again, because events followed meanwhile. */
export async function releaseWebhook(pool: Pool, place: WebhookPlace, leaseId: string): Promise<boolean> {
  const { rows } = await pool.query<{ is_due: boolean }>(
    `update webhook_progress p set lease_id = null, leased_until = null
     from webhooks w, heads h
     where p.company_id = $1 and p.webhook_id = $2 and p.lease_id = $3
       and w.company_id = $1 and w.webhook_id = $2 and h.company_id = $1
     returning ${IS_DUE} as is_due`,
    [toUuid(place.companyId), toUuid(place.webhookId), leaseId],
  )
  return rows[0]?.is_due ?? false
}

/** An attempt to deliver a message. */
export interface Attempt {
  deliveryId: string
  /** Null for a test ping. */
  position: number | null
  type: string
  sentAt: string
  durationMs: number
  httpStatus: number | null
  /** Null if the message was delivered. */
  error: string | null
  answer: string | null
}

/** The outcome of a round. */
export interface RoundOutcome {
  position: number
  ahead: number[]
  /** Consecutive failed rounds; 0 after success. */
  attempts: number
  /** The reason of the failure, if any. */
  error: string | null
  /** Milliseconds until the next attempt; null if it may be made at once. */
  delayMs: number | null
  isSlow: boolean
}

/**
 * Records the outcome of a round and its attempts, in one transaction. Returns since when the webhook has been failing,
 * in milliseconds, or null if it is not; 'lost', and records nothing, if the lease was lost.
 */
export async function recordRound(
  client: ClientBase,
  place: WebhookPlace,
  leaseId: string,
  round: RoundOutcome,
  attempts: Attempt[],
): Promise<number | null | 'lost'> {
  await client.query('begin')
  const { rows } = await client.query<{ failing_ms: number | null }>(
    `update webhook_progress set position = $4, ahead = $5, attempts = $6, error = $7, is_slow = $9,
       due_at = clock_timestamp() + $8 * interval '1 millisecond',
       failing_since = case when $6 = 0 then null when $6 = 1 then clock_timestamp()
         else coalesce(failing_since, clock_timestamp()) end
     where company_id = $1 and webhook_id = $2 and lease_id = $3
     returning (extract(epoch from clock_timestamp() - failing_since) * 1000)::float8 as failing_ms`,
    [
      ...[toUuid(place.companyId), toUuid(place.webhookId), leaseId, round.position, bigintArray(round.ahead)],
      ...[round.attempts, round.error, round.delayMs, round.isSlow],
    ],
  )
  if (!rows[0]) {
    await client.query('rollback')
    return 'lost'
  }
  await insertAttempts(client, place, attempts)
  await client.query('commit')
  return rows[0].failing_ms
}

/** Records an attempt that an administrator asked for. It does not move the checkpoint. */
export async function recordAttempt(client: ClientBase, place: WebhookPlace, attempt: Attempt): Promise<void> {
  await client.query('begin')
  // An erasure takes the same lock, so an answer is either erased or not stored.
  const { rowCount } = await client.query(
    'select from webhook_progress where company_id = $1 and webhook_id = $2 for update',
    [toUuid(place.companyId), toUuid(place.webhookId)],
  )
  if (rowCount === 1) await insertAttempts(client, place, [attempt])
  await client.query('commit')
}

/** Inserts attempts, under the lock of the webhook's progress. The answer to an erased event is not stored. */
async function insertAttempts(client: ClientBase, place: WebhookPlace, attempts: Attempt[]): Promise<void> {
  if (attempts.length === 0) return
  await client.query(
    `insert into webhook_deliveries (company_id, webhook_id, delivery_id, position, type, sent_at, duration_ms,
       is_delivered, http_status, error, answer)
     select $1, $2, a.delivery_id, a.position, a.type, a.sent_at, a.duration_ms, a.error is null, a.http_status, a.error,
       case when a.position is null or exists (
         select from events e where e.company_id = $1 and e.position = a.position and e.data is not null)
       then a.answer end
     from unnest($3::uuid[], $4::bigint[], $5::text[], $6::timestamptz[], $7::integer[], $8::integer[], $9::text[],
       $10::text[]) as a(delivery_id, position, type, sent_at, duration_ms, http_status, error, answer)`,
    [
      ...[toUuid(place.companyId), toUuid(place.webhookId)],
      uuidArray(attempts.map(({ deliveryId }) => deliveryId)),
      bigintArray(attempts.map(({ position }) => position)),
      textArray(attempts.map(({ type }) => type)),
      timestamptzArray(attempts.map(({ sentAt }) => sentAt)),
      integerArray(attempts.map(({ durationMs }) => durationMs)),
      integerArray(attempts.map(({ httpStatus }) => httpStatus)),
      textArray(attempts.map(({ error }) => error)),
      textArray(attempts.map(({ answer }) => answer)),
    ],
  )
}

/** Records that a webhook cannot be delivered to, through no fault of its receiver, and when to try again. */
export async function postponeWebhook(
  pool: Pool,
  place: WebhookPlace,
  leaseId: string,
  { error, delayMs }: { error: string; delayMs: number },
): Promise<void> {
  await pool.query(
    `update webhook_progress set error = $4, due_at = clock_timestamp() + $5 * interval '1 millisecond',
       lease_id = null, leased_until = null
     where company_id = $1 and webhook_id = $2 and lease_id = $3`,
    [toUuid(place.companyId), toUuid(place.webhookId), leaseId, error, delayMs],
  )
}
