import t from 'tap'
import { doAtOnce, joinInPieces } from '../../src/domain/pieces.ts'

await t.test(
  'one part is joined without a pause, so that small bodies that arrive together go on together',
  async (t) => {
    const { done, value } = joinInPieces([Buffer.from('{}')]).next()
    t.equal(done, true)
    t.strictSame(value, Buffer.from('{}'))
  },
)

await t.test('parts are joined with a pause between each two of them', async (t) => {
  const parts = ['{"a"', ':', '1}'].map((text) => Buffer.from(text))
  t.equal([...joinInPieces(parts)].length, parts.length - 1)
  t.equal(doAtOnce(joinInPieces(parts)).toString(), '{"a":1}')
})
