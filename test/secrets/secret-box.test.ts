import { randomBytes } from 'node:crypto'
import t from 'tap'
import { KEY_BYTES, openSecretBox, UnreadableSecretError } from '../../src/secrets/secret-box.ts'

const PLACE = 'webhook secret of whk_1'
const SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'
const [older, newer] = [randomBytes(KEY_BYTES), randomBytes(KEY_BYTES)]

await t.test('a sealed secret opens in its place, and shows nothing of the secret', (t) => {
  const box = openSecretBox([older])
  for (const secret of [SECRET, '', 'ключ 🔑', 'x'.repeat(10_000)]) {
    const sealed = box.seal(secret, PLACE)
    t.equal(box.open(sealed, PLACE), secret)
    t.notOk(secret !== '' && sealed.includes(secret))
    t.notSame(box.seal(secret, PLACE), sealed, 'the same secret is never sealed to the same bytes')
  }
  t.end()
})

await t.test('a sealed secret does not open in another place, so rows cannot be exchanged', (t) => {
  const box = openSecretBox([older])
  const sealed = box.seal(SECRET, PLACE)
  for (const place of ['', 'webhook secret of whk_2', `${PLACE} `])
    t.throws(() => box.open(sealed, place), new UnreadableSecretError('a stored secret was changed or moved'))
  t.end()
})

await t.test('a change of any byte is noticed, and so is a missing one', (t) => {
  const box = openSecretBox([older])
  const sealed = box.seal(SECRET, PLACE)
  for (let at = 0; at < sealed.length; at += 1) {
    const changed = Buffer.from(sealed)
    changed[at]! ^= 1
    t.throws(() => box.open(changed, PLACE), UnreadableSecretError, `byte ${at} changed`)
    t.throws(() => box.open(sealed.subarray(0, at), PLACE), UnreadableSecretError, `only ${at} bytes`)
  }
  t.throws(() => box.open(Buffer.concat([sealed, Buffer.alloc(1)]), PLACE), UnreadableSecretError, 'one byte more')
  t.end()
})

await t.test('a secret under an unknown key does not open, and the error does not reveal it', (t) => {
  const sealed = openSecretBox([older]).seal(SECRET, PLACE)
  const message = 'the key that encrypted a secret is not configured'
  t.throws(() => openSecretBox([newer]).open(sealed, PLACE), new UnreadableSecretError(message))
  t.throws(() => openSecretBox([]).open(sealed, PLACE), new UnreadableSecretError(message))
  t.end()
})

await t.test('of several keys, the first one encrypts and all of them decrypt', (t) => {
  const before = openSecretBox([older])
  const during = openSecretBox([newer, older])
  const after = openSecretBox([newer])
  const [early, late] = [before.seal(SECRET, PLACE), during.seal(SECRET, PLACE)]
  t.equal(during.open(early, PLACE), SECRET)
  t.strictSame(
    [before, during, after].map((box) => box.isCurrent(early)),
    [true, false, false],
  )
  t.strictSame(
    [before, during, after].map((box) => box.isCurrent(late)),
    [false, true, true],
  )
  t.equal(after.open(late, PLACE), SECRET)
  t.throws(() => before.open(late, PLACE), UnreadableSecretError, 'a process that does not know the new key yet')
  t.end()
})

await t.test('without a key, nothing is sealed', (t) => {
  const box = openSecretBox([])
  t.equal(box.hasKey, false)
  t.throws(() => box.seal(SECRET, PLACE), new UnreadableSecretError('no key for secrets is configured'))
  t.end()
})
