import { sql } from 'kysely'
import type { ClientBase, Pool } from 'pg'
import { signingSecrets } from '#accounts/webhooks/change-webhook'
import type { WebhookStatus, WebhookType } from '#domain/webhook-types'
import { fromUuid, toUuid } from '#domain/ids'
import { bigintArray, integerArray, textArray, timestamptzArray, uuidArray } from '#postgres/binary-arrays'
import { databaseTimeMs } from '#postgres/database-clock'
import { onClient } from '#postgres/kysely'
import { inTransaction } from '#postgres/pipeline'
import type { Row } from '#ledger/tables'
import { withClient } from '#postgres/pool'
import { FOLDED_POSITION, JOIN_CHECKPOINTS } from '#workers/folded-position'
import type { DueWork } from '#workers/watch-standstill'
import { UnavailableError } from '#admission/batcher'

/** A webhook by its ids. */
export interface WebhookRef {
  companyId: string
  webhookId: string
}

/** A webhook of which something was read. */
export interface SeenRevision extends WebhookRef {
  /** Its revision then. */
  revision: number
  /** When the reading began, by `performance.now()`. */
  readAt: number
}

/** The speed of the receiver in its last round. `slow`: also if it has never been asked. */
export type Pace = 'prompt' | 'slow' | 'failing'

/** A webhook that has undelivered events and may be delivered to now. */
export interface DueWebhook extends WebhookRef {
  pace: Pace
  /** Changes with every lease. */
  trace: string
}

/** A webhook that this process may deliver to, with what a round needs. */
export interface LeasedWebhook extends SeenRevision {
  position: number
  ahead: number[]
  /** Up to where the ledger is folded, and may be told. */
  head: number
  attempts: number
  url: string
  types: WebhookType[]
  includeData: boolean
  concurrency: number
  isSlow: boolean
  /** Why the last attempt failed, if it did. */
  error: string | null
  /** Sealed; the replaced one follows while it still signs. */
  secrets: Buffer[]
}

/** Seconds for which a lease is valid. A round is over well before. */
const LEASE_SECONDS = 30
const LISTED_AT_ONCE = 1_000

// A message is sent only after its event is folded, so that a receiver can read what it is about.
// Citus allows only stable functions in updates, none of them in CASE or COALESCE, and only immutable ones in RETURNING.
const IS_DUE = `w.status = 'enabled' and ${FOLDED_POSITION} > p.position
  and (p.due_at is null or p.due_at <= statement_timestamp())`
const IS_FREE = `(p.leased_until is null or p.leased_until <= statement_timestamp())`

/** Lists webhooks that are due: those of these companies, or of all, first those whose next attempt is overdue. */
export async function listDueWebhooks(pool: Pool, companyIds?: readonly string[]): Promise<DueWebhook[]> {
  const [only] = companyIds?.length === 1 ? companyIds : []
  // Only an equality leads Citus to one machine.
  const [scope, condition, values] = only
    ? ['-of-one', 'and w.company_id = $1', [toUuid(only)]]
    : companyIds
      ? ['-of', 'and w.company_id = any($1)', [uuidArray(companyIds)]]
      : ['', '', []]
  const { rows } = await pool.query<{ company_id: string; webhook_id: string; pace: Pace; trace: string }>({
    // Named, because it follows every fold, and planning takes much longer than running it.
    name: `list-due-webhooks${scope}`,
    text: `select p.company_id, p.webhook_id,
       case when p.attempts > 0 then 'failing' when p.is_slow then 'slow' else 'prompt' end as pace,
       concat_ws(' ', p.position, p.leased_until) as trace
     from webhooks w join webhook_progress p on p.company_id = w.company_id and p.webhook_id = w.webhook_id
       join heads h on h.company_id = w.company_id ${JOIN_CHECKPOINTS}
     where ${IS_DUE} and ${IS_FREE} ${condition}
     order by p.due_at, p.webhook_id limit ${LISTED_AT_ONCE}`,
    values,
  })
  return rows.map((row) => ({
    companyId: fromUuid('com', row.company_id),
    webhookId: fromUuid('whk', row.webhook_id),
    pace: row.pace,
    trace: row.trace,
  }))
}

/** Lists webhooks that no process delivers to, although they are due. */
export async function listWaitingWebhooks(pool: Pool): Promise<DueWork[]> {
  const due = await listDueWebhooks(pool)
  return due.map(({ companyId, webhookId, trace }) => ({ companyId, work: 'webhooks', subject: webhookId, trace }))
}

/** node-postgres reads the elements of a bigint array as texts. */
type LeasedRow = Omit<LeasedWebhook, keyof WebhookRef | 'readAt' | 'ahead'> & { ahead: string[] }

