import t from 'tap'
import { formatChange } from '../../src/pages/usage/usage-page.ts'

await t.test('a change is a percentage of the number before, where there is one', async (t) => {
  const cases: [now: number, before: number, text: string][] = [
    [112, 100, '+12 %'],
    [88, 100, '−12 %'],
    [0, 3, '−100 %'],
    [100_000, 1, '+9,999,900 %'],
    [1_001, 1_000, 'less than 1 %'],
    [5, 5, 'none'],
    [5, 0, 'from zero'],
  ]
  for (const [now, before, text] of cases) t.equal(formatChange(now, before), text)
})
