import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { decodeCursor, encodeCursor } from '../../../src/http/server/query-values.ts'
import { ProblemError } from '../../../src/http/server/problem.ts'

const anyPlace = fc.integer({ min: 0, max: 999_999_999_999_999 })

await t.test('a cursor decodes to the place it was made from', async () => {
  fc.assert(fc.property(anyPlace, (place) => assert.equal(decodeCursor(encodeCursor(place)), place)))
})

await t.test('a cursor needs no escaping in a query', async () => {
  fc.assert(fc.property(anyPlace, (place) => assert.match(encodeCursor(place), /^[A-Za-z0-9_-]+$/)))
})

const refusal = (cursor: string) => {
  try {
    decodeCursor(cursor)
  } catch (error) {
    if (error instanceof ProblemError) return error.problem
    throw error
  }
  return null
}

await t.test('a forged cursor is refused, and not quoted', async (t) => {
  const made = (text: string) => Buffer.from(text, 'latin1').toString('base64url')
  const cursor = encodeCursor(42)
  for (const text of [
    ...[
      '',
      ' ',
      '0',
      '42',
      'null',
      '../../x',
      '\0',
      `${cursor}=`,
      ` ${cursor}`,
      `${cursor}\n`,
      `${cursor}A`,
      cursor.slice(0, -1),
    ],
    ...['1:', '1:042', '1:-1', '1:1.5', '1:1e3', '1:0x1', '2:42', '1:42 ', '1:1234567890123456', '1:NaN', '42'].map(
      made,
    ),
    Buffer.from('1:42').toString('base64'),
  ]) {
    t.match(refusal(text), { status: 400, code: 'invalid_query' }, JSON.stringify(text))
  }
  t.notMatch(refusal('canary')?.detail, /canary/)
})

await t.test('any text is accepted as a cursor only if a list could have made it', async () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String(), fc.stringMatching(/^MTo[A-Za-z0-9_-]*$/)), (text) => {
      if (refusal(text) === null) assert.equal(encodeCursor(decodeCursor(text)), text)
      else assert.equal(refusal(text)?.code, 'invalid_query')
    }),
    { numRuns: 2000 },
  )
})
