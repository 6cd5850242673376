import { argon2, randomBytes, timingSafeEqual, type Argon2Parameters, createHmac } from 'node:crypto'
import { promisify } from 'node:util'
import { createBudget } from '#admission/budget'
import type { Pool } from 'pg'
import { outsideCompany } from '#postgres/company-scope'

// The first choice of OWASP's Password Storage Cheat Sheet for Argon2id: 19 MiB, 2 passes, 1 lane.
const MEMORY_KIB = 19_456
const PASSES = 2
const LANES = 1
const TAG_BYTES = 32
const SALT_BYTES = 16
const GENERATED_BYTES = 15

// Each hash takes 19 MiB and a libuv thread, which DNS and files need too. So run two at once, with a bounded queue: all
// have the same holder, of which a quarter of `maxWaiting` may wait.
const hashes = createBudget({ total: 2, share: 2, maxWaiting: 200, maxWaitMs: 60_000 })

/** The parameters of a password hash and its salt: the hash in the PHC string format, without its last part. */
export type HashSetting = string

const SETTING = `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$`

/**
 * The setting of all new password hashes of an email address, in whichever company. The salt depends on the address, so
 * one hash of what someone types can be compared with the passwords of all of their users. It depends on the secret of
 * the installation, so nobody can compute hashes before they have the database.
 */
export function makeHashSetting(key: Buffer, email: string): HashSetting {
  return SETTING + toBase64(signWithKey(key, 'salt of an email', email).subarray(0, SALT_BYTES))
}

/** The setting with which a hash was made. */
export function settingOf(stored: string): HashSetting {
  return stored.slice(0, stored.lastIndexOf('$'))
}

/**
 * A password's Argon2id hash (RFC 9106) in the PHC string format. Throws UnavailableError if too many wait.
 */
export async function hashPassword(password: string, setting: HashSetting): Promise<string> {
  const [, memory, passes, lanes, salt] = PHC_SETTING.exec(setting) ?? []
  if (salt === undefined) throw new Error('a stored password hash has an unknown form')
  const parameters: Argon2Parameters = {
    message: password.normalize('NFKC'),
    nonce: Buffer.from(salt, 'base64'),
    parallelism: Number(lanes),
    tagLength: TAG_BYTES,
    memory: Number(memory),
    passes: Number(passes),
  }
  const tag = await hashes.hold('', 1, undefined, () => promisify(argon2)('argon2id', parameters))
  return `${setting}$${toBase64(tag)}`
}

const PHC_SETTING = /^\$argon2id\$v=19\$m=([0-9]{1,7}),t=([0-9]{1,2}),p=([0-9]{1,2})\$([A-Za-z0-9+/]+)$/

function toBase64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}

/** Generates a random password of 120 bits. */
export function generatePassword(): string {
  return randomBytes(GENERATED_BYTES).toString('base64url')
}

/**
 * Whether a password matches a hash, which contains its own parameters. Compares in constant time. Throws
 * UnavailableError if too many wait.
 */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const computed = Buffer.from(await hashPassword(password, settingOf(stored)))
  const expected = Buffer.from(stored)
  return computed.length === expected.length && timingSafeEqual(computed, expected)
}

const keys = new WeakMap<Pool, Promise<Buffer>>()

/**
 * Reads the installation's secret for signing in, which never changes. Asks the database once for each pool.
 */
export function readSignInKey(pool: Pool): Promise<Buffer> {
  const known = keys.get(pool)
  if (known) return known
  const reading = outsideCompany(() => selectKey(pool))
  keys.set(pool, reading)
  reading.catch(() => keys.delete(pool))
  return reading
}

async function selectKey(pool: Pool): Promise<Buffer> {
  const { rows } = await pool.query<{ sign_in_key: Buffer }>('select sign_in_key from setup')
  const [row] = rows
  if (!row) throw new Error('the database is not set up')
  return row.sign_in_key
}

/** HMAC-SHA-256 with the installation's secret. `purpose` keeps the values of different uses apart. */
export function signWithKey(key: Buffer, purpose: string, value: string): Buffer {
  return createHmac('sha256', key).update(`${purpose}\n${value}`).digest()
}
