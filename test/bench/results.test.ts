import { readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { writeResults } from '../../bench/report/results.ts'
import { median, percentile, fitSlope, computeSpread } from '../../bench/report/statistics.ts'

await t.test('the median and the percentiles of a run do not depend on the order of its values', async (t) => {
  t.equal(median([3, 1, 2]), 2)
  t.equal(median([4, 1, 3, 2]), 2.5)
  t.strictSame(computeSpread([2, 9, 4]), { median: 4, min: 2, max: 9 })
  const hundred = Array.from({ length: 100 }, (_, at) => 100 - at)
  t.equal(percentile(hundred, 0.5), 50)
  t.equal(percentile(hundred, 0.99), 99)
  t.equal(percentile([7], 0.99), 7)
})

await t.test('a slope has a standard error, which is 0 on a line', async (t) => {
  t.strictSame(fitSlope([0, 1, 2, 3].map((x) => ({ x, y: 5 + 2 * x }))), { slope: 2, standardError: 0 })
  const { slope, standardError } = fitSlope([1, 3, 2, 3].map((y, x) => ({ x, y })))
  t.ok(Math.abs(slope - 0.5) < 1e-12)
  t.ok(Math.abs(standardError - Math.sqrt(1.5 / 2 / 5)) < 1e-12)
  t.throws(
    () =>
      fitSlope([
        { x: 0, y: 0 },
        { x: 1, y: 1 },
      ]),
    /at least three points/,
  )
})

await t.test('a run writes its results as JSON, as tables, and as a plot if there is one', async (t) => {
  const dir = path.join(t.testdir(), 'made')
  const files = await writeResults(dir, 'compare', { json: { a: 1 }, markdown: '| a |', svg: '<svg></svg>' })
  t.strictSame(
    files.map((file) => path.basename(file)),
    ['compare.json', 'compare.md', 'compare.svg'],
  )
  t.strictSame(JSON.parse(readFileSync(files[0]!, 'utf8')), { a: 1 })
  t.equal(readFileSync(files[1]!, 'utf8'), '| a |\n\n![compare](compare.svg)\n')
  t.equal((await writeResults(dir, 'replay', { json: {}, markdown: '' })).length, 2)
})
