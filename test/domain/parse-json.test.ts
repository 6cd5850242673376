import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { parseJson, parseStrictly } from '../../src/domain/json.ts'

const name = fc.oneof(fc.constantFrom('a', '', '0', '"', '\\', '\\u', 'a\\', '\n', 'é', '__proto__'), fc.string())

/** JSON with names in any notation, as text and as entries. */
const { object } = fc.letrec<{ value: Written; object: Written }>((tie) => ({
  value: fc
    .constantFrom('1', '-1.5e3', 'true', 'null', '"a\\n\\": 1"', '[]', '[ 1,[{}] ]', '{ }')
    .map((text) => ({ text, value: JSON.parse(text) as unknown })),
  object: fc
    .tuple(
      fc.uniqueArray(name, { maxLength: 4 }),
      fc.infiniteStream(fc.boolean()),
      fc.infiniteStream(fc.oneof({ maxDepth: 3 }, tie('value'), tie('object'))),
    )
    .map(([names, escapes, values]) => {
      const members = names.map((own) => ({ own, isEscaped: escapes.next().value, ...values.next().value }))
      const texts = members.map(
        ({ own, isEscaped, text }) => `${isEscaped ? escaped(own) : JSON.stringify(own)} :${text}`,
      )
      return {
        text: `{ ${texts.join(' ,\n')} }`,
        value: Object.fromEntries(members.map(({ own, value }) => [own, value])),
      }
    }),
}))

interface Written {
  text: string
  value: unknown
}

function escaped(own: string): string {
  const units = own.split('').map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return `"${units.join('')}"`
}

await t.test('a name is what was written, whatever names were parsed before', async (t) => {
  const names = (text: string) => Object.keys(parseJson(text) as object)
  for (const [before, text, expected] of [
    ['{"x":0,"\\\\":1}', '{"x":0,"\\n":1}', '\n'],
    ['{"y":0,"\\\\":1}', '{"y":0,"\\"":1}', '"'],
    ['{"z":0,"\\\\u0":1}', '{"z":0,"\\u00e9t\\u00e9":1}', 'été'],
    ['{"v":0,"a\\\\":1}', '{"v":0,"a\\u0062":1}', 'ab'],
  ] as const) {
    parseJson(before)
    t.strictSame(names(text), [text.charAt(2), expected])
  }
})

await t.test('any object has the names and values that were written', async () => {
  const check = ({ text, value }: Written) => {
    assert.deepEqual(parseJson(text), value)
    assert.deepEqual(parseStrictly(text), value)
  }
  fc.assert(fc.property(object, check), { numRuns: 2_000 })
})

await t.test('other texts are refused as JSON.parse refuses them', async (t) => {
  for (const text of [
    '',
    '{"\\n":1',
    '{"\\n":1}}',
    '{"\\n" 1}',
    '["\\x41":1]',
    '{"\\u00":1}',
    '{"\\n":01}',
    '{"\\n":1,}',
  ])
    for (const parse of [parseJson, parseStrictly]) t.throws(() => parse(text), SyntaxError, text)
})
