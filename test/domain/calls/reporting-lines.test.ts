import t from 'tap'
import { cyclesFrom } from '../../../src/domain/calls/reporting-lines.ts'

const chain = (length: number) => (id: string) => (Number(id) < length ? String(Number(id) + 1) : null)

await t.test('a chain without a circle has none, wherever it is entered', async (t) => {
  t.strictSame(cyclesFrom(['0', '5', '9'], chain(10)), new Set())
})

await t.test('only people on the circle are found, not those below it', async (t) => {
  const managers: Record<string, string> = { below: 'a', a: 'b', b: 'c', c: 'a', alone: 'alone' }
  t.strictSame(
    cyclesFrom(['below', 'alone'], (id) => managers[id] ?? null),
    new Set(['a', 'b', 'c', 'alone']),
  )
})

await t.test('each person is looked up once, however many chains pass through them', async (t) => {
  let asked = 0
  const counting = (id: string) => {
    asked += 1
    return chain(10_000)(id)
  }
  cyclesFrom(
    Array.from({ length: 1_000 }, (_, at) => String(at)),
    counting,
  )
  t.equal(asked, 10_001)
})
