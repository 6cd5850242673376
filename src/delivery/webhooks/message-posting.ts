import { databaseTimeMs } from '../../postgres/database-clock.ts'
import { decryptSecret } from '../../accounts/webhooks/webhook-rows.ts'
import type { RecordedEvent } from '../../domain/events.ts'
import type { WebhookMessage } from '../../domain/webhooks/webhook-message.ts'
import type { SecretBox } from '../../secrets/secret-box.ts'
import type { Poster, PostResult } from './post.ts'
import { signMessage } from './sign.ts'

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

/** Signs a message and posts it (Standard Webhooks, "Webhook headers"). */
export function postMessage(
  poster: Poster,
  target: { url: string; secrets: readonly string[] },
  { id, message, signal }: { id: string; message: WebhookMessage; signal?: AbortSignal },
): Promise<PostResult> {
  const body = JSON.stringify(message)
  const timestamp = Math.floor(databaseTimeMs() / 1_000)
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'employee-ledger',
    'webhook-id': id,
    'webhook-timestamp': `${timestamp}`,
    'webhook-signature': signMessage(target.secrets, id, timestamp, body),
  }
  return poster.post(target.url, headers, body, signal)
}
