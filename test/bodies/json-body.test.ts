import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { parseStrictly } from '../../src/domain/json.ts'
import { parseJsonBody, parseRecord } from '../../src/bodies/json-body.ts'
import { UnreadableBodyError } from '../../src/bodies/unreadable-body.ts'
import { anyJson } from '../support/domain/arbitraries.ts'

const parse = (text: string) => parseJsonBody(Buffer.from(text, 'utf8'))
const BOM = '\ufeff'

/** The code and detail of the refusal. Fails when the body is accepted or another error is thrown. */
function refusalOf(body: string | Buffer): { code: string; detail: string } {
  try {
    parseJsonBody(typeof body === 'string' ? Buffer.from(body, 'utf8') : body)
  } catch (error) {
    if (!(error instanceof UnreadableBodyError)) throw error
    assert.equal(error.problem.status, 400)
    return error.problem
  }
  throw new Error('the body was taken')
}

const escaped = (ascii: string) =>
  Buffer.from(ascii)
    .toString('hex')
    .replaceAll(/../g, String.raw`\u00$&`)
const nested = (depth: number, open: string, close: string, inside = '') =>
  open.repeat(depth) + inside + close.repeat(depth)

const MALFORMED: [what: string, body: string | Buffer][] = [
  ['empty', ''],
  ['white space', ' \r\n\t'],
  ['a byte order mark alone', BOM],
  ['a second byte order mark', `${BOM}${BOM}{}`],
  ['a second byte order mark before a number of many digits', `${BOM}${BOM}{"a":1234567890123456}`],
  ['cut off', '{"a":1'],
  ['two values', '{} {}'],
  ['an extra comma', '[1,]'],
  ['single quotes', "{'a':1}"],
  ['a comment', '{} // x'],
  ['NaN', '[NaN]'],
  ['a leading zero', '[01]'],
  ['a raw line feed in a text', '["a\nb"]'],
  ['a raw U+0000', '["\0"]'],
  ['an escape unknown to JSON', String.raw`["\x41"]`],
  ['half an escape', String.raw`["\u00"]`],
  ['33 levels of arrays', nested(33, '[', ']')],
  ['33 levels of objects', nested(33, '{"a":', '}', '1')],
  ['33 levels behind a text with brackets and quotes', `["]]]\\"[[",${nested(32, '[', ']')}]`],
  ['8 MiB of opening brackets', '['.repeat(8 * 1024 * 1024)],
  ['8 MiB of opening objects', '{"a":'.repeat((8 * 1024 * 1024) / 5)],
  ['8 MiB of closing brackets', ']'.repeat(8 * 1024 * 1024)],
  ['__proto__', '{"__proto__":{"a":1}}'],
  ['__proto__ that is not an object', '{"__proto__":1}'],
  ['__proto__ below', '{"employees":[{"custom_attributes":{"__proto__":null}}]}'],
  ['an escaped __proto__', String.raw`{"\u005f_proto__":{}}`],
  ['a fully escaped __proto__', `{"${escaped('__proto__')}" :1}`],
  ['a member twice', '{"a":1,"a":1}'],
  ['a member twice, once escaped', String.raw`{"email":"a","\u0065mail":"b"}`],
  ['a member twice in a record', '{"employees":[{"email":"a","custom_attributes":{"b":1}, "email" : "b"}]}'],
  ['an object twice, the last one empty', '{"a":{"b":1},"a":{}}'],
  ['the empty name twice', '{"":1,"":2}'],
  ['a name that looks like an index twice', '{"0":1,"0":2}'],
  ['a byte that is not in UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ['Latin-1', Buffer.from('{"a":"é"}', 'latin1')],
  ['a truncated sequence', Buffer.from([0x22, 0xe2, 0x82, 0x22])],
  ['an overlong slash', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
  ['an overlong quote of three bytes', Buffer.from([0x22, 0xe0, 0x80, 0xa2, 0x22])],
  ['an overlong U+0000', Buffer.from([0x22, 0xc0, 0x80, 0x22])],
  ['a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
  ['a code point beyond U+10FFFF', Buffer.from([0x22, 0xf4, 0x90, 0x80, 0x80, 0x22])],
  ['UTF-16', Buffer.from('{"a":1}', 'utf16le')],
]

for (const [what, body] of MALFORMED) {
  await t.test(`malformed: ${what}`, async (t) => {
    t.equal(refusalOf(body).code, 'malformed_json')
  })
}

const INVALID: [what: string, body: string, says: RegExp][] = [
  ['U+0000 in a text', String.raw`["\u0000"]`, /U\+0000/],
  ['U+0000 in a name', String.raw`{"a\u0000":1}`, /U\+0000/],
  ['U+0000 as the whole body', String.raw`"\u0000"`, /U\+0000/],
  ['a lone high surrogate', String.raw`["\ud800"]`, /surrogate/],
  ['a lone low surrogate', String.raw`["\uDC00x"]`, /surrogate/],
  ['surrogates the wrong way round', String.raw`["\udc00\ud800"]`, /surrogate/],
  ['a lone surrogate in a name', String.raw`[{"\ud800":1}]`, /surrogate/],
  ['a number above every double', '{"a":1e400}', /number/],
  ['a number below every double', '[-1e400]', /number/],
  ['a number above every double, in digits', `[${'9'.repeat(400)}]`, /number/],
  ['a number so small that it would become zero', '[1e-400]', /number/],
  ['the same, in digits', `[-0.${'0'.repeat(400)}1]`, /number/],
  ['the first whole number that a double rounds', '[9007199254740993]', /number/],
  ['the same below zero', '{"a":{"b":-9007199254740993}}', /number/],
  ['the same as the whole body', '9007199254740993', /number/],
  ['twenty digits', '[12345678901234567890]', /number/],
  ['256,001 values', `[${'0,'.repeat(255_999)}0,0]`, /more than 256000 values/],
  ['containers beyond that number', `[${'{},'.repeat(128_000)}{}]`, /more than 256000 values/],
]

for (const [what, body, says] of INVALID) {
  await t.test(`invalid: ${what}`, async (t) => {
    t.match(refusalOf(body), { code: 'invalid_body', detail: says })
  })
}

const TAKEN: [what: string, body: string, value: unknown][] = [
  ['32 levels', nested(32, '[', ']'), undefined],
  ['32 levels of objects', nested(32, '{"a":', '}', '1'), undefined],
  ['many values side by side', `[${'[],'.repeat(1000)}{}]`, undefined],
  ['256,000 values', `[${'0,'.repeat(255_998)}0]`, undefined],
  ['commas inside a text', `["${','.repeat(300_000)}"]`, undefined],
  ['brackets inside a text', `["${'['.repeat(100)}"]`, undefined],
  ['one byte order mark, which RFC 8259 lets a reader ignore', `${BOM}{"a":1}`, { a: 1 }],
  [
    'the largest whole numbers that doubles represent exactly',
    '[9007199254740992,-9007199254740992]',
    [2 ** 53, -(2 ** 53)],
  ],
  ['larger numbers that doubles represent', '[1e20,100000000000000000000,18446744073709551616]', [1e20, 1e20, 2 ** 64]],
  [
    'the digits of a double as written',
    '[18446744073709552000,123456789012345680000]',
    [2 ** 64, 123456789012345680000],
  ],
  ['fractions', '[0.1,1.5e-7,-2.50]', [0.1, 1.5e-7, -2.5]],
  ['zeros', '[0,-0,0.0,0e5,0E-400]', [0, -0, 0, 0, 0]],
  ['the smallest and the largest double', '[5e-324,1.7976931348623157e308]', [5e-324, Number.MAX_VALUE]],
  [
    'many digits inside a text',
    '{"1234567890123456789":"9007199254740993 1e400"}',
    { '1234567890123456789': '9007199254740993 1e400' },
  ],
  ['escapes of whole characters', String.raw`["\u00e9\ud83d\ude00\u0001\n\\u0000"]`, ['é😀\u0001\n\\u0000']],
  ['__proto__ as a value', '["__proto__",{"a":"__proto__"}]', ['__proto__', { a: '__proto__' }]],
  ['__proto__ within a text', String.raw`["\"__proto__\": 1"]`, ['"__proto__": 1']],
  [
    'names that every object has',
    '{"constructor":{"prototype":1},"toString":2}',
    { constructor: { prototype: 1 }, toString: 2 },
  ],
  ['values that are not objects', '"x"', 'x'],
  ['null', 'null', null],
  ['one name in several objects', '{"a":{"a":[{"a":1},{"a":1}]},"b":{"a":1}}', undefined],
  ['names that differ by case or normalization', '{"a":1,"A":2,"é":3,"e\u0301":4}', undefined],
  ['names and colons within texts', String.raw`{"a":"\"a\":1,\"a\":2","b":"a"}`, undefined],
]

for (const [what, body, value] of TAKEN) {
  await t.test(`taken: ${what}`, async () => {
    assert.deepEqual(parse(body), value === undefined ? JSON.parse(body) : value)
  })
}

await t.test('any JSON comes through unchanged, however it is indented', async () => {
  fc.assert(
    fc.property(anyJson, fc.constantFrom('', '\t', '  '), (value, indent) => {
      assert.deepEqual(parse(JSON.stringify(value, null, indent)), JSON.parse(JSON.stringify(value)))
    }),
    { numRuns: 1000 },
  )
})

await t.test('blanks around a body are no part of a record, however many they are', async (t) => {
  const blanks = ' \r\n\t'.repeat(600_000)
  for (const body of ['{"a":"b"}', '{"a":1}', '[{"a":"b"}]', '{"employees":[{"a":"b"}]}'])
    for (const padded of [blanks + body, body + blanks, blanks + body + blanks])
      t.strictSame(parse(padded), JSON.parse(body))
})

await t.test('any bytes are accepted or refused with a problem, and nothing else is thrown', async () => {
  const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array))
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    '"',
    ',',
    ':',
    '\\',
    '\\u',
    '\\ud800',
    BOM,
    '1e400',
    '9007199254740993',
    'null',
    ' ',
  )
  const pieces = fc.array(piece, { maxLength: 12 }).map((parts) => Buffer.from(parts.join(''), 'utf8'))
  fc.assert(
    fc.property(fc.oneof(bytes, pieces), (body) => {
      try {
        parseJsonBody(body)
      } catch (error) {
        assert.ok(error instanceof UnreadableBodyError, String(error))
      }
    }),
    { numRuns: 5000 },
  )
})

