import { databaseTime, databaseTimeMs } from '#postgres/database-clock'
import type { Pool } from 'pg'
import type { RecordedEvent } from '#domain/events'
import type { IdPrefix } from '#domain/ids'
import { describeEvent, listEventTypes } from '#domain/webhooks/webhook-message'
import { readEventPage } from '#ledger/read/read-events'
import type { LedgerDb } from '#ledger/tables'
import { inTransaction } from '#postgres/pipeline'
import { type SecretBox, UnreadableSecretError } from '#accounts/secrets/secret-box'
import { chooseDelay, WEBHOOK_BACKOFF } from '#delivery/backoff'
import { decryptSecrets, messageIdOf, postMessage, type Poster, parseRetryAfter } from './message-posting.ts'
import {
  type Attempt,
  type LeasedWebhook,
  type Pace,
  recordRound,
  type RoundOutcome,
  leaseWebhook,
  postponeWebhook,
  type WebhookRef,
  type Watch,
  watchRevision,
} from './progress.ts'
import type { Logger } from 'pino'
import { disableWebhook } from '#accounts/webhooks/change-webhook'
import type { WebhookDisabledReason } from '#domain/webhook-types'
import { isTransient } from '#postgres/database-errors'
import { clearFailingWork, recordFailingWork } from '#ledger/background/failing-work'
import { errorReason } from '#postgres/startup-error'

interface RoundServices {
  pool: Pool
  db: LedgerDb
  poster: Poster
  secrets: SecretBox
  newId(prefix: IdPrefix): string
  /** Called after each attempt. */
  onAttempt?(isDelivered: boolean, seconds: number): void
}

/**
 * What came of a round. `stopped`: nothing could be sent in time. `lost`: another process has the lease, or an
 * administrator moved the webhook.
 */
export type RoundEnd =
  | { end: 'reached the head' | 'more' | 'stopped'; pace: Pace }
  | { end: 'failed'; pace: 'failing'; status: number | null; failingMs: number }
  | { end: 'lost' }

/** A page of messages; one that is far ahead of the checkpoint would be sent again after a crash. */
const PAGE = { limit: 200, bytes: 256 * 1024 }
/** Positions that a round looks through for events of the webhook's types. */
const SEARCHED_AT_ONCE = 20_000
/** No message is sent later in a round: others wait for its slot. */
const SENDING_MS = 3_000
const SLOW_MS = 2_000
/** 410 Gone: the receiver wants no more messages. */
const GONE = 410

/**
 * Delivers the next messages of a webhook, and records how far it got. Messages of one employee, call or key are sent
 * one after another, in the order of the ledger; others up to `concurrency` at once. After a failure, nothing more is
 * sent. Messages that are under way are cut off by `signal`, or when what was read is outdated; they count neither as
 * delivered nor as failed.
 */
async function deliverRound(
  services: RoundServices,
  webhook: LeasedWebhook,
  leaseId: string,
  signal: AbortSignal,
): Promise<RoundEnd> {
  const upTo = Math.min(webhook.head, webhook.position + SEARCHED_AT_ONCE)
  const range = { after: webhook.position, upTo, types: listEventTypes(webhook.types) }
  const { page, sending } = await watchRevision(services.pool, webhook, async (watch) => {
    const read = await readEventPage(services.db, webhook.companyId, range, PAGE)
    return { page: read, sending: await sendEvents(services, webhook, read.events, watch, signal) }
  })
  const end = page.isEnd ? upTo : page.events.at(-1)!.position
  const outcome = summarize(webhook, page.events, end, sending)
  const isIdle = sending.attempts.length === 0 && outcome.position === webhook.position
  if (isIdle) return { end: 'stopped', pace: webhook.isSlow ? 'slow' : 'prompt' }
  const failingMs = await inTransaction(services.pool, (client) =>
    recordRound(client, webhook, leaseId, outcome, sending.attempts),
  )
  if (failingMs === 'lost') return { end: 'lost' }
  if (sending.failure)
    return { end: 'failed', pace: 'failing', status: sending.failure.httpStatus, failingMs: failingMs ?? 0 }
  return {
    end: outcome.position < webhook.head ? 'more' : 'reached the head',
    pace: outcome.isSlow ? 'slow' : 'prompt',
  }
}

interface Sending {
  attempts: Attempt[]
  /** The positions that have been delivered, in this round or ahead of the checkpoint before. */
  delivered: Set<number>
  failure: { httpStatus: number | null; error: string; retryAfter: string | null } | null
}

