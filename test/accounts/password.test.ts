import { randomBytes } from 'node:crypto'
import t from 'tap'
import { hashPassword, makeHashSetting, verifyPassword } from '../../src/accounts/users/password.ts'

const [key, otherKey] = [randomBytes(32), randomBytes(32)]
const setting = makeHashSetting(key, 'ana@example.com')

await t.test('a hash verifies its own password and no other', async (t) => {
  const stored = await hashPassword('correct horse battery', setting)
  t.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  t.equal(await verifyPassword('correct horse battery', stored), true)
  for (const other of ['', 'Correct horse battery', 'correct horse battery ', stored]) {
    t.equal(await verifyPassword(other, stored), false)
  }
})

await t.test('an email has one salt in an installation, and another one than all others', async (t) => {
  t.equal(setting, makeHashSetting(key, 'ana@example.com'))
  t.not(setting, makeHashSetting(key, 'bo@example.com'))
  t.not(setting, makeHashSetting(otherKey, 'ana@example.com'))
})

await t.test('composed and decomposed characters make the same password', async (t) => {
  t.equal(await verifyPassword('ångström is long', await hashPassword('a\u030angstro\u0308m is long', setting)), true)
})

await t.test('a hash is verified with its own parameters', async (t) => {
  const weak = (await hashPassword('a long enough password', setting)).replace('m=19456,t=2,p=1', 'm=64,t=3,p=2')
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
