import { generateKeyPairSync } from 'node:crypto'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { openSigningKeys, rotateSigningKey, SigningKeyError } from '../../../src/ledger/audit/signing-keys.ts'

const fileIn = (t: Test) => path.join(t.testdir(), 'signing-key.pem')

await t.test('a new key is readable only by its owner, and is found again', async (t) => {
  const file = fileIn(t)
  const made = await openSigningKeys({ file, missing: 'make' })
  t.equal(statSync(file).mode & 0o777, 0o600)
  const found = await openSigningKeys({ file, missing: 'refuse' })
  t.strictSame(found.current?.publicKey, made.current?.publicKey)
  t.strictSame(found.retired, [])
})

await t.test('processes that make the key at once all get the same one', async (t) => {
  const file = fileIn(t)
  const all = await Promise.all(Array.from({ length: 8 }, () => openSigningKeys({ file, missing: 'make' })))
  t.equal(new Set(all.map(({ current }) => current!.publicKey.toString('hex'))).size, 1)
})

await t.test('a missing file means no key, or an error that names it', async (t) => {
  const file = fileIn(t)
  t.equal((await openSigningKeys({ file, missing: 'unsigned' })).current, null)
  await t.rejects(openSigningKeys({ file, missing: 'refuse' }), { message: `the signing key ${file} does not exist` })
  t.notOk(existsSync(file))
})

await t.test('a setting can have the key, with real or escaped line feeds', async (t) => {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }) as string
  const file = fileIn(t)
  const keys = await Promise.all(
    [pem, pem.replaceAll('\n', '\\n')].map((text) => openSigningKeys({ pem: text, file, missing: 'refuse' })),
  )
  t.strictSame(keys[0]!.current!.publicKey, keys[1]!.current!.publicKey)
})

await t.test('anything but an Ed25519 key is refused, and the message does not repeat it', async (t) => {
  const file = fileIn(t)
  const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({
    format: 'pem',
    type: 'pkcs8',
  }) as string
  for (const text of ['', 'secret', rsa]) {
    writeFileSync(file, text)
    const error = await openSigningKeys({ file, missing: 'make' }).catch((fault: unknown) => fault)
    t.ok(error instanceof SigningKeyError, text.slice(0, 10))
    t.notMatch(String(error), /secret/)
  }
  await t.rejects(openSigningKeys({ file: path.dirname(file), missing: 'make' }), SigningKeyError)
})

await t.test('rotation replaces the key and keeps all earlier public keys', async (t) => {
  const file = fileIn(t)
  const { current: first } = await openSigningKeys({ file, missing: 'make' })
  const { current: second } = await rotateSigningKey(file)
  await rotateSigningKey(file)
  const { current: third, retired } = await openSigningKeys({ file, missing: 'refuse' })
  t.strictSame(retired, [first!.publicKey, second.publicKey])
  t.notOk(retired.some((key) => key.equals(third!.publicKey)))
  t.equal(statSync(file).mode & 0o777, 0o600)
  t.notMatch(readFileSync(`${file}.retired`, 'utf8'), /PRIVATE/)
})

await t.test('an error names a damaged line in the list of retired keys', async (t) => {
  const file = fileIn(t)
  await openSigningKeys({ file, missing: 'make' })
  writeFileSync(`${file}.retired`, 'nonsense\n')
  await t.rejects(openSigningKeys({ file, missing: 'make' }), {
    message: `line 1 of ${file}.retired is not a valid public key`,
  })
})
