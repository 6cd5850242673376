import { decryptSecret } from '#accounts/webhooks/change-webhook'
import type { RecordedEvent } from '#domain/events'
import type { WebhookMessage } from '#domain/webhooks/webhook-message'
import { PING_TYPE, WEBHOOK_SECRET_PREFIX } from '#domain/webhook-types'
import type { SecretBox } from '#accounts/secrets/secret-box'
import { createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { openOutgoing, type OutgoingOptions, readParts } from '#outgoing/connections'

/** Decrypts the sealed secrets of a webhook. Throws UnreadableSecretError. */
export function decryptSecrets(secrets: SecretBox, sealed: readonly Buffer[], webhookId: string) {
  return sealed.map((one) => decryptSecret(secrets, one, webhookId))
}

/**
 * The id of the message that tells an event. Every attempt has the same one. It names the time too, because a ledger that
 * was restored to an earlier state gives its positions to other events.
 */
export function messageIdOf(webhookId: string, event: Pick<RecordedEvent, 'position' | 'recorded_at'>) {
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

function toSeconds(sentAt: string) {
  return Math.floor(Date.parse(sentAt) / 1_000)
}

/** Signs a message and posts it (Standard Webhooks, "Webhook headers"). `sentAt` is the time now, RFC 3339 UTC. */
export function postMessage(
  poster: Poster,
  target: { url: string; secrets: readonly string[] },
  { id, message, sentAt, signal }: { id: string; message: WebhookMessage; sentAt: string; signal?: AbortSignal },
) {
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

/** Bytes of an answer that are read. */
const MAX_READ = 64 * 1024
/** Bytes of an answer that are kept. */
const MAX_KEPT = 1024

/** Characters of a redirect's target that are told. */
const MAX_TARGET = 200

/** What came of sending a message. */
interface PostResult {
  /** The status that the receiver answered; null if it did not answer. */
  httpStatus: number | null
  /** Why the message does not count as delivered, a sentence; null if it does. */
  error: string | null
  /** The start of the answer's body; null if there was none. */
  answer: string | null
  durationMs: number
  /** The value of `Retry-After`, if the receiver sent one. */
  retryAfter: string | null
}

export interface Poster {
  /**
   * Sends a body to a receiver and reads its answer; a long one is cut off. 2xx is success; a redirect is not followed.
   * Never rejects, except with the signal's reason if the signal aborts.
   */
  post(url: string, headers: Record<string, string>, body: string, signal?: AbortSignal): Promise<PostResult>
  /** Closes idle connections. */
  close(): void
}

/** Opens connections to receivers. */
export function openPoster(options: Omit<OutgoingOptions, 'peer'>): Poster {
  const outgoing = openOutgoing({ ...options, peer: 'The receiver' })
  return {
    async post(url, headers, body, signal) {
      const beganAt = performance.now()
      const result: PostResult = { httpStatus: null, error: null, answer: null, durationMs: 0, retryAfter: null }
      try {
        await outgoing.exchange(url, { method: 'POST', headers, body, signal }, async (response) => {
          result.httpStatus = response.statusCode ?? null
          result.retryAfter = response.headers['retry-after'] ?? null
          result.answer = await readStart(response)
          result.error = judgeStatus(response, url)
        })
      } catch (error) {
        signal?.throwIfAborted()
        result.error = (error as Error).message
      }
      return { ...result, durationMs: Math.round(performance.now() - beganAt) }
    },
    close: outgoing.close,
  }
}

async function readStart(response: IncomingMessage) {
  const kept: Buffer[] = []
  let read = 0
  for await (const chunk of readParts(response)) {
    if (read < MAX_KEPT) kept.push(chunk.subarray(0, MAX_KEPT - read))
    read += chunk.length
    // Only the status counts. Leaving the loop closes the connection.
    if (read > MAX_READ) break
  }
  // PostgreSQL stores no U+0000.
  return read === 0 ? null : new TextDecoder().decode(Buffer.concat(kept)).replaceAll('\0', '\uFFFD')
}

function judgeStatus({ statusCode: status = 0, headers: { location } }: IncomingMessage, url: string) {
  if (status >= 200 && status < 300) return null
  if (status < 300 || status >= 400) return `The receiver answered ${status}`
  const target = location === undefined ? null : URL.parse(location, url)
  // Only where it leads: the rest of an address may hold secrets.
  const where = target === null ? '' : `, to ${target.origin}${target.pathname}`.slice(0, MAX_TARGET)
  return `Redirects are not followed (${status}${where}): use the address of the receiver itself`
}

const SECOND = 1_000
const MAX_MS = 24 * 3_600 * SECOND

/**
 * How long a receiver asks to wait (`Retry-After`, RFC 9110, section 10.2.3), in milliseconds: at most a day, and 0 if it
 * asks for nothing that can be read.
 */
export function parseRetryAfter(value: string | null, nowMs: number) {
  if (value === null) return 0
  const requestedMs = /^\d+$/.test(value) ? Number(value) * SECOND : Date.parse(value) - nowMs
  return Number.isFinite(requestedMs) ? Math.min(Math.max(requestedMs, 0), MAX_MS) : 0
}