await t.test("a refusal says where a bad text is, down to the last name that is not the client's own", async (t) => {
  const at = (body: string) => / at (.*?) contains/.exec(refusalOf(body).detail)?.[1]
  t.equal(at(String.raw`{"employees":[{},{"first_name":"\u0000"}]}`), '/employees/1/first_name')
  t.equal(at(String.raw`[{"custom_attributes":{"secret":"\ud800"}}]`), '/0/custom_attributes')
  t.equal(at(String.raw`{"secret":{"email":["\u0000"]}}`), 'the top level')
  t.equal(at(String.raw`{"0":"\u0000"}`), 'the top level')
})

await t.test("a refusal names the member that occurs twice, unless its name is the client's own", async (t) => {
  const detail = (body: string) => refusalOf(body).detail
  const email = '{"employees":[{"email":"é"},{"email":"a"'
  t.equal(
    detail(`${email},"email":1}]}`),
    `The member /employees/1/email occurs twice, at character ${email.length + 1}`,
  )
  t.match(detail(String.raw`{"email":1,"\u0065mail":2}`), /^The member \/email occurs twice/)
  t.match(
    detail('[{"custom_attributes":{"a":1,"a":1}}]'),
    /^A member of \/0\/custom_attributes occurs twice, at character 29$/,
  )
  t.match(detail(`${BOM}{"a":{"email":1,"email":2}}`), /^A member of the top level occurs twice, at character 16$/)
})

