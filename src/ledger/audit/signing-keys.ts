import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { errorReason, StartupError } from '#postgres/startup-error'
import { createDurably, readIfExists, writeDurably } from '#files/durable-file'
import { encodePublicKey, parsePublicKey, type NoteSigner } from './signed-note.ts'

/*
 * The key that signs checkpoints, and the retired keys. Keys come from a file or the environment and are never stored
 * in the database, so that someone who can rewrite the ledger cannot sign the result.
 */

/** A key that cannot be used. The message is for the operator. */
export class SigningKeyError extends StartupError {
  override name = 'SigningKeyError'
}

export interface SigningKeys {
  /** Null if there is no key; nothing is signed then. */
  current: NoteSigner | null
  /** The public keys that signed earlier checkpoints, 32 bytes each. */
  retired: Buffer[]
}

/** Where the key is: in `pem` itself or else in the file. The retired keys are stored beside the file. */
interface KeyPlace {
  pem?: string | undefined
  file: string
  /** What to do if the file does not exist: create a key, refuse to start, or run without signing. */
  missing: 'make' | 'refuse' | 'unsigned'
}

/** Reads or creates the signing key, and reads the retired ones. Throws SigningKeyError. */
export async function openSigningKeys({ pem, file, missing }: KeyPlace): Promise<SigningKeys> {
  const retired = await readRetired(file)
  // Environment files often cannot hold line feeds.
  if (pem !== undefined) return { current: signerOf(pem.replaceAll('\\n', '\n'), 'SIGNING_KEY'), retired }
  const key = await readKeyFile(file)
  if (key !== null) return { current: signerOf(key, file), retired }
  if (missing === 'refuse') throw new SigningKeyError(`the signing key ${file} does not exist`)
  return { current: missing === 'make' ? await makeKey(file) : null, retired }
}

/** Replaces the key in the file with a new one and retires the old one. Returns the new keys. */
export async function rotateSigningKey(file: string): Promise<SigningKeys & { current: NoteSigner }> {
  const { current: old, retired } = await openSigningKeys({ file, missing: 'refuse' })
  const pem = generatePem()
  // Retire the old key first, so that there is never a note whose key is not published.
  const keys = [...retired.filter((key) => !key.equals(old!.publicKey)), old!.publicKey]
  await writeDurably(retiredFile(file), keys.map((key) => `${encodePublicKey(key)}\n`).join(''))
  await writeDurably(file, pem)
  return { current: signerOf(pem, file), retired: keys }
}

/** Creates the key. If several processes do this at once, all use the key of the first one. */
async function makeKey(file: string): Promise<NoteSigner> {
  await createDurably(file, generatePem()).catch((error: unknown) => {
    throw new SigningKeyError(`the signing key ${file} cannot be made: ${errorReason(error)}`, { cause: error })
  })
  return signerOf((await readKeyFile(file)) ?? '', file)
}

function generatePem() {
  return generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }) as string
}

function signerOf(pem: string, place: string): NoteSigner {
  let key: KeyObject
  try {
    key = createPrivateKey(pem)
  } catch (error) {
    throw new SigningKeyError(`${place} does not contain a private key in PEM (PKCS#8)`, { cause: error })
  }
  if (key.asymmetricKeyType !== 'ed25519')
    throw new SigningKeyError(`${place} contains a key that is not an Ed25519 key`)
  return signerWith(key)
}

function signerWith(key: KeyObject): NoteSigner {
  const { x } = createPublicKey(key).export({ format: 'jwk' })
  return { publicKey: Buffer.from(x!, 'base64url'), sign: (bytes) => sign(null, bytes, key) }
}

async function readRetired(file: string): Promise<Buffer[]> {
  const text = await readKeyFile(retiredFile(file))
  const lines = (text ?? '').split('\n').filter((line) => line !== '')
  return lines.map((line, at) => {
    const key = parsePublicKey(line)
    if (!key) throw new SigningKeyError(`line ${at + 1} of ${retiredFile(file)} is not a valid public key`)
    return key
  })
}

function retiredFile(file: string) {
  return `${file}.retired`
}

async function readKeyFile(file: string) {
  return readIfExists(file).catch((error: unknown) => {
    throw new SigningKeyError(`${file} cannot be read: ${errorReason(error)}`, { cause: error })
  })
}