/** Takes or renews the lease on a webhook. Null if it is not due, or another process has it. */
export async function leaseWebhook(pool: Pool, ref: WebhookRef, leaseId: string): Promise<LeasedWebhook | null> {
  // Taken after the wait for a connection, which makes nothing older that is read then.
  const { readAt, rows } = await withClient(pool, async (client) => {
    const readAt = performance.now()
    const { rows } = await client.query<LeasedRow>(
      `update webhook_progress p
       set lease_id = $3, leased_until = statement_timestamp() + interval '${LEASE_SECONDS} seconds'
       from webhooks w join heads h on h.company_id = w.company_id ${JOIN_CHECKPOINTS}
       where p.company_id = $1 and p.webhook_id = $2 and w.company_id = $1 and w.webhook_id = $2
         and ${IS_DUE} and (${IS_FREE} or p.lease_id = $3)
       returning p.position, p.ahead, p.attempts, p.is_slow as "isSlow", p.error, ${FOLDED_POSITION} as head,
         w.url, w.types, w.include_data as "includeData", w.concurrency, w.revision,
         ${signingSecrets('p.leased_until', LEASE_SECONDS)} as secrets`,
      [toUuid(ref.companyId), toUuid(ref.webhookId), leaseId],
    )
    return { readAt, rows }
  })
  const [row] = rows
  if (!row) return null
  return { ...ref, ...row, ahead: row.ahead.map(Number), readAt }
}