async function sendEvents(
  { poster, secrets, newId, onAttempt }: RoundServices,
  webhook: LeasedWebhook,
  events: RecordedEvent[],
  watch: Watch,
  cutOff: AbortSignal,
): Promise<Sending> {
  const sending: Sending = { attempts: [], delivered: new Set(webhook.ahead), failure: null }
  const waiting = new Set(events.filter(({ position }) => !sending.delivered.has(position)))
  const target = { url: webhook.url, secrets: decryptSecrets(secrets, webhook.secrets, webhook.webhookId) }
  const busy = new Set<string>()
  const signal = AbortSignal.any([watch.signal, cutOff])
  let isBroken = false
  const mayGoOn = () => {
    const isInTime = performance.now() - webhook.readAt < SENDING_MS
    return isInTime && watch.isCurrent() && !isBroken && !sending.failure && !cutOff.aborted
  }

  function takeNext() {
    for (const event of waiting) {
      if (busy.has(event.stream)) continue
      waiting.delete(event)
      return event
    }
    return undefined
  }

  async function send(event: RecordedEvent) {
    const { position } = event
    const message = describeEvent(event, webhook.includeData)
    const id = messageIdOf(webhook.webhookId, event)
    const sentAt = databaseTime()
    const { retryAfter, ...result } = await postMessage(poster, target, { id, message, sentAt, signal })
    sending.attempts.push({ deliveryId: newId('dlv'), position, type: message.type, sentAt, ...result })
    onAttempt?.(result.error === null, result.durationMs / 1_000)
    if (result.error === null) sending.delivered.add(position)
    // Of failures at the same time, the one that ends the webhook counts.
    else if (!sending.failure || result.httpStatus === GONE)
      sending.failure = { httpStatus: result.httpStatus, error: result.error, retryAfter }
  }

  // When a message of an employee is answered, the worker that sent it takes the next one, so no worker waits.
  async function sendNext() {
    for (let event = takeNext(); event && mayGoOn(); event = takeNext()) {
      busy.add(event.stream)
      try {
        await send(event)
      } catch (error) {
        isBroken = true
        if (!signal.aborted) throw error
      } finally {
        busy.delete(event.stream)
      }
    }
  }

  const workers = await Promise.allSettled(Array.from({ length: webhook.concurrency }, sendNext))
  for (const worker of workers) if (worker.status === 'rejected') throw worker.reason
  return sending
}

const isLate = ({ durationMs }: Attempt) => durationMs > SLOW_MS

/** The checkpoint moves to the event before the first one that was not delivered. */
function summarize(
  webhook: LeasedWebhook,
  events: RecordedEvent[],
  end: number,
  { attempts, delivered, failure }: Sending,
): RoundOutcome {
  const missing = events.find((event) => !delivered.has(event.position))
  const position = missing ? missing.position - 1 : end
  const ahead = [...delivered].filter((one) => one > position).toSorted((a, b) => a - b)
  const isSlow = failure !== null || (attempts[0] ? attempts.some(isLate) : webhook.isSlow)
  if (!failure) return { position, ahead, attempts: 0, error: null, delayMs: null, isSlow }
  const failures = position > webhook.position ? 1 : webhook.attempts + 1
  const backoffMs = chooseDelay(WEBHOOK_BACKOFF, failures, Math.random())
  const delayMs = Math.max(backoffMs, parseRetryAfter(failure.retryAfter, databaseTimeMs()))
  return { position, ahead, attempts: failures, error: failure.error, delayMs, isSlow }
}

export interface LeaseServices extends RoundServices {
  log: Logger
}

const POSTPONED_MS = 60_000
/** How long a receiver may refuse the same message before its webhook is disabled. */
const PATIENCE_MS = 3 * 24 * 3_600_000

/** Takes the lease on a webhook, if it is due, and delivers one round. Disables a webhook whose receiver is gone. */
export async function runLeasedRound(
  services: LeaseServices,
  ref: WebhookRef,
  leaseId: string,
  { stopping, cutOff }: { stopping: AbortSignal; cutOff: AbortSignal },
): Promise<RoundEnd> {
  if (stopping.aborted) return { end: 'lost' }
  const webhook = await leaseWebhook(services.pool, ref, leaseId)
  if (!webhook) return { end: 'lost' }
  let round: RoundEnd
  try {
    round = await deliverRound(services, webhook, leaseId, cutOff)
  } catch (error) {
    // The lease ends by itself, and the sweep finds the webhook again.
    if (isTransient(error) || !(error instanceof Error)) throw error
    await postpone(services, ref, leaseId, error)
    return { end: 'lost' }
  }
  if (webhook.error !== null && round.end !== 'lost') await clearFailingWork(services.pool, workOf(ref))
  if (round.end === 'failed') await disableIfExhausted(services, ref, leaseId, round)
  return round
}

const workOf = ({ companyId, webhookId }: WebhookRef) => ({ companyId, work: 'webhooks', subject: webhookId }) as const

/** Not the receiver's fault: tries again later, for as long as it takes. */
async function postpone({ pool, log }: LeaseServices, ref: WebhookRef, leaseId: string, error: Error) {
  const isSecret = error instanceof UnreadableSecretError
  log.error({ ...ref, err: error }, `could not prepare messages of a webhook${isSecret ? ': check SECRETS_KEY' : ''}`)
  const reason = isSecret ? 'The service cannot read the secret of this webhook' : 'The service failed'
  await postponeWebhook(pool, ref, leaseId, { error: reason, delayMs: POSTPONED_MS })
  await recordFailingWork(pool, workOf(ref), isSecret ? reason : errorReason(error))
}

async function disableIfExhausted(
  services: LeaseServices,
  { companyId, webhookId }: WebhookRef,
  leaseId: string,
  { status, failingMs }: { status: number | null; failingMs: number },
) {
  let reason: WebhookDisabledReason
  if (status === GONE) reason = 'gone'
  else if (failingMs >= PATIENCE_MS) reason = 'failing'
  else return
  await disableWebhook(services.pool, { companyId, webhookId, leaseId }, reason)
  services.log.warn({ companyId, webhookId, reason }, 'disabled a webhook')
}
