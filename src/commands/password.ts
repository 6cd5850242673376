import { argon2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'

// The parameters that OWASP's Password Storage Cheat Sheet recommends first for Argon2id: 19 MiB, 2 passes, 1 lane.
const MEMORY_KIB = 19_456
const PASSES = 2
const LANES = 1
const TAG_BYTES = 32
const SALT_BYTES = 16

/** A password's Argon2id hash (RFC 9106) in the PHC string format. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(SALT_BYTES)
  const tag = await promisify(argon2)('argon2id', {
    message: password.normalize('NFKC'),
    nonce,
    parallelism: LANES,
    tagLength: TAG_BYTES,
    memory: MEMORY_KIB,
    passes: PASSES,
  })
  const parts = [nonce, tag].map((bytes) => bytes.toString('base64').replace(/=+$/, ''))
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${parts.join('$')}`
}