await t.test('any member that occurs twice is found, and no other', async () => {
  const name = fc.oneof(fc.constantFrom('a', 'b', '', '0', 'é', '"', '\\', 'toString'), fc.string({ maxLength: 3 }))
  const { object } = fc.letrec<{ value: string; object: { text: string; isDouble: boolean } }>((tie) => ({
    value: fc.constantFrom('1', '"a"', 'null', '[{"a":1},"a"]'),
    object: fc
      .array(fc.tuple(name, fc.boolean(), fc.oneof({ maxDepth: 3 }, tie('value'), tie('object'))), { maxLength: 4 })
      .map((members) => {
        const names = new Set(members.map(([own]) => own))
        const texts = members.map(([own, isEscaped, inner]) => {
          const hex = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
          const literal = isEscaped ? `"${own.split('').map(hex).join('')}"` : JSON.stringify(own)
          return `${literal} :${typeof inner === 'string' ? inner : inner.text}`
        })
        const isDouble = members.some(([, , inner]) => typeof inner !== 'string' && inner.isDouble)
        return { text: `{${texts.join(',')}}`, isDouble: isDouble || names.size < members.length }
      }),
  }))
  fc.assert(
    fc.property(object, ({ text, isDouble }) => {
      if (text.includes('__proto__')) return
      if (isDouble) assert.match(refusalOf(text).detail, /occurs twice/)
      else assert.deepEqual(parse(text), parseStrictly(text))
    }),
    { numRuns: 2000 },
  )
})

