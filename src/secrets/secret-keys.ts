import { randomBytes } from 'node:crypto'
import { createDurably, readIfExists, writeDurably } from '../files/durable-file.ts'
import { KEY_BYTES } from './secret-box.ts'

/** Keys that cannot be used. The message is for the operator. */
export class SecretKeyError extends Error {
  override name = 'SecretKeyError'
}

/** Where the keys are: in `text` itself or else in the file. Each is 32 bytes in base64; the newest comes first. */
export interface SecretKeyPlace {
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
  const found = await readKeyFile(file)
  if (found !== null) return parseKeys(found, file)
  if (missing === 'refuse') throw new SecretKeyError(`the file of the secrets key, ${file}, does not exist`)
  if (missing === 'none') return []
  await createDurably(file, `${newKey()}\n`).catch((error: unknown) => {
    throw new SecretKeyError(`the secrets key ${file} cannot be made: ${messageOf(error)}`, { cause: error })
  })
  return parseKeys((await readKeyFile(file)) ?? '', file)
}

/** Puts a new key in front of those in the file. Stored secrets stay readable. */
export async function addSecretKey(file: string): Promise<void> {
  const found = await readKeyFile(file)
  if (found === null) throw new SecretKeyError(`the file of the secrets key, ${file}, does not exist`)
  parseKeys(found, file)
  await writeDurably(file, `${newKey()}\n${found.trimStart()}`)
}

function newKey(): string {
  return randomBytes(KEY_BYTES).toString('base64')
}

function parseKeys(text: string, place: string): Buffer[] {
  const keys = text
    .split(/[,\s]+/)
    .filter((part) => part !== '')
    .map((part, at) => {
      const key = Buffer.from(part, 'base64')
      if (key.length !== KEY_BYTES || key.toString('base64').replace(/=+$/, '') !== part.replace(/=+$/, ''))
        throw new SecretKeyError(`key ${at + 1} of ${place} is not 32 bytes in base64`)
      return key
    })
  if (keys.length === 0) throw new SecretKeyError(`${place} holds no key`)
  return keys
}

async function readKeyFile(file: string): Promise<string | null> {
  return readIfExists(file).catch((error: unknown) => {
    throw new SecretKeyError(`${file} cannot be read: ${messageOf(error)}`, { cause: error })
  })
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
