import t from 'tap'
import { chooseLabeledColumns, roundScale, stackBars } from '../../src/pages/charts/outcome-chart.ts'

await t.test('an axis starts at 0, has round whole steps and holds the largest value', async (t) => {
  t.strictSame(roundScale(7, 5), { max: 8, ticks: [0, 2, 4, 6, 8] })
  t.strictSame(roundScale(301, 5), { max: 400, ticks: [0, 100, 200, 300, 400] })
  t.strictSame(roundScale(0, 5), { max: 1, ticks: [0, 1] }, 'an empty chart has an axis')
  t.strictSame(roundScale(1, 5).ticks, [0, 1])
  for (let largest = 1; largest < 3_000_000; largest = Math.ceil(largest * 1.37)) {
    const { max, ticks } = roundScale(largest, 5)
    const step = ticks[1]!
    t.ok(max >= largest && max - largest < step, `${largest} fits below ${max}, and no step is wasted`)
    t.ok(ticks.length <= 6 && /^[125]0*$/.test(String(step)), `${largest} has steps of ${step}`)
  }
})

await t.test('bars are stacked from the axis up, as tall as their values', async (t) => {
  const [first, second] = stackBars(
    [
      [3, 1],
      [0, 4],
    ],
    4,
    100,
  )
  t.match(first, [
    { y: 25, height: 75 },
    { y: 0, height: 25 },
  ])
  t.match(second, [
    { y: 100, height: 0 },
    { y: 0, height: 100 },
  ])
  t.ok(first![0]!.x + first![0]!.width < second![0]!.x, 'with a gap between them')
  t.ok(second![0]!.x + second![0]!.width < 100)
})

await t.test('the smallest value is visible, and zero is not', async (t) => {
  const [segments] = stackBars([[1, 0]], 1_000_000, 100)
  t.strictSame(
    segments!.map(({ height }) => height),
    [1, 0],
  )
})

await t.test('the first and last columns are labeled, and some evenly between them', async (t) => {
  t.strictSame(chooseLabeledColumns(30, 3), [0, 15, 29])
  t.strictSame(chooseLabeledColumns(2, 3), [0, 1])
  t.strictSame(chooseLabeledColumns(1, 3), [0])
  t.strictSame(chooseLabeledColumns(0, 3), [])
})
