import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { createDurably, readIfExists, writeDurably } from '#files/durable-file'
import { errorReason, StartupError } from '#postgres/startup-error'

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

function isUnder(key: Buffer, sealed: Buffer) {
  return sealed.length >= HEADER_BYTES + TAG_BYTES && sealed.subarray(0, KEY_ID_BYTES).equals(idOf(key))
}

/** Keys that cannot be used. The message is for the operator. */
export class SecretKeyError extends StartupError {
  override name = 'SecretKeyError'
}

/** Where the keys are: in `text` itself or else in the file. Each is 32 bytes in base64; the newest comes first. */
interface SecretKeyPlace {
  /** Keys separated by commas. */
  text?: string | undefined
  /** A key on each line. */
  file: string
  /** What to do if the file does not exist: create a key, refuse to start, or run without. */
  missing: 'make' | 'refuse' | 'none'
}

/** Reads or creates the keys that encrypt stored secrets; none if there are none. Throws SecretKeyError. */
export async function readSecretKeys({ text, file, missing }: SecretKeyPlace): Promise<Buffer[]> {
  if (text !== undefined) return parseKeys(text, 'SECRETS_KEY')
  const keyFile = await readKeyFile(file)
  if (keyFile !== null) return parseKeys(keyFile, file)
  if (missing === 'refuse') throw new SecretKeyError(`the file of the secrets key, ${file}, does not exist`)
  if (missing === 'none') return []
  await createDurably(file, `${newKey()}\n`).catch((error: unknown) => {
    throw new SecretKeyError(`the secrets key ${file} cannot be made: ${errorReason(error)}`, { cause: error })
  })
  return parseKeys((await readKeyFile(file)) ?? '', file)
}

/** Puts a new key in front of those in the file. Stored secrets stay readable. Throws SecretKeyError. */
export async function addSecretKey(file: string): Promise<void> {
  await changeKeyFile(file, (keys) => [newKey(), ...keys])
}

/**
 * Removes all keys from the file but the first, which must be `newest`. Secrets under the others become unreadable.
 * Throws SecretKeyError.
 */
export async function dropOlderSecretKeys(file: string, newest: Buffer): Promise<void> {
  await changeKeyFile(file, ([first]) => {
    if (first !== encodeKey(newest)) throw new SecretKeyError(`another command has added a key to ${file}; try again`)
    return [first]
  })
}

/** Changes the keys in the file, one process at a time, so that no process writes over a key that another has added. */
async function changeKeyFile(file: string, change: (keys: string[]) => string[]) {
  const lock = `${file}.lock`
  const explain = (error: unknown): never => {
    if (error instanceof SecretKeyError) throw error
    throw new SecretKeyError(`${file} cannot be changed: ${errorReason(error)}`, { cause: error })
  }
  if (!(await createDurably(lock, '').catch(explain)))
    throw new SecretKeyError(`another command is changing ${file}; if none is running, delete ${lock}`)
  try {
    const text = await readKeyFile(file)
    if (text === null) throw new SecretKeyError(`the file of the secrets key, ${file}, does not exist`)
    const keys = parseKeys(text, file).map(encodeKey)
    await writeDurably(
      file,
      change(keys)
        .map((key) => `${key}\n`)
        .join(''),
    )
  } catch (error) {
    explain(error)
  } finally {
    await rm(lock, { force: true })
  }
}

function newKey() {
  return encodeKey(randomBytes(KEY_BYTES))
}

function encodeKey(key: Buffer) {
  return key.toString('base64')
}

function parseKeys(text: string, place: string): Buffer[] {
  const keys = text
    .split(/[,\s]+/)
    .filter((part) => part !== '')
    .map((part, at) => {
      const key = Buffer.from(part, 'base64')
      if (key.length !== KEY_BYTES || encodeKey(key).replace(/=+$/, '') !== part.replace(/=+$/, ''))
        throw new SecretKeyError(`key ${at + 1} of ${place} is not 32 bytes in base64`)
      return key
    })
  if (keys.length === 0) throw new SecretKeyError(`${place} holds no key`)
  return keys
}

async function readKeyFile(file: string) {
  return readIfExists(file).catch((error: unknown) => {
    throw new SecretKeyError(`${file} cannot be read: ${errorReason(error)}`, { cause: error })
  })
}
