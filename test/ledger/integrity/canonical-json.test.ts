import assert from 'node:assert/strict'
import canonicalize from 'canonicalize'
import fc from 'fast-check'
import t from 'tap'
import { canonicalJson } from '../../../src/ledger/integrity/canonical-json.ts'
import { anyCodePoint, anyJson } from '../../support/domain/arbitraries.ts'

/** RFC 8785 appendix B: the bits of a double, and how it is written. */
const NUMBERS: [bits: string, written: string][] = [
  ['0000000000000000', '0'],
  ['8000000000000000', '0'],
  ['0000000000000001', '5e-324'],
  ['8000000000000001', '-5e-324'],
  ['7fefffffffffffff', '1.7976931348623157e+308'],
  ['ffefffffffffffff', '-1.7976931348623157e+308'],
  ['4340000000000000', '9007199254740992'],
  ['c340000000000000', '-9007199254740992'],
  ['4430000000000000', '295147905179352830000'],
  ['44b52d02c7e14af5', '9.999999999999997e+22'],
  ['44b52d02c7e14af6', '1e+23'],
  ['44b52d02c7e14af7', '1.0000000000000001e+23'],
  ['444b1ae4d6e2ef4e', '999999999999999700000'],
  ['444b1ae4d6e2ef4f', '999999999999999900000'],
  ['444b1ae4d6e2ef50', '1e+21'],
  ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
  ['3eb0c6f7a0b5ed8d', '0.000001'],
  ['41b3de4355555553', '333333333.3333332'],
  ['41b3de4355555554', '333333333.33333325'],
  ['41b3de4355555555', '333333333.3333333'],
  ['41b3de4355555556', '333333333.3333334'],
  ['41b3de4355555557', '333333333.33333343'],
  ['becbf647612f3696', '-0.0000033333333333333333'],
  ['43143ff3c1cb0959', '1424953923781206.2'],
]

await t.test('numbers are written as in RFC 8785 appendix B', async (t) => {
  for (const [bits, written] of NUMBERS) {
    t.equal(canonicalJson(Buffer.from(bits, 'hex').readDoubleBE()), written, bits)
  }
})

await t.test('the example of RFC 8785 section 3.2 matches to the byte', async (t) => {
  const sent = String.raw`{
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
    "literals": [null, true, false]
  }`
  const bytes =
    '7b226c69746572616c73223a5b6e756c6c2c747275652c66616c73655d2c226e756d62657273223a5b333333333333333333' +
    '2e333333333333332c31652b33302c342e352c302e3030322c31652d32375d2c22737472696e67223a22e282ac245c7530' +
    '3030665c6e4127425c225c5c5c5c5c222f227d'
  t.equal(Buffer.from(canonicalJson(JSON.parse(sent)), 'utf8').toString('hex'), bytes)
})

await t.test('members are sorted by their UTF-16 code units, RFC 8785 section 3.2.3', async (t) => {
  const sent = String.raw`{
    "\u20ac": "Euro Sign",
    "\r": "Carriage Return",
    "\ufb33": "Hebrew Letter Dalet With Dagesh",
    "1": "One",
    "\ud83d\ude00": "Emoji: Grinning Face",
    "\u0080": "Control",
    "\u00f6": "Latin Small Letter O With Diaeresis"
  }`
  const inOrder = [
    ...['Carriage Return', 'One', 'Control', 'Latin Small Letter O With Diaeresis', 'Euro Sign'],
    ...['Emoji: Grinning Face', 'Hebrew Letter Dalet With Dagesh'],
  ]
  t.strictSame(
    [...canonicalJson(JSON.parse(sent)).matchAll(/:"([^"]+)"/g)].map(([, value]) => value),
    inOrder,
  )
})

const STRUCTURES: [what: string, sent: unknown, canonical: string][] = [
  [
    'numeric and empty names',
    { '1': { f: { f: 'hi', F: 5 }, '\n': 56 }, '10': {}, '': 'empty', a: {}, '111': [{ e: 'yes', E: 'no' }], A: {} },
    '{"":"empty","1":{"\\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{"E":"no","e":"yes"}],"A":{},"a":{}}',
  ],
  ['arrays keep their order', [56, { d: true, '10': null, '1': [] }], '[56,{"1":[],"10":null,"d":true}]'],
  [
    'names are not sorted by language',
    { sin: 4, pêche: 3, péché: 2, peach: 1 },
    '{"peach":1,"péché":2,"pêche":3,"sin":4}',
  ],
  ['texts are not normalized', { 'Unnormalized Unicode': 'A\u030a' }, '{"Unnormalized Unicode":"A\u030a"}'],
  ['only necessary characters are escaped', '</script>\u007f\u2028\u0080', '"</script>\u007f\u2028\u0080"'],
  [
    'controls are escaped in their short form, if they have one',
    '\b\t\n\f\r\u0000\u001f"\\',
    '"\\b\\t\\n\\f\\r\\u0000\\u001f\\"\\\\"',
  ],
  ['undefined is left out', { a: undefined, b: { c: undefined } }, '{"b":{}}'],
  ['an empty object', {}, '{}'],
  ['literals', [null, true, false, ''], '[null,true,false,""]'],
]

for (const [what, sent, canonical] of STRUCTURES) {
  await t.test(`structures: ${what}`, async (t) => {
    t.equal(canonicalJson(sent), canonical)
  })
}

/** Names that sort differently as numbers, as code points or in some language. */
const anyName = fc.oneof(
  fc.nat().map(String),
  fc.constantFrom('-1', '01', '1.5', '4294967295', '4294967296', '\ufb33', '😀', '\u00e9', 'e\u0301', 'Z', 'a'),
  fc.string({ unit: anyCodePoint }).filter((name) => name !== '__proto__'),
)
const { value: anyNested } = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, anyJson, fc.double({ noNaN: true, noDefaultInfinity: true }), tie('object')),
  object: fc.dictionary(anyName, tie('value')),
}))

await t.test('any JSON gets the same text as from the reference implementation', async () => {
  fc.assert(
    fc.property(anyNested, (value) => assert.equal(canonicalJson(value), canonicalize(value))),
    { numRuns: 1000 },
  )
})

await t.test('canonical text reads back as the same value and is unchanged by another pass', async () => {
  fc.assert(
    fc.property(anyNested, (value) => {
      const text = canonicalJson(value)
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)))
      assert.equal(canonicalJson(JSON.parse(text)), text)
    }),
  )
})
