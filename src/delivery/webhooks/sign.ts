import { createHmac } from 'node:crypto'
import { WEBHOOK_SECRET_PREFIX } from '../../domain/webhook-types.ts'

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
