import fc from 'fast-check'
import t from 'tap'
import { keepBody } from '../../src/domain/calls/rejected-body.ts'
import { keepRecord } from '../../src/domain/calls/refused-record.ts'
import { hideSecretsIn, isSecretName } from '../../src/domain/secret-members.ts'
import { emp, given, hired } from '../support/domain/given-when-then.ts'

/* Values of members whose names say that they are secrets are never stored, wherever they stand. */

const SECRET = 'hunter2 "Canary'
const CANARY = 'Canary'

const NAMES = {
  secret: [
    ...['password', 'Password', 'PASSWORD', 'userPassword', 'user_password', 'new-password', 'passwordHash', 'pwd'],
    ...['UserPwd', 'passwd', 'pass', 'passphrase', 'Passwort', 'Kennwort', 'contraseña', 'contrasen\u0303a'],
    ...['MotDePasse', 'hasło', 'lösenord', 'пароль', 'パスワード', '密码', 'client_secret', 'accessToken', 'tokens'],
    ...['API key', 'x-api-key', 'private_key', 'credentials'],
  ],
  other: [
    ...['first_name', 'passport_number', 'secretary', 'compass', 'bypass', 'keyboard', 'key', 'tokenized', 'tokyo'],
    ...['', '__proto__', 'constructor', 'x'.repeat(10_000), 'external_id'],
  ],
}

await t.test('names say whether their values are secrets, in any spelling', (t) => {
  for (const name of NAMES.secret) t.ok(isSecretName(name), name)
  for (const name of NAMES.other) t.notOk(isSecretName(name), name)
  t.end()
})

const name = fc.constantFrom(...NAMES.secret)
const secret = fc.oneof(
  fc.constantFrom<unknown>(SECRET, [SECRET], { a: SECRET }, `\\${SECRET}`, `${SECRET}\\`, `{${SECRET}`),
  fc.string({ unit: 'binary', maxLength: 5 }).map((text) => SECRET + text),
)
const holder = fc.oneof(
  fc.tuple(name, secret).map(([key, value]) => ({ email: 'a@example.com', [key]: value, last_name: 'Pérez' })),
  fc.tuple(name, secret).map(([path, value]) => ({ op: 'replace', path, value })),
  // JSON within JSON.
  fc.tuple(name, secret).map(([key, value]) => ({ sent: JSON.stringify({ [key]: value }) })),
)
const nested = fc
  .tuple(holder, fc.array(fc.constantFrom('list', 'object'), { maxLength: 4 }))
  .map(([value, around]) => around.reduce<unknown>((inner, kind) => (kind === 'list' ? [inner] : { inner }), value))

await t.test('a refused record is kept without secrets, at any depth, whole or cut', async (t) => {
  fc.assert(
    fc.property(nested, fc.constantFrom(0, 70_000), (value, padding) => {
      const kept = JSON.stringify(keepRecord({ value, padding: 'x '.repeat(padding) }))
      return !kept.includes(CANARY)
    }),
  )
  const sent = { email: 'none', custom_attributes: { Passwort: SECRET, grade: 7 }, keys: [1] }
  const { events } = given(hired(1)).updateOne(emp(1), sent)
  t.match(events[0], { data: { record: { email: 'none', custom_attributes: { Passwort: '…', grade: 7 } } } })
  t.equal(keepRecord(sent.keys).record, sent.keys, 'a record without secrets stays as it is')
})

/** Breaks a body at a place: cuts it, doubles or drops a character, or leaves out quotation marks. */
const broken = fc
  .tuple(holder, fc.nat(), fc.constantFrom('cut', 'double', 'drop', 'tail'))
  .map(([value, seed, how]) => {
    const text = JSON.stringify(value)
    const at = seed % (text.length + 1)
    const rest = { cut: '', double: text.slice(at - 1), drop: text.slice(at + 1), tail: text.slice(at) + ',' }
    return { text: text.slice(0, at) + rest[how], at: how === 'tail' ? text.length : at, isWhole: how === 'tail' }
  })

const keep = (text: string, errorAt: number | null) =>
  keepBody({ text, errorAt, bytes: 0, isFromStart: true, isToEnd: true, linesBefore: 0, columnsBefore: 0 }).text

await t.test(
  'a body that cannot be read is kept without secrets, whichever side of them the error is on',
  async (t) => {
    fc.assert(
      fc.property(broken, fc.boolean(), ({ text, at, isWhole }, isPlaced) => {
        const kept = keep(text, isPlaced ? at : null)
        // A break in the name of a member, or before it, may make it another name.
        return !isWhole || !kept.includes(CANARY)
      }),
    )
    for (const [sent, kept] of [
      ['{"email":"a@example.com","password":"Canary","x":1,}', '{"email":"a@example.com","password":…,"x":1,}'],
      ['{"password" : \'Canary\', x}', '{"password" : …, x}'],
      ['{password: Canary, x: 1}', '{password: …, x: 1}'],
      ['{"user":{"p\\u0061ssword":"Canary\nmore"},}', '{"user":{"p\\u0061ssword":…},}'],
      ['{"password":{"old":"Canary","new":["}"]},}', '{"password":…,}'],
      ['{"password":"Canary', '{"password":…'],
      ['"{\\"password\\":\\"Can\\\\\\"Canary\\",\\"x\\":1}', '"{\\"password\\":…,\\"x\\":1}'],
      ['email=a&password=Canary&x=1', 'email=a&password=…&x=1'],
      ['<user><password>Canary</password></user>', '<user><password>…</password></user>'],
      ['{"password_hint": 1, "secretary": "Ana",}', '{"password_hint": …, "secretary": "Ana",}'],
      ['{"secretary": "Ana",}', '{"secretary": "Ana",}'],
    ] as const) {
      t.equal(keep(sent, null), kept)
      for (let at = 0; at <= sent.length; at += 1) t.notMatch(keep(sent, at), CANARY)
    }
  },
)

await t.test('of a text with very many names of secrets, all that follows is hidden', async (t) => {
  const hidden = hideSecretsIn(`${'pw:1,'.repeat(5_000)}and the rest`)
  t.notMatch(hidden, /rest/)
  t.notMatch(hidden, /pw:1/)
})
