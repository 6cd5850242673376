import type { Argon2Parameters } from 'node:crypto'
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { createBudget } from '../../admission/budget.ts'

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

/** A password's Argon2id hash (RFC 9106) in the PHC string format. Throws UnavailableError if too many wait. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(SALT_BYTES)
  const tag = await argon2id({
    message: password.normalize('NFKC'),
    nonce,
    parallelism: LANES,
    tagLength: TAG_BYTES,
    memory: MEMORY_KIB,
    passes: PASSES,
  })
  return phcString(nonce, tag)
}

export interface NewPassword {
  password: string
  passwordHash: string
}

/** A random password with its hash. */
export async function generatePassword(): Promise<NewPassword> {
  const password = randomBytes(GENERATED_BYTES).toString('base64url')
  return { password, passwordHash: await hashPassword(password) }
}

function phcString(...salted: [nonce: Buffer, tag: Buffer]): string {
  const parts = salted.map((bytes) => bytes.toString('base64').replace(/=+$/, ''))
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${parts.join('$')}`
}

/** A hash that matches no password. Checking it takes as long as checking any other. */
export const NOBODYS_HASH = phcString(randomBytes(SALT_BYTES), randomBytes(TAG_BYTES))

const PHC = /^\$argon2id\$v=19\$m=([0-9]{1,7}),t=([0-9]{1,2}),p=([0-9]{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

/**
 * Whether a password matches a hash, which contains its own parameters. Compares in constant time. Throws
 * UnavailableError if too many wait.
 */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [, memory, passes, lanes, nonce, tag] = PHC.exec(stored) ?? []
  if (nonce === undefined || tag === undefined) throw new Error('a stored password hash has an unknown form')
  const expected = Buffer.from(tag, 'base64')
  const computed = await argon2id({
    message: password.normalize('NFKC'),
    nonce: Buffer.from(nonce, 'base64'),
    parallelism: Number(lanes),
    tagLength: expected.length,
    memory: Number(memory),
    passes: Number(passes),
  })
  return timingSafeEqual(computed, expected)
}

function argon2id(parameters: Argon2Parameters): Promise<Buffer> {
  return hashes.hold('', 1, undefined, () => promisify(argon2)('argon2id', parameters))
}
