import t from 'tap'
import { plotLines } from '../../bench/report/line-plot.ts'

const marks = [
  { x: 10, label: 'ten' },
  { x: 1000, label: 'a thousand' },
]
const axes = { x: 'events', y: 'ms', marks, isLogarithmic: true }
const lines = [
  {
    name: 'reads',
    points: [
      { x: 10, y: 1 },
      { x: 100, y: 2 },
      { x: 1000, y: 3 },
    ],
  },
  {
    name: 'writes',
    points: [
      { x: 10, y: 3 },
      { x: 1000, y: 3.1 },
    ],
  },
]
const svg = plotLines(lines, axes, 'a plot')
const numbersOf = (pattern: RegExp) => [...svg.matchAll(pattern)].map(([, number]) => Number(number))

await t.test('a plot is a document with a title, axes, and named lines', async (t) => {
  t.match(svg, /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" [^]*<\/svg>\n$/)
  for (const text of ['a plot', 'events', 'ms', 'ten', 'a thousand', 'reads', 'writes'])
    t.ok(svg.includes(`>${text}</text>`), text)
})

await t.test('the scale begins at 0 and holds every value', async (t) => {
  t.strictSame(numbersOf(/text-anchor="end">([\d.]+)</g), [0, 1, 2, 3, 4])
})

await t.test('on a logarithmic axis equal factors have equal distances', async (t) => {
  const [through] = svg.match(/(?<=points=")[^"]+/)!
  const [first, second, third] = through.split(' ').map((point) => Number(point.split(',')[0]))
  t.ok(Math.abs(second! - first! - (third! - second!)) < 0.2, through)
})

await t.test('names of lines that end close together do not overlap', async (t) => {
  const [one, other] = numbersOf(/y="([\d.]+)" fill="#[0-9a-f]+">/g)
  t.ok(Math.abs(one! - other!) >= 12, `${one} and ${other}`)
})
