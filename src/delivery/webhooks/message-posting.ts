import { decryptSecret } from '#accounts/webhooks/webhook-rows'
import type { RecordedEvent } from '#domain/events'
import type { WebhookMessage } from '#domain/webhooks/webhook-message'
import { PING_TYPE, WEBHOOK_SECRET_PREFIX } from '#domain/webhook-types'
import type { SecretBox } from '#accounts/secrets/secret-box'
import type { Poster, PostResult } from './post.ts'
import { createHmac } from 'node:crypto'

/** Decrypts the sealed secrets of a webhook. Throws UnreadableSecretError. */
export function decryptSecrets(secrets: SecretBox, sealed: readonly Buffer[], webhookId: string): string[] {
  return sealed.map((one) => decryptSecret(secrets, one, webhookId))
}

/**
 * The id of the message that tells an event. Every attempt has the same one. It names the time too, because a ledger that
 * was restored to an earlier state gives its positions to other events.
 */
export function messageIdOf(webhookId: string, event: Pick<RecordedEvent, 'position' | 'recorded_at'>): string {
  return `msg_${webhookId.slice('whk_'.length)}_${event.position}_${Date.parse(event.recorded_at).toString(36)}`
}

/** The delivery of a ping, and when it was made, RFC 3339 UTC. */
export interface PingPlace {
  deliveryId: string
  sentAt: string
}

/** Describes a test message. It follows from its delivery, so it can be shown later. */
export function describePing(
  webhookId: string,
  { deliveryId, sentAt }: PingPlace,
): { id: string; message: WebhookMessage } {
  const message = { type: PING_TYPE, timestamp: sentAt, data: { webhook_id: webhookId } }
  return { id: `msg_${deliveryId.slice('dlv_'.length)}`, message }
}

/** The headers of a message, apart from its signature. `sentAt` is RFC 3339 UTC. */
export function buildHeaders(id: string, sentAt: string) {
  return {
    'content-type': 'application/json',
    'user-agent': 'employee-ledger',
    'webhook-id': id,
    'webhook-timestamp': `${toSeconds(sentAt)}`,
  }
}

function toSeconds(sentAt: string): number {
  return Math.floor(Date.parse(sentAt) / 1_000)
}

/** Signs a message and posts it (Standard Webhooks, "Webhook headers"). `sentAt` is the time now, RFC 3339 UTC. */
export function postMessage(
  poster: Poster,
  target: { url: string; secrets: readonly string[] },
  { id, message, sentAt, signal }: { id: string; message: WebhookMessage; sentAt: string; signal?: AbortSignal },
): Promise<PostResult> {
  const body = JSON.stringify(message)
  const signature = signMessage(target.secrets, id, toSeconds(sentAt), body)
  return poster.post(target.url, { ...buildHeaders(id, sentAt), 'webhook-signature': signature }, body, signal)
}

/**
 * Signs a message as Standard Webhooks specifies: HMAC-SHA256 over id, timestamp (seconds) and body, once for each
 * secret (`whsec_` and base64). Returns the value of `webhook-signature`.
 */
export function signMessage(secrets: readonly string[], id: string, timestamp: number, body: string): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(WEBHOOK_SECRET_PREFIX.length), 'base64')
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
    })
    .join(' ')
}
