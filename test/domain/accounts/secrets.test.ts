import assert from 'node:assert/strict'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import t from 'tap'
import { fromUuid, isId } from '../../../src/domain/ids.ts'
import {
  prefixOfSecret,
  companyOfSecret,
  findSecretIn,
  formatSecret,
  isSecret,
} from '../../../src/domain/accounts/secrets.ts'

const PREFIX = 'el_live_'
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const anyRandom = fc.uint8Array({ minLength: 32, maxLength: 32 })
const anyCompanyId = fc.uuid().map((uuid) => fromUuid('com', uuid))

await t.test('a secret is a prefix, 43 base62 characters and 6 of checksum', async (t) => {
  fc.assert(fc.property(anyRandom, (random) => assert.match(formatSecret(PREFIX, random), /^el_live_[0-9A-Za-z]{49}$/)))
  const [lowest, highest] = [new Uint8Array(32), new Uint8Array(32).fill(255)].map((random) =>
    formatSecret(PREFIX, random),
  )
  t.match(lowest, /^el_live_0{43}/, 'the lowest number keeps its leading zeros')
  t.equal(highest!.length, lowest!.length)
})

await t.test('the 43 characters encode all 256 random bits', async () => {
  fc.assert(
    fc.property(anyRandom, (random) => {
      const digits = formatSecret('', random).slice(0, 43)
      const number = [...digits].reduce((sum, digit) => sum * 62n + BigInt(BASE62.indexOf(digit)), 0n)
      assert.equal(number, BigInt(`0x${Buffer.from(random).toString('hex')}`))
    }),
  )
})

await t.test('a secret is accepted only with its own prefix', async () => {
  fc.assert(
    fc.property(anyRandom, (random) => {
      const secret = formatSecret(PREFIX, random)
      assert.equal(isSecret(PREFIX, secret), true)
      assert.equal(isSecret('el_test_', secret), false)
      assert.equal(isSecret('', secret), false)
    }),
  )
})

await t.test('changing, dropping or adding any one character is detected', async () => {
  const character = fc.oneof(fc.stringMatching(/^[0-9A-Za-z]$/), fc.constantFrom('-', '_', ' ', 'é', '\n', '\0'))
  fc.assert(
    fc.property(anyRandom, fc.nat({ max: 56 }), character, (random, at, other) => {
      const secret = formatSecret(PREFIX, random)
      const [before, after] = [secret.slice(0, at), secret.slice(at + 1)]
      if (secret[at] !== other) assert.equal(isSecret(PREFIX, before + other + after), false)
      assert.equal(isSecret(PREFIX, before + after), false)
      assert.equal(isSecret(PREFIX, before + other + secret[at] + after), false)
    }),
    { numRuns: 2000 },
  )
})

await t.test('swapping two neighbors is detected', async () => {
  fc.assert(
    fc.property(anyRandom, fc.integer({ min: 8, max: 55 }), (random, at) => {
      const secret = formatSecret(PREFIX, random)
      const swapped = secret.slice(0, at) + secret[at + 1] + secret[at] + secret.slice(at + 2)
      assert.equal(isSecret(PREFIX, swapped), swapped === secret)
    }),
    { numRuns: 1000 },
  )
})

await t.test('other characters are refused even with a matching checksum', async (t) => {
  const checksum = (body: string) => {
    let [text, rest] = ['', crc32(body)]
    for (; rest > 0; rest = Math.floor(rest / 62)) text = BASE62.charAt(rest % 62) + text
    return text.padStart(6, '0')
  }
  const signed = (body: string) => PREFIX + body + checksum(body)
  t.equal(isSecret(PREFIX, signed('a'.repeat(43))), true)
  for (const other of ['-', '_', ' ', 'é', '\n', '\0']) {
    t.equal(isSecret(PREFIX, signed('a'.repeat(42) + other)), false, JSON.stringify(other))
    t.equal(isSecret(PREFIX, signed(other + 'a'.repeat(42))), false, JSON.stringify(other))
  }
})

await t.test('a user token names its company', async () => {
  fc.assert(
    fc.property(anyCompanyId, anyRandom, (companyId, random) => {
      const token = formatSecret(prefixOfSecret('token', companyId), random)
      assert.equal(companyOfSecret('token', token), companyId)
      assert.equal(companyOfSecret('token', `${token}x`), null)
      assert.equal(companyOfSecret('token', token.slice(0, -1)), null)
      assert.equal(companyOfSecret('token', token.toUpperCase()), null)
    }),
  )
})

await t.test('a token with the right checksum but an impossible company is refused', async (t) => {
  for (const suffix of [
    'zzzzzzzzzzzzzzzzzzzzzzzzzz',
    '8zzzzzzzzzzzzzzzzzzzzzzzzz',
    'iiiiiiiiiiiiiiiiiiiiiiiiii',
    '0000000000000000000000000u',
  ]) {
    t.equal(companyOfSecret('token', formatSecret(`el_user_${suffix}_`, new Uint8Array(32))), null)
  }
  fc.assert(
    fc.property(fc.stringMatching(/^[0-9a-z]{26}$/), anyRandom, (suffix, random) => {
      const companyId = companyOfSecret('token', formatSecret(`el_user_${suffix}_`, random))
      assert.ok(companyId === null || isId('com', companyId))
    }),
  )
})

await t.test('an API key is not a user token', async (t) => {
  t.equal(companyOfSecret('token', formatSecret(PREFIX, new Uint8Array(32))), null)
  t.equal(companyOfSecret('token', ''), null)
})

await t.test('a one-time token names its company, and does not open the endpoints', async () => {
  fc.assert(
    fc.property(anyCompanyId, anyRandom, (companyId, random) => {
      const link = formatSecret(prefixOfSecret('link', companyId), random)
      assert.equal(companyOfSecret('link', link), companyId)
      assert.equal(companyOfSecret('token', link), null)
      assert.equal(companyOfSecret('link', formatSecret(prefixOfSecret('token', companyId), random)), null)
    }),
  )
})

await t.test('a secret is found in a text, also one that was cut off', async (t) => {
  const random = new Uint8Array(32).fill(7)
  const companyId = fromUuid('com', '01890a5d-ac96-774b-bcce-b302099a8057')
  for (const prefix of [prefixOfSecret('key', companyId), prefixOfSecret('token', companyId)]) {
    const secret = formatSecret(prefix, random)
    for (const text of [secret, ` ${secret}\n`, `curl -H 'x-api-key: ${secret}' -v`, `"${secret}",`])
      t.equal(findSecretIn(text), secret)
    t.equal(findSecretIn(`x ${secret.slice(0, -9)}`), secret.slice(0, -9))
  }
  for (const text of ['', 'Nightly sync', 'x7Qd', 'key_01h455vb4pex5vsknk084sn02q']) t.equal(findSecretIn(text), null)
})
