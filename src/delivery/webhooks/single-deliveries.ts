import { sql } from 'kysely'
import { type Delivery, type WebhookRecord, findDelivery } from '#accounts/webhooks/read-webhooks'
import { toUuid, type IdPrefix } from '#domain/ids'
import type { WebhookType } from '#domain/webhook-types'
import { describeEvent, listEventTypes, type WebhookMessage } from '#domain/webhooks/webhook-message'
import { readEventsAt } from '#ledger/read/read-events'
import type { LedgerDb } from '#ledger/tables'
import {
  buildHeaders,
  describePing,
  messageIdOf,
  decryptSecrets,
  postMessage,
  type PingPlace,
  type Poster,
} from './message-posting.ts'
import { databaseTime } from '#postgres/database-clock'
import type { Pool } from 'pg'
import { NO_SUCH_WEBHOOK, signingSecrets } from '#accounts/webhooks/change-webhook'
import { RefusedByStateError } from '#accounts/change-company'
import { problem } from '#domain/errors'
import { inTransaction } from '#postgres/pipeline'
import { withClient } from '#postgres/pool'
import type { SecretBox } from '#accounts/secrets/secret-box'
import { recordAttempt, type Attempt, type SeenRevision, type WebhookRef, watchRevision } from './progress.ts'

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
async function findChangeAfter(db: LedgerDb, companyId: string, webhookId: string, time: string) {
  const { rows } = await sql<{ included: boolean }>`
    select (data::json -> 'from' ->> 'include_data')::boolean as included from events
    where company_id = ${toUuid(companyId)} and stream_id = ${toUuid(webhookId)} and type = 'WebhookChanged'
      and recorded_at > ${time} and data::json -> 'from' ->> 'include_data' is not null
    order by stream_version limit 1`.execute(db)
  return rows[0]?.included ?? null
}

/**
 * Deliveries that an administrator asks for: one at a time for each webhook and process. They throw UnavailableError if
 * what they read became outdated before the receiver answered.
 */
export interface SingleDeliveries {
  /** Sends a test message now. Throws RefusedByStateError if there is no such webhook, or if one is under way. */
  ping(companyId: string, webhookId: string): Promise<Delivery>
  /**
   * Sends the message of an earlier delivery again, made from its event as it is stored now. Throws RefusedByStateError
   * if there is no such webhook or delivery, or if one is under way.
   */
  redeliver(companyId: string, webhookId: string, deliveryId: string): Promise<Delivery>
}

interface SingleDeliveryServices {
  pool: Pool
  db: LedgerDb
  poster: Poster
  secrets: SecretBox
  newId(prefix: IdPrefix): string
}

const NO_SUCH_DELIVERY = problem('delivery_not_found', 'No such delivery exists')
const UNDER_WAY = problem('rate_limited', 'Another test or redelivery of this webhook is under way')

/** Opens the deliveries that administrators ask for. */
export function createSingleDeliveries(services: SingleDeliveryServices): SingleDeliveries {
  const { db } = services
  const underWay = new Set<string>()

  async function alone(webhookId: string, task: () => Promise<Delivery>) {
    if (underWay.has(webhookId)) throw new RefusedByStateError(UNDER_WAY)
    underWay.add(webhookId)
    try {
      return await task()
    } finally {
      underWay.delete(webhookId)
    }
  }

  async function ping(ref: WebhookRef): Promise<Delivery> {
    return deliver(services, ref, async (_, place) => ({ ...describePing(ref.webhookId, place), position: null }))
  }

  return {
    ping: (companyId, webhookId) => alone(webhookId, () => ping({ companyId, webhookId })),
    redeliver: (companyId, webhookId, deliveryId) =>
      alone(webhookId, async () => {
        const delivery = await findDelivery(db, companyId, webhookId, deliveryId)
        if (!delivery) throw new RefusedByStateError(NO_SUCH_DELIVERY)
        const { position } = delivery
        if (position === null) return ping({ companyId, webhookId })
        return deliver(services, { companyId, webhookId }, async (includeData) => {
          const [event] = await readEventsAt(db, companyId, [position])
          if (!event) throw new RefusedByStateError(NO_SUCH_DELIVERY)
          return { id: messageIdOf(webhookId, event), position, message: describeEvent(event, includeData) }
        })
      }),
  }
}

interface SingleMessage {
  id: string
  position: number | null
  message: WebhookMessage
}

async function deliver(
  { pool, poster, secrets, newId }: SingleDeliveryServices,
  ref: WebhookRef,
  makeMessage: (includeData: boolean, place: PingPlace) => Promise<SingleMessage>,
): Promise<Delivery> {
  const { includeData, sealed, url, ...seen } = await loadTarget(pool, ref)
  const target = { url, secrets: decryptSecrets(secrets, sealed, ref.webhookId) }
  const attempt = await watchRevision(pool, seen, async ({ signal }): Promise<Attempt> => {
    const place = { deliveryId: newId('dlv'), sentAt: databaseTime() }
    const { id, position, message } = await makeMessage(includeData, place)
    const { retryAfter: _, ...result } = await postMessage(poster, target, {
      id,
      message,
      sentAt: place.sentAt,
      signal,
    })
    return { ...place, position, type: message.type, ...result }
  })
  await inTransaction(pool, (client) => recordAttempt(client, ref, attempt))
  const { deliveryId, ...rest } = attempt
  return { id: deliveryId, ...rest, isDelivered: attempt.error === null }
}

interface Target extends SeenRevision {
  url: string
  includeData: boolean
  sealed: Buffer[]
}

async function loadTarget(pool: Pool, ref: WebhookRef): Promise<Target> {
  const { readAt, rows } = await withClient(pool, async (client) => {
    const readAt = performance.now()
    const { rows } = await client.query<{ url: string; include_data: boolean; secrets: Buffer[]; revision: number }>(
      `select url, include_data, revision, ${signingSecrets('clock_timestamp()')} as secrets from webhooks w
       where company_id = $1 and webhook_id = $2`,
      [toUuid(ref.companyId), toUuid(ref.webhookId)],
    )
    return { readAt, rows }
  })
  const [row] = rows
  if (!row) throw new RefusedByStateError(NO_SUCH_WEBHOOK)
  const { url, revision, include_data: includeData, secrets: sealed } = row
  return { ...ref, url, revision, readAt, includeData, sealed }
}
