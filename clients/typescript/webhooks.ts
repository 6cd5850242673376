import type { webhooks } from './api-types.ts'
import { Webhook, WebhookVerificationError as Mismatch } from 'standardwebhooks'
import type { Headers } from './web-types.ts'

/** The types of messages. A later version of the service may send more: ignore those that you do not know. */
export type WebhookType = keyof webhooks

/** A message of one of these types, as the service's OpenAPI document describes it. */
export type WebhookMessage<Type extends WebhookType = WebhookType> = {
  [Each in Type]: NonNullable<webhooks[Each]['post']['requestBody']>['content']['application/json']
}[Type]

/** The headers of a request: of `fetch`, or of Node's `http`. */
type ReceivedHeaders = Headers | Record<string, string | string[] | undefined>

/** The message was not signed with any of the secrets, is too old or too new, or is no message at all. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
}

const NAMES = ['webhook-id', 'webhook-timestamp', 'webhook-signature']

/**
 * Verifies a message and returns it. `payload` is the raw body, before any parsing. During a secret rotation, pass both
 * secrets. Throws WebhookVerificationError.
 */
export function verifyWebhook(
  payload: string | Uint8Array,
  headers: ReceivedHeaders,
  secrets: string | readonly string[],
): WebhookMessage {
  const text = typeof payload === 'string' ? payload : new TextDecoder().decode(payload)
  const verifiers = [secrets].flat().map((secret) => new Webhook(secret))
  if (verifiers.length === 0) throw new TypeError('verifyWebhook needs a secret')
  const signed = Object.fromEntries(NAMES.map((name) => [name, headerOf(headers, name)]))
  let reason: unknown
  for (const verifier of verifiers) {
    try {
      verifier.verify(text, signed, { jsonParse: false })
      return parsed(text)
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error
      reason = error
    }
  }
  const { message } = reason as Mismatch
  throw new WebhookVerificationError(message, { cause: reason })
}

function headerOf(headers: ReceivedHeaders, name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? ''
  const values = Object.entries(headers).filter(([key]) => key.toLowerCase() === name)
  return values.flatMap(([, value]) => value ?? []).join(' ')
}

function parsed(text: string): WebhookMessage {
  let message: { type?: unknown; timestamp?: unknown; data?: unknown } | null
  try {
    message = JSON.parse(text) as typeof message
  } catch (cause) {
    throw new WebhookVerificationError('The payload is not JSON', { cause })
  }
  const { type, timestamp, data } = message ?? {}
  if (typeof type !== 'string' || typeof timestamp !== 'string' || typeof data !== 'object' || data === null)
    throw new WebhookVerificationError('The payload is not a message')
  return message as WebhookMessage
}
