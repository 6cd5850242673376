import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import {
  addSecretKey,
  dropOlderSecretKeys,
  readSecretKeys,
  SecretKeyError,
} from '../../../src/accounts/secrets/secret-box.ts'

const fileIn = (t: Test) => path.join(t.testdir(), 'secrets-key')
const makeKey = () => randomBytes(32)
const encode = (...keys: Buffer[]) => keys.map((key) => key.toString('base64')).join('\n')
const messageOf = (task: Promise<unknown>): Promise<string> =>
  task.then(
    () => 'no error',
    (error: unknown) => (error instanceof SecretKeyError ? error.message : `another error: ${String(error)}`),
  )

await t.test('a new key has 32 bytes, only its owner can read it, and it is found again', async (t) => {
  const file = fileIn(t)
  const made = await readSecretKeys({ file, missing: 'make' })
  t.strictSame(
    made.map((key) => key.length),
    [32],
  )
  t.equal(statSync(file).mode & 0o777, 0o600)
  t.strictSame(await readSecretKeys({ file, missing: 'refuse' }), made)
  t.strictSame(readdirSync(path.dirname(file)), ['secrets-key'], 'no other file is left')
})

await t.test('processes that make the key at once all get the same one', async (t) => {
  const file = fileIn(t)
  const script = `
    const { readSecretKeys } = await import('./src/accounts/secrets/secret-box.ts')
    const [key] = await readSecretKeys({ file: ${JSON.stringify(file)}, missing: 'make' })
    process.stdout.write(key.toString('base64'))`
  const run = promisify(execFile)
  const all = await Promise.all(
    Array.from({ length: 3 }, () => run(process.execPath, ['--input-type=module', '--eval', script])),
  )
  t.strictSame(new Set(all.map(({ stdout }) => stdout)), new Set([readFileSync(file, 'utf8').trim()]))
})

await t.test('a missing file means no key, or an error that names it', async (t) => {
  const file = fileIn(t)
  t.strictSame(await readSecretKeys({ file, missing: 'none' }), [])
  const message = `the file of the secrets key, ${file}, does not exist`
  t.equal(await messageOf(readSecretKeys({ file, missing: 'refuse' })), message)
  t.equal(await messageOf(addSecretKey(file)), message)
  t.notOk(existsSync(file))
})

await t.test('keys are read from lines or from the setting, in order; the setting takes precedence', async (t) => {
  const file = fileIn(t)
  const [first, second] = [makeKey(), makeKey()]
  writeFileSync(file, `\n${encode(first, second).replace('\n', '\r\n')}\r\n`)
  t.strictSame(await readSecretKeys({ file, missing: 'none' }), [first, second])
  const text = `${encode(second).replaceAll('=', '')}, ${encode(first)}`
  t.strictSame(await readSecretKeys({ text, file, missing: 'none' }), [second, first])
})

await t.test('an error names the place of a bad key, and does not repeat it', async (t) => {
  const file = fileIn(t)
  const good = encode(makeKey())
  const bad = ['secret', encode(randomBytes(31)), encode(randomBytes(33)), `${good.slice(0, 42)}!=`, '-'.repeat(43)]
  for (const text of bad) {
    writeFileSync(file, `${good}\n${text}\n`)
    const message = `key 2 of ${file} is not 32 bytes in base64`
    t.equal(await messageOf(readSecretKeys({ file, missing: 'make' })), message)
    t.equal(await messageOf(addSecretKey(file)), message)
    t.equal(
      await messageOf(readSecretKeys({ text, file, missing: 'make' })),
      'key 1 of SECRETS_KEY is not 32 bytes in base64',
    )
  }
  writeFileSync(file, ' \n')
  t.equal(await messageOf(readSecretKeys({ file, missing: 'make' })), `${file} holds no key`)
  t.equal(await messageOf(readSecretKeys({ text: ',', file, missing: 'make' })), 'SECRETS_KEY holds no key')
  const folder = path.dirname(file)
  t.match(await messageOf(readSecretKeys({ file: folder, missing: 'make' })), `${folder} cannot be read`)
  const nowhere = path.join(folder, 'none', 'key')
  t.match(await messageOf(readSecretKeys({ file: nowhere, missing: 'make' })), `${nowhere} cannot be made`)
})

await t.test('a new key goes in front, and dropping keeps only the newest', async (t) => {
  const file = fileIn(t)
  const [first] = await readSecretKeys({ file, missing: 'make' })
  await addSecretKey(file)
  const [second, ...older] = await readSecretKeys({ file, missing: 'refuse' })
  t.strictSame(older, [first])
  t.notSame(second, first)
  t.equal(statSync(file).mode & 0o777, 0o600)
  await t.rejects(dropOlderSecretKeys(file, first!), /another command has added a key/)
  await dropOlderSecretKeys(file, second!)
  t.strictSame(await readSecretKeys({ file, missing: 'refuse' }), [second])
  t.equal(statSync(file).mode & 0o777, 0o600)
  t.strictSame(readdirSync(path.dirname(file)), ['secrets-key'])
})

await t.test('of two changes at once, none loses the key of the other', async (t) => {
  const file = fileIn(t)
  const [first] = await readSecretKeys({ file, missing: 'make' })
  const messages = await Promise.all(Array.from({ length: 4 }, () => messageOf(addSecretKey(file))))
  const refusal = `another command is changing ${file}; if none is running, delete ${file}.lock`
  const added = messages.filter((message) => message !== refusal)
  t.ok(added.length > 0)
  t.ok(added.every((message) => message === 'no error'))
  const keys = await readSecretKeys({ file, missing: 'refuse' })
  t.equal(keys.length, 1 + added.length)
  t.strictSame(keys.at(-1), first)
  writeFileSync(`${file}.lock`, '')
  t.equal(await messageOf(addSecretKey(file)), refusal, 'also after a command that was interrupted')
  t.strictSame(await readSecretKeys({ file, missing: 'refuse' }), keys)
})
