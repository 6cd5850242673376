import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto'

/*
 * Encrypts secrets that the service has to read again, such as those that sign webhooks. The keys are not in the
 * database, so its rows and backups alone reveal nothing.
 */

const CIPHER = 'aes-256-gcm'
export const KEY_BYTES = 32
const KEY_ID_BYTES = 4
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEADER_BYTES = KEY_ID_BYTES + NONCE_BYTES

/** A stored secret cannot be decrypted: its key is missing, or it was changed or moved. */
export class UnreadableSecretError extends Error {
  override name = 'UnreadableSecretError'
}

export interface SecretBox {
  /** Whether there is a key. Without one, `encrypt` and `decrypt` throw UnreadableSecretError. */
  readonly hasKey: boolean
  /**
   * Encrypts a text or bytes under the first key (AES-256-GCM). `place` names the row that will hold it; the result can
   * only be decrypted with the same place. Returns key id ‖ nonce ‖ ciphertext ‖ tag.
   */
  encrypt(secret: string | Uint8Array, place: string): Buffer
  /** Decrypts a text. Throws UnreadableSecretError. */
  decrypt(sealed: Buffer, place: string): string
  /** Decrypts bytes. Throws UnreadableSecretError. */
  decryptBytes(sealed: Buffer, place: string): Buffer
  /** Whether a secret is encrypted under the first key, so that the others are not needed for it. */
  isCurrent(sealed: Buffer): boolean
}

/** Creates a box with keys of 32 bytes each: the first one encrypts, and all of them decrypt. */
export function createSecretBox(keys: readonly Buffer[]): SecretBox {
  const [first] = keys
  function decryptBytes(sealed: Buffer, place: string): Buffer {
    const key = keys.find((candidate) => isUnder(candidate, sealed))
    if (!key) throw new UnreadableSecretError('the key that encrypted a secret is not configured')
    const nonce = sealed.subarray(KEY_ID_BYTES, HEADER_BYTES)
    const text = sealed.subarray(HEADER_BYTES, -TAG_BYTES)
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(place))
    try {
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
      return Buffer.concat([decipher.update(text), decipher.final()])
    } catch (error) {
      throw new UnreadableSecretError('a stored secret was changed or moved', { cause: error })
    }
  }
  return {
    hasKey: first !== undefined,
    encrypt(secret, place) {
      if (!first) throw new UnreadableSecretError('no key for secrets is configured')
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, first, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(place))
      const text = Buffer.concat([cipher.update(Buffer.from(secret as string)), cipher.final()])
      return Buffer.concat([idOf(first), nonce, text, cipher.getAuthTag()])
    },
    decrypt: (sealed, place) => decryptBytes(sealed, place).toString('utf8'),
    decryptBytes,
    isCurrent: (sealed) => first !== undefined && isUnder(first, sealed),
  }
}

/** Names a key without revealing it. */
function idOf(key: Buffer): Buffer {
  return hash('sha256', key, 'buffer').subarray(0, KEY_ID_BYTES)
}

function isUnder(key: Buffer, sealed: Buffer): boolean {
  return sealed.length >= HEADER_BYTES + TAG_BYTES && sealed.subarray(0, KEY_ID_BYTES).equals(idOf(key))
}