await t.test('a refusal says at which character the body stops being JSON', async (t) => {
  t.match(refusalOf('{"a"1}').detail, /at character 4$/)
  t.notMatch(refusalOf('[position 424242').detail, /424242/)
  for (const [body, hint] of [
    ["{'a':1}", 'double quotation marks'],
    ['{a:1}', 'double quotation marks'],
    ['{\u201ca\u201d:1}', 'double quotation marks'],
    ['{"a":1,}', 'a comma stands before it'],
    ['{"a":1}\n{"a":2}', 'send one list'],
    ['{"a":NaN}', 'JSON writes null'],
    ['{"a":True}', 'JSON writes true and false'],
    ['{"a":1 // x\n}', 'no comments'],
    ['{"a":1;}', 'character 6'],
  ] as const)
    t.match(refusalOf(body).detail, hint, body)
})

await t.test('the record of a file is read whole or not at all, whatever lists are in it', async (t) => {
  const many = Array.from({ length: 40_000 }, () => 0)
  t.strictSame(parseRecord('{"employees":[{"a":1}]}'), { record: { employees: [{ a: 1 }] } })
  t.strictSame(parseRecord('[{"a":1}]'), { record: [{ a: 1 }] })
  for (const record of [{ employees: [{ many }] }, { employees: many }])
    t.match(parseRecord(JSON.stringify(record)), { problem: 'The members of a record must have at most 256 values' })
  t.match(parseRecord(JSON.stringify(many)), { problem: 'A record must have at most 128 members' })
  t.match(parseRecord('{"a":1'), { problem: /^The body is not valid JSON at character 6$/ })
})

await t.test('a record of a file is refused for whatever a body is refused for', async (t) => {
  const refused = [
    '{"__proto__":{"a":1}}',
    '{"a":{"__proto__":1}}',
    '{"a":1,"a":1}',
    '{"a":{"b":1,"b":2}}',
    '{"a":1e400}',
    '{"a":12345678901234567890}',
    String.raw`{"a":"\u0000"}`,
    String.raw`{"a":"\ud800"}`,
    String.raw`{"\u005f_proto__":1}`,
    nested(33, '{"a":', '}', '1'),
    nested(33, '[', ']'),
  ]
  for (const json of refused) {
    t.throws(() => parse(json), UnreadableBodyError, json)
    t.type(parseRecord(json).problem, 'string', json)
  }
  t.strictSame(parseRecord(nested(32, '[', ']')).record, parse(nested(32, '[', ']')))
  fc.assert(
    fc.property(anyJson, (value) => {
      const json = JSON.stringify(value)
      // Nothing is written again with a blank behind it, so the whole parser reads this one.
      assert.deepStrictEqual(parseRecord(json), parseRecord(`${json} `))
    }),
  )
})

const SECRET = 'canary'

await t.test("no refusal quotes the body's values or names", async (t) => {
  let refused = 0
  const text = fc.constantFrom(
    '"canary"',
    'canary',
    '"canary\\u0000"',
    '"canary\\ud800"',
    '{"canary":',
    '"canary":',
    '1e400',
    '__proto__',
  )
  const piece = fc.oneof(
    text,
    fc.constantFrom('{', '}', '[', ']', ',', ':', ' position ', ' JSON at position canary', '9007199254740993'),
  )
  const broken = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(''))
  const whole = fc
    .tuple(
      anyJson,
      fc.constantFrom(String.raw`"canary\u0000"`, String.raw`{"canary\ud800":1}`, String.raw`{"canary":"\udc00"}`),
    )
    .map(([value, bad]) => `{"canary":{"employees":[${JSON.stringify(value)},${bad}]}}`)
  fc.assert(
    fc.property(fc.oneof(broken, whole), (body) => {
      try {
        parse(body)
      } catch (error) {
        assert.ok(error instanceof UnreadableBodyError, String(error))
        assert.ok(!error.message.includes(SECRET) && !error.problem.detail.includes(SECRET), error.message)
        refused += 1
      }
    }),
    { numRuns: 3000 },
  )
  t.ok(refused > 1000, 'enough bodies were refused')
})

await t.test('a refusal is short, however long the body is', async (t) => {
  const name = 'n'.repeat(400_000)
  t.ok(refusalOf(String.raw`{"${name}":{"${name}":"\u0000"}}`).detail.length < 200)
  t.ok(refusalOf(`{"${name}" ${name}`).detail.length < 200)
})
