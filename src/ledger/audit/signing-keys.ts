import type { KeyObject } from 'node:crypto'
import { createPrivateKey, createPublicKey, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { link, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncFolder, writeDurably } from './durable-file.ts'
import type { NoteSigner } from './signed-note.ts'
import { parsePublicKey } from './signed-note.ts'

/*
 * The key that signs checkpoints, and those that did before it. It is kept in a file or given by the environment, and
 * never in the database: whoever can rewrite the ledger cannot sign what they made of it.
 */

/** A key that cannot be used; the message is for the operator. */
export class SigningKeyError extends Error {
  override name = 'SigningKeyError'
}

export interface SigningKeys {
  /** Null when none was given: nothing is signed then. */
  current: NoteSigner | null
  /** The 32 bytes of public keys that signed earlier. */
  retired: Buffer[]
}

/** Where the key is: `pem` is the key itself; without it, it is in the file. The retired ones are beside that. */
export interface KeyPlace {
  pem?: string | undefined
  file: string
  /** What becomes of a file that does not exist: the key is made there, it is a fault, or there is no key. */
  missing: 'make' | 'refuse' | 'unsigned'
}

/** Finds or makes the signing key, and finds the retired ones beside its file. Throws SigningKeyError. */
export async function openSigningKeys({ pem, file, missing }: KeyPlace): Promise<SigningKeys> {
  const retired = await readRetired(file)
  // Files of settings often cannot hold line feeds.
  if (pem !== undefined) return { current: signerOf(pem.replaceAll('\\n', '\n'), 'SIGNING_KEY'), retired }
  const found = await readText(file)
  if (found !== null) return { current: signerOf(found, file), retired }
  if (missing === 'refuse') throw new SigningKeyError(`the signing key ${file} does not exist`)
  return { current: missing === 'make' ? await makeKey(file) : null, retired }
}

/** Puts a new key in the place of the one in the file, whose public key joins the retired ones. Returns the new one. */
export async function rotateSigningKey(file: string): Promise<SigningKeys & { current: NoteSigner }> {
  const { current: old, retired } = await openSigningKeys({ file, missing: 'refuse' })
  const beside = `${file}.new`
  const current = await writeKey(beside)
  // First of all, so that at no time there are notes by a key that nobody is told of.
  const keys = [...retired.filter((key) => !key.equals(old!.publicKey)), old!.publicKey]
  await writeDurably(retiredFile(file), keys.map((key) => `${encoded(key)}\n`).join(''))
  await rename(beside, file)
  return { current, retired: keys }
}

/** Whoever comes first makes the key that all use. */
async function makeKey(file: string): Promise<NoteSigner> {
  const beside = `${file}.${randomUUID()}`
  const signer = await writeKey(beside)
  try {
    await link(beside, file)
    await syncFolder(dirname(file))
    return signer
  } catch (error) {
    const theirs = await readText(file)
    if (theirs === null)
      throw new SigningKeyError(`the signing key ${file} cannot be made: ${reasonOf(error)}`, { cause: error })
    return signerOf(theirs, file)
  } finally {
    await rm(beside, { force: true })
  }
}

async function writeKey(file: string): Promise<NoteSigner> {
  const { privateKey } = generateKeyPairSync('ed25519')
  try {
    await writeDurably(file, privateKey.export({ format: 'pem', type: 'pkcs8' }) as string)
  } catch (error) {
    throw new SigningKeyError(`the signing key ${file} cannot be written: ${reasonOf(error)}`, { cause: error })
  }
  return signerWith(privateKey)
}

function signerOf(pem: string, place: string): NoteSigner {
  let key: KeyObject
  try {
    key = createPrivateKey(pem)
  } catch (error) {
    throw new SigningKeyError(`${place} holds no private key in PEM (PKCS#8)`, { cause: error })
  }
  if (key.asymmetricKeyType !== 'ed25519') throw new SigningKeyError(`${place} holds a key that is not of Ed25519`)
  return signerWith(key)
}

function signerWith(key: KeyObject): NoteSigner {
  const { x } = createPublicKey(key).export({ format: 'jwk' })
  return { publicKey: Buffer.from(x!, 'base64url'), sign: (bytes) => sign(null, bytes, key) }
}

async function readRetired(file: string): Promise<Buffer[]> {
  const text = await readText(retiredFile(file))
  const lines = (text ?? '').split('\n').filter((line) => line !== '')
  return lines.map((line, at) => {
    const key = parsePublicKey(line)
    if (!key) throw new SigningKeyError(`line ${at + 1} of ${retiredFile(file)} is not the public key of a signing key`)
    return key
  })
}

function retiredFile(file: string): string {
  return `${file}.retired`
}

/** As it stands in a verifier key: base64(0x01 ‖ public key). */
function encoded(publicKey: Buffer): string {
  return Buffer.concat([Buffer.of(1), publicKey]).toString('base64')
}

/** Null when there is no such file. */
async function readText(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new SigningKeyError(`${file} cannot be read: ${reasonOf(error)}`, { cause: error })
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
