import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { doAtOnce } from '../../src/domain/pieces.ts'
import { findSyntaxError as findInPieces } from '../../src/domain/find-syntax-error.ts'

const findSyntaxError = (json: string) => doAtOnce(findInPieces(json))

const PIECES = ['{', '}', '[', ']', ':', ',', '"', '"a"', 'a', '\\', 'u00', '0', '1', '-', '.', 'e', '+', 'true', 'nul']
const text = fc
  .array(fc.constantFrom(...PIECES, ' ', '\n', '\u0007', 'é', '🙂'), { maxLength: 9 })
  .map((all) => all.join(''))

function findInV8(json: string): { isJson: boolean; at: number | null } {
  try {
    JSON.parse(json)
    return { isJson: true, at: null }
  } catch (error) {
    const [, at] = / at position (\d+) \(/.exec((error as Error).message) ?? []
    return { isJson: false, at: at === undefined ? null : Number(at) }
  }
}

await t.test('a text has an error if and only if it is not JSON, at the place that V8 names', async () => {
  const check = (json: string) => {
    const at = findSyntaxError(json)
    const expected = findInV8(json)
    assert.equal(at === null, expected.isJson)
    if (expected.at !== null) assert.equal(at, expected.at)
  }
  fc.assert(fc.property(text, check), { numRuns: 20_000 })
  fc.assert(fc.property(fc.json(), fc.nat(), (json, end) => check(json.slice(0, end % (json.length + 1)))))
})

await t.test('the error is the first character with which no JSON can go on, or the end', async (t) => {
  for (const [json, at] of [
    ['', 0],
    ['[1, 2', 5],
    ['{"a": 1,}', 8],
    ["{'a': 1}", 1],
    ['{"a": undefined}', 6],
    ['[nulL]', 4],
    ['"a\\x"', 3],
    ['"\\u12', 5],
    ['"a\nb"', 2],
    ['[01]', 2],
    ['[1.]', 3],
    ['[1] [2]', 4],
    ['{"a" 1}', 5],
    ['id,email', 0],
  ] as const)
    t.equal(findSyntaxError(json), at, json)
})
