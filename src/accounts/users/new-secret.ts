import { hash, randomBytes } from 'node:crypto'
import { formatSecret } from '../../domain/accounts/secrets.ts'

const SECRET_BYTES = 32

/** A secret of 256 random bits behind the prefix of its kind: shown once, and kept nowhere. */
export function newSecret(prefix: string): string {
  return formatSecret(prefix, randomBytes(SECRET_BYTES))
}

/** What is kept of a secret, its SHA-256: with 256 random bits in it, a plain digest cannot be turned back. */
export function hashOf(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}
