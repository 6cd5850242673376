import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

/*
 * Makes the password hashes of the gate cheap (hashing.ts): each takes 30 ms by intention, and most tests only need some
 * user. What the program asks for still decides the hash, and tests see it (counted-hashes.ts).
 */

const { argon2 } = crypto

crypto.argon2 = (algorithm, asked, done) => {
  const { memory, passes, parallelism } = asked
  const cheap = { memory: 8 * parallelism, passes: 1, associatedData: `${memory} ${passes}` }
  return argon2(algorithm, { ...asked, ...cheap }, done)
}
syncBuiltinESMExports()
