import t from 'tap'
import { hashPassword, verifyPassword } from '../../src/accounts/users/password.ts'

await t.test('a hash verifies its own password and no other', async (t) => {
  const stored = await hashPassword('correct horse battery')
  t.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  t.equal(await verifyPassword('correct horse battery', stored), true)
  for (const other of ['', 'Correct horse battery', 'correct horse battery ', stored]) {
    t.equal(await verifyPassword(other, stored), false)
  }
})

await t.test('two hashes of one password differ', async (t) => {
  t.not(await hashPassword('correct horse battery'), await hashPassword('correct horse battery'))
})

await t.test('composed and decomposed characters make the same password', async (t) => {
  t.equal(await verifyPassword('ångström is long', await hashPassword('a\u030angstro\u0308m is long')), true)
})

await t.test('a hash is verified with its own parameters', async (t) => {
  const weak = (await hashPassword('a long enough password')).replace('m=19456,t=2,p=1', 'm=64,t=3,p=2')
  t.equal(await verifyPassword('a long enough password', weak), false, 'other parameters give another tag')
})

await t.test('a malformed hash is a fault, not a wrong password', async (t) => {
  for (const stored of [
    '',
    'secret',
    '$argon2i$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$dGFn',
    '$argon2id$v=19$m=1e9,t=2,p=1$c2FsdA$dGFn',
  ]) {
    await t.rejects(verifyPassword('x', stored), /unknown form/)
  }
})
