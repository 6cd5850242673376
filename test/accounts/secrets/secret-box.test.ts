import { randomBytes } from 'node:crypto'
import t from 'tap'
import { KEY_BYTES, createSecretBox, UnreadableSecretError } from '../../../src/accounts/secrets/secret-box.ts'

const PLACE = 'webhook secret of whk_1'
const SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'
const [older, newer] = [randomBytes(KEY_BYTES), randomBytes(KEY_BYTES)]

await t.test('a sealed secret opens in its place, and shows nothing of the secret', (t) => {
  const box = createSecretBox([older])
  for (const secret of [SECRET, '', 'ключ 🔑', 'x'.repeat(10_000)]) {
    const sealed = box.encrypt(secret, PLACE)
    t.equal(box.decrypt(sealed, PLACE), secret)
    t.notOk(secret !== '' && sealed.includes(secret))
    t.notSame(box.encrypt(secret, PLACE), sealed, 'the same secret is never sealed to the same bytes')
  }
  t.end()
})

await t.test('a sealed secret does not open in another place, so rows cannot be exchanged', (t) => {
  const box = createSecretBox([older])
  const sealed = box.encrypt(SECRET, PLACE)
  for (const place of ['', 'webhook secret of whk_2', `${PLACE} `])
    t.throws(() => box.decrypt(sealed, place), new UnreadableSecretError('a stored secret was changed or moved'))
  t.end()
})

await t.test('a change of any byte is noticed, and so is a missing one', (t) => {
  const box = createSecretBox([older])
  const sealed = box.encrypt(SECRET, PLACE)
  for (let at = 0; at < sealed.length; at += 1) {
    const changed = Buffer.from(sealed)
    changed[at]! ^= 1
    t.throws(() => box.decrypt(changed, PLACE), UnreadableSecretError, `byte ${at} changed`)
    t.throws(() => box.decrypt(sealed.subarray(0, at), PLACE), UnreadableSecretError, `only ${at} bytes`)
  }
  t.throws(() => box.decrypt(Buffer.concat([sealed, Buffer.alloc(1)]), PLACE), UnreadableSecretError, 'one byte more')
  t.end()
})

await t.test('a secret under an unknown key does not open, and the error does not reveal it', (t) => {
  const sealed = createSecretBox([older]).encrypt(SECRET, PLACE)
  const message = 'the key that encrypted a secret is not configured'
  t.throws(() => createSecretBox([newer]).decrypt(sealed, PLACE), new UnreadableSecretError(message))
  t.throws(() => createSecretBox([]).decrypt(sealed, PLACE), new UnreadableSecretError(message))
  t.end()
})

await t.test('of several keys, the first one encrypts and all of them decrypt', (t) => {
  const before = createSecretBox([older])
  const during = createSecretBox([newer, older])
  const after = createSecretBox([newer])
  const [early, late] = [before.encrypt(SECRET, PLACE), during.encrypt(SECRET, PLACE)]
  t.equal(during.decrypt(early, PLACE), SECRET)
  t.strictSame(
    [before, during, after].map((box) => box.isCurrent(early)),
    [true, false, false],
  )
  t.strictSame(
    [before, during, after].map((box) => box.isCurrent(late)),
    [false, true, true],
  )
  t.equal(after.decrypt(late, PLACE), SECRET)
  t.throws(() => before.decrypt(late, PLACE), UnreadableSecretError, 'a process that does not know the new key yet')
  t.end()
})

await t.test('without a key, nothing is sealed', (t) => {
  const box = createSecretBox([])
  t.equal(box.hasKey, false)
  t.throws(() => box.encrypt(SECRET, PLACE), new UnreadableSecretError('no key for secrets is configured'))
  t.end()
})