/** Ends a lease. Returns whether the webhook is due again, because events followed meanwhile. */
export async function releaseWebhook(pool: Pool, ref: WebhookRef, leaseId: string) {
  const { rows } = await inTransaction(pool, (client) =>
    client.query<{ status: WebhookStatus; is_behind: boolean; due_at: string | null }>(
      `update webhook_progress p set lease_id = null, leased_until = null
       from webhooks w join heads h on h.company_id = w.company_id ${JOIN_CHECKPOINTS}
       where p.company_id = $1 and p.webhook_id = $2 and p.lease_id = $3 and w.company_id = $1 and w.webhook_id = $2
       returning w.status, ${FOLDED_POSITION} > p.position as is_behind, p.due_at`,
      [toUuid(ref.companyId), toUuid(ref.webhookId), leaseId],
    ),
  )
  const [row] = rows
  if (row?.status !== 'enabled') return false
  return row.is_behind && (row.due_at === null || Date.parse(row.due_at) <= databaseTimeMs())
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
 * Records the outcome of a round and its attempts, in a transaction of the company. Returns how long the webhook has
 * been failing, in milliseconds, or null if it is not; 'lost', and records nothing, if the lease was lost.
 */
export async function recordRound(
  client: ClientBase,
  ref: WebhookRef,
  leaseId: string,
  round: RoundOutcome,
  attempts: Attempt[],
): Promise<number | null | 'lost'> {
  const { position, ahead, attempts: failures, error, delayMs, isSlow } = round
  const failingSince = sql`least(${sql.raw(failures > 1 ? 'failing_since' : 'null')}, statement_timestamp())`
  const { rows } = await sql<Row<'webhook_progress', 'failing_since'>>`
    update webhook_progress set position = ${position}, ahead = ${bigintArray(ahead)}, attempts = ${failures},
      error = ${error}, is_slow = ${isSlow}, due_at = statement_timestamp() + ${delayMs} * interval '1 millisecond',
      failing_since = ${failures === 0 ? null : failingSince}
    where company_id = ${toUuid(ref.companyId)} and webhook_id = ${toUuid(ref.webhookId)} and lease_id = ${leaseId}
    returning failing_since`.execute(onClient(client))
  if (!rows[0]) return 'lost'
  await insertAttempts(client, ref, attempts)
  const [{ failing_since: since }] = rows
  return since === null ? null : Math.max(0, databaseTimeMs() - Date.parse(since))
}

/** Records an attempt that an administrator asked for, in a transaction of the company. It does not move the checkpoint. */
export async function recordAttempt(client: ClientBase, ref: WebhookRef, attempt: Attempt) {
  // An erasure takes the same lock, so an answer is either erased or not stored.
  const { rowCount } = await client.query(
    'select from webhook_progress where company_id = $1 and webhook_id = $2 for update',
    [toUuid(ref.companyId), toUuid(ref.webhookId)],
  )
  if (rowCount === 1) await insertAttempts(client, ref, [attempt])
}

/** Inserts attempts, under the lock of the webhook's progress. */
async function insertAttempts(client: ClientBase, ref: WebhookRef, attempts: Attempt[]) {
  if (attempts.length === 0) return
  const ids = [toUuid(ref.companyId), toUuid(ref.webhookId)]
  const kept = await listPositionsWithData(client, ref, attempts)
  const mayKeep = ({ position, type }: Attempt) => position === null || (kept.has(position) && type !== ERASED_TYPE)
  await client.query(
    `insert into webhook_deliveries (company_id, webhook_id, delivery_id, position, type, sent_at, duration_ms,
       is_delivered, http_status, error, answer)
     select $1, $2, a.delivery_id, a.position, a.type, a.sent_at, a.duration_ms,
        a.error is null, a.http_status, a.error,
       a.answer
     from unnest($3::uuid[], $4::bigint[], $5::text[], $6::timestamptz[], $7::integer[], $8::integer[], $9::text[],
       $10::text[]) as a(delivery_id, position, type, sent_at, duration_ms, http_status, error, answer)`,
    [
      ...ids,
      uuidArray(attempts.map(({ deliveryId }) => deliveryId)),
      bigintArray(attempts.map(({ position }) => position)),
      textArray(attempts.map(({ type }) => type)),
      timestamptzArray(attempts.map(({ sentAt }) => sentAt)),
      integerArray(attempts.map(({ durationMs }) => durationMs)),
      integerArray(attempts.map(({ httpStatus }) => httpStatus)),
      textArray(attempts.map(({ error }) => error)),
      textArray(attempts.map((attempt) => (mayKeep(attempt) ? attempt.answer : null))),
    ],
  )
}

/** The message that a person was erased. An answer to it may name the person. */
const ERASED_TYPE: WebhookType = 'employee.erased'

/** The positions whose events are not erased: the answer to an erased event is not stored. */
async function listPositionsWithData(
  client: ClientBase,
  { companyId }: WebhookRef,
  attempts: Attempt[],
): Promise<Set<number>> {
  const positions = attempts.flatMap(({ position, answer }) => (answer === null ? [] : (position ?? [])))
  if (positions.length === 0) return new Set()
  const { rows } = await client.query<{ position: number }>(
    'select position from events where company_id = $1 and position = any($2) and data is not null',
    [toUuid(companyId), bigintArray(positions)],
  )
  return new Set(rows.map(({ position }) => position))
}

/** Records that a webhook cannot be delivered to, through no fault of its receiver, and when to try again. */
export async function postponeWebhook(
  pool: Pool,
  ref: WebhookRef,
  leaseId: string,
  { error, delayMs }: { error: string; delayMs: number },
) {
  await pool.query(
    `update webhook_progress set error = $4, due_at = statement_timestamp() + $5 * interval '1 millisecond',
       lease_id = null, leased_until = null
     where company_id = $1 and webhook_id = $2 and lease_id = $3`,
    [toUuid(ref.companyId), toUuid(ref.webhookId), leaseId, error, delayMs],
  )
}

/** Whether what was read of a webhook may still be sent. */
export interface Watch {
  /** Aborts, with UnavailableError, when it may not. */
  signal: AbortSignal
  /** As the signal, but right also if this process stood still and its timers are late. */
  isCurrent(): boolean
}

const ASKS_EVERY_MS = 500
/** After this time without confirmation, what was read counts as outdated. */
const CURRENT_MS = 1_000

/**
 * Runs a task that sends what was read of a webhook. Meanwhile, asks again and again whether that is outdated: the
 * webhook was changed or removed, a person was erased, or the database does not answer. So nothing is sent for more than
 * about a second after an erasure or a change. A short task ends before the first question.
 */
export async function watchRevision<Result>(
  pool: Pool,
  { companyId, webhookId, revision, readAt }: SeenRevision,
  task: (watch: Watch) => Promise<Result>,
): Promise<Result> {
  const outdated = new AbortController()
  let confirmedAt = readAt
  let isAsking = false
  let timer = setTimeout(look, Math.max(0, confirmedAt + ASKS_EVERY_MS - performance.now()))

  function stop() {
    outdated.abort(new UnavailableError('the webhook or its messages changed, or the database did not answer'))
  }

  function isCurrent() {
    if (performance.now() - confirmedAt >= CURRENT_MS) stop()
    return !outdated.signal.aborted
  }

  function look() {
    if (!isCurrent()) return
    if (!isAsking) void ask()
    timer = setTimeout(look, Math.min(ASKS_EVERY_MS, Math.max(0, confirmedAt + CURRENT_MS - performance.now())))
  }

  async function ask() {
    isAsking = true
    const askedAt = performance.now()
    const current = await findRevision(pool, { companyId, webhookId }).catch(() => undefined)
    isAsking = false
    if (current === revision) confirmedAt = askedAt
    else if (current !== undefined) stop()
  }

  try {
    return await task({ signal: outdated.signal, isCurrent })
  } finally {
    clearTimeout(timer)
  }
}

/** The revision of a webhook; null if it was removed. */
async function findRevision(pool: Pool, { companyId, webhookId }: WebhookRef) {
  const { rows } = await pool.query<{ revision: number }>(
    'select revision from webhooks where company_id = $1 and webhook_id = $2',
    [toUuid(companyId), toUuid(webhookId)],
  )
  return rows[0]?.revision ?? null
}
