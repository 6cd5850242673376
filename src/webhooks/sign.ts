import { createHmac } from 'node:crypto'

const SECRET_PREFIX = 'whsec_'

/**
 * Signs a message as Standard Webhooks specifies: HMAC-SHA-256 over `id.timestamp.body`. `timestamp` is in seconds.
 * Returns the header `webhook-signature`: a signature with each secret, separated by spaces.
 */
export function signMessage(secrets: string[], id: string, timestamp: number, body: string): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
    })
    .join(' ')
}
