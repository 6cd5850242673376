import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { isQuick } from './quick.ts'

/*
 * Makes the password hashes of services cheap in the gate: each takes 30 ms by intention, and most tests only need some
 * user. What the program asks for still decides the hash, and tests see it (counted-hashes.ts). Services of the nightly
 * groups and test/accounts/password.test.ts hash as they are asked to.
 */

const { argon2 } = crypto

if (isQuick) {
  crypto.argon2 = (algorithm, asked, done) => {
    const { memory, passes, parallelism } = asked
    const cheap = { memory: 8 * parallelism, passes: 1, associatedData: `${memory} ${passes}` }
    return argon2(algorithm, { ...asked, ...cheap }, done)
  }
  syncBuiltinESMExports()
}
