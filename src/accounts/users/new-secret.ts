import { hash, randomBytes } from 'node:crypto'
import { formatSecret } from '#domain/accounts/secrets'

const SECRET_BYTES = 32

/** Generates a secret: the prefix of its kind and 256 random bits. It is shown once and never stored. */
export function generateSecret(prefix: string) {
  return formatSecret(prefix, randomBytes(SECRET_BYTES))
}

/** What is stored of a secret: its SHA-256, and its last four characters, so that people recognize it. */
export interface SecretDigest {
  hash: Buffer
  lastFour: string
}

/** Makes what is stored of a secret. */
export function digestSecret(secret: string): SecretDigest {
  return { hash: hashSecret(secret), lastFour: secret.slice(-4) }
}

/** The SHA-256 of a secret, which is stored instead. A plain digest suffices: 256 random bits cannot be guessed. */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}
