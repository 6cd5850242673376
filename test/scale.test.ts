import { readFileSync } from 'node:fs'
import t from 'tap'

/* What docs/scale.md calculates follows from the results that it names. */

const read = (name: string) => readFileSync(`docs/${name}`, 'utf8')
const cells = (line: string) => line.split('|').map((cell) => cell.trim())
/** The cells of the first row that begins like this. */
const rowOf = (page: string, beginning: string) =>
  cells(
    read(page)
      .split('\n')
      .find((line) => line.startsWith(beginning)) ?? '',
  )

const RECORDS = 500_000_000
const RECORDS_OF_CALL = 1_000
const [PEOPLE, HOURS] = [5_000, 6]

/** A number with as many digits as a text has. */
const like = (text: string, value: number) => value.toFixed(/\.(\d+)/.exec(text)?.[1]?.length ?? 0)
const numberIn = (text: string) => Number(/[\d.,]+/.exec(text)?.[0].replaceAll(',', ''))

const night = rowOf('performance/bytes.md', '| nightly sync, 1 % changed |').map(Number)
const [log, storage] = [night[2]!, night[3]!]
/** Milliseconds of the service and of PostgreSQL for a record. */
const timesOf = (kind: string) => {
  const row = rowOf('performance/compare.md', kind)
  return [Number(row[9]) / RECORDS_OF_CALL, Number(row[10]) / RECORDS_OF_CALL] as const
}
const nightly = timesOf('| nightly-sync | 64 | 4 | cold | 5')
const firstLoad = timesOf('| first-load | 64 | 4 | ours |')

await t.test('what a night takes follows from the bytes and the processor time of a record', (t) => {
  for (const [name, perRecord, ofNight] of [
    ['storage that stays', storage, (RECORDS * storage) / 1e9],
    ['write-ahead log, with images of the changed pages', log, (RECORDS * log) / 1e9],
    ['processor time of the service', nightly[0], (RECORDS * nightly[0]) / 3_600_000],
    ['processor time of PostgreSQL', nightly[1], (RECORDS * nightly[1]) / 3_600_000],
  ] as const) {
    const [, , record, whole] = rowOf('scale.md', `| ${name} |`)
    t.equal(record!.split(' ')[0], like(record!, perRecord), name)
    t.equal(whole!.split(' ')[0], like(whole!, ofNight), name)
  }
  t.end()
})

await t.test('what one core does in an hour follows from the same figures', (t) => {
  const inHour = (ms: number) => 3_600_000 / ms
  for (const [name, times, scaleBy, unit] of [
    ['records that it answers and folds in an hour of such nights', nightly, 1, 1e6],
    ['companies of 5,000 employees between midnight and six', nightly, HOURS / PEOPLE, 1],
    ['records of a first load in an hour', firstLoad, 1, 1e6],
  ] as const) {
    const row = rowOf('scale.md', `| ${name} |`)
    for (const at of [0, 1] as const) {
      const told = numberIn(row[at + 2]!)
      const followed = (inHour(times[at]) * scaleBy) / unit
      t.ok(Math.abs(told / followed - 1) < 0.01, `${name}: ${told}, of ${followed}`)
    }
  }
  t.end()
})

await t.test('what years of nights keep follows from what a night keeps', (t) => {
  const text = read('scale.md').replaceAll(/\s+/g, ' ')
  const unchanged = Number(rowOf('performance/bytes.md', '| unchanged |')[3])
  const ofChanges = RECORDS * (storage - 0.99 * unchanged)
  t.match(
    text,
    `${like('0', (RECORDS * storage) / 1e9)} GB a night are ${like('0.0', (365 * RECORDS * storage) / 1e12)} TB a year`,
  )
  t.match(text, `${like('0', ofChanges / 1e9)} GB a night, ${like('0.0', (365 * ofChanges) / 1e12)} TB a year`)
  t.end()
})
