import t from 'tap'
import { divideTime, sumBySlot } from '../../src/pages/charts/calls-chart.ts'

const HOUR = 3_600_000
const NOW = Date.parse('2026-11-20T14:20:00Z')
const at = (text: string) => Date.parse(text)

await t.test('without a start, the chart shows 30 days up to today in the time zone', async (t) => {
  const { unit, slots } = divideTime({}, 'America/New_York', NOW)
  t.equal(unit, 'days')
  t.equal(slots.length, 30)
  t.strictSame(slots.at(-1), { from: at('2026-11-20T05:00Z'), to: at('2026-11-21T05:00Z') })
  t.equal(slots[0]!.from, at('2026-10-22T04:00Z'), 'before the clocks went back')
})

await t.test(
  'each slot starts where the one before ends, also where clocks change or differ by half an hour',
  async (t) => {
    for (const zone of ['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'Pacific/Kiritimati', 'Australia/Lord_Howe']) {
      for (const from of [
        '2026-03-20T00:00:00Z',
        '2026-10-20T10:10:00Z',
        '2026-11-19T14:20:00Z',
        '2026-11-20T14:10:00Z',
      ]) {
        const { slots } = divideTime({ from }, zone, NOW)
        t.ok(slots.length > 0 && slots.length <= 93, `${zone} ${from}: ${slots.length}`)
        t.ok(slots.at(-1)!.to >= NOW)
        for (const [nth, slot] of slots.entries()) {
          if (nth > 0 && slot.from !== slots[nth - 1]!.to) t.fail(`${zone} ${from}: a gap before slot ${nth}`)
          if (slot.from % HOUR !== 0 || slot.to <= slot.from)
            t.fail(`${zone} ${from}: slot ${nth} is not of full hours`)
        }
      }
    }
  },
)

await t.test('up to two days are shown by hour, and nothing outside the range that was chosen', async (t) => {
  t.equal(divideTime({ from: '2026-11-18T15:00:00Z' }, 'UTC', NOW).unit, 'hours')
  t.equal(divideTime({ from: '2026-11-18T14:00:00Z' }, 'UTC', NOW).unit, 'days')
  const { slots } = divideTime({ from: '2026-11-20T13:20:00Z' }, 'UTC', NOW)
  t.strictSame(slots[0], { from: at('2026-11-20T13:00Z'), to: at('2026-11-20T14:00Z') })
  t.equal(slots.length, 2)
  t.strictSame(slots.at(-1), { from: at('2026-11-20T14:00Z'), to: at('2026-11-20T15:00Z') })
  t.strictSame(divideTime({ from: '2026-12-01T00:00:00Z' }, 'UTC', NOW).slots, [], 'nothing of the future')
})

await t.test('of a longer time, the chart shows the latest 92 days', async (t) => {
  const { slots } = divideTime({ from: '2020-01-01T00:00:00Z', to: '2026-06-01T00:00:00Z' }, 'UTC', NOW)
  t.equal(slots.length, 92 - 1)
  t.equal(slots.at(-1)!.to, at('2026-06-01'))
})

await t.test('calls are counted in the slot in which their hour starts', async (t) => {
  const slots = [
    { from: at('2026-11-19'), to: at('2026-11-20') },
    { from: at('2026-11-20'), to: at('2026-11-21') },
  ]
  const count = (hour: string, status: 'Completed' | 'Failed', calls: number) => ({ hour, status, calls })
  const counts = [
    count('2026-11-19T23:00:00.000Z', 'Completed', 3),
    count('2026-11-20T00:00:00.000Z', 'Completed', 5),
    count('2026-11-20T23:00:00.000Z', 'Completed', 1),
    count('2026-11-20T07:00:00.000Z', 'Failed', 2),
  ]
  t.match(sumBySlot(counts, slots), [
    { completed: 3, failed: 0 },
    { completed: 6, failed: 2 },
  ])
})
