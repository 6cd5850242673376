import t from 'tap'
import {
  type ExpectedCalls,
  type Weekday,
  findMissedDeadline,
  proposeExpectedCalls,
} from '../../../src/domain/accounts/api-key.ts'
import { DAY_MS, findStartOf, formatLocal, shiftDay } from '../../../src/domain/local-times.ts'

const MONDAY_TO_FRIDAY: Weekday[] = [1, 2, 3, 4, 5]
const LONG_AGO = '2020-01-01T00:00:00.000Z'

/** The missed deadline as an instant; null if all is well. */
function missed(
  calls: ExpectedCalls,
  now: string,
  lastCall: string | null,
  more: { timeZone?: string; since?: string } = {},
) {
  const { timeZone = 'UTC', since = LONG_AGO } = more
  const lastCallMs = lastCall === null ? null : Date.parse(lastCall)
  const found = findMissedDeadline({ calls, since }, { nowMs: Date.parse(now), timeZone, lastCallMs })
  return found === null ? null : new Date(found).toISOString()
}

await t.test('a call every so many hours is missed that long after the last one', (t) => {
  const calls = { every_hours: 24 }
  t.equal(missed(calls, '2026-03-30T05:59:59Z', '2026-03-29T06:00:00Z'), null)
  t.equal(missed(calls, '2026-03-30T06:00:00Z', '2026-03-29T06:00:00Z'), '2026-03-30T06:00:00.000Z')
  const since = '2026-03-30T00:00:00Z'
  t.equal(missed(calls, '2026-03-30T06:00:00Z', null, { since }), null, 'who just asked for it waits as long')
  t.equal(missed(calls, '2026-03-31T00:00:00Z', null, { since }), '2026-03-31T00:00:00.000Z')
  t.end()
})

await t.test(
  'a call by a time of day is missed at that time, unless one came since that time of the day before',
  (t) => {
    const calls = { by_time: '06:00', weekdays: MONDAY_TO_FRIDAY }
    // 30 March 2026 is a Monday.
    t.equal(missed(calls, '2026-03-30T05:59:59Z', '2026-03-27T02:14:00Z'), null, 'until then, Friday counts')
    t.equal(missed(calls, '2026-03-30T06:00:00Z', '2026-03-27T02:14:00Z'), '2026-03-30T06:00:00.000Z')
    t.equal(missed(calls, '2026-03-30T06:00:00Z', '2026-03-30T02:14:00Z'), null)
    t.equal(missed(calls, '2026-03-30T09:00:00Z', '2026-03-30T08:30:00Z'), null, 'a late call ends the wait')
    t.equal(missed(calls, '2026-03-28T12:00:00Z', '2026-03-27T02:14:00Z'), null, 'nothing is expected on a Saturday')
    t.equal(missed(calls, '2026-03-29T23:00:00Z', '2026-03-26T02:14:00Z'), '2026-03-27T06:00:00.000Z', 'nor forgotten')
    t.equal(missed(calls, '2026-03-30T06:00:00Z', null, { since: '2026-03-30T05:00:00Z' }), '2026-03-30T06:00:00.000Z')
    t.equal(missed(calls, '2026-03-30T06:30:00Z', null, { since: '2026-03-30T06:15:00Z' }), null)
    t.end()
  },
)

await t.test("a time of day is that of the company's clocks, which change twice a year", (t) => {
  const calls = { by_time: '02:30', weekdays: [7] as Weekday[] }
  const at = (now: string) => missed(calls, now, null, { timeZone: 'Europe/Berlin' })
  t.equal(at('2026-03-22T12:00:00Z'), '2026-03-22T01:30:00.000Z', 'in winter')
  t.equal(at('2026-03-29T12:00:00Z'), '2026-03-29T01:30:00.000Z', 'skipped: an hour later')
  t.equal(at('2026-04-05T12:00:00Z'), '2026-04-05T00:30:00.000Z', 'in summer')
  t.equal(at('2026-10-25T12:00:00Z'), '2026-10-25T00:30:00.000Z', 'shown twice: the first')
  const everyDay = { by_time: '06:00', weekdays: [1, 2, 3, 4, 5, 6, 7] as Weekday[] }
  const after = (now: string, last: string) => missed(everyDay, now, last, { timeZone: 'Europe/Berlin' })
  t.equal(after('2026-03-29T05:00:00Z', '2026-03-29T00:14:00Z'), null, 'a day of 23 hours')
  t.equal(after('2026-10-25T06:00:00Z', '2026-10-25T00:14:00Z'), null, 'a day of 25 hours')
  const spring = '2026-03-29T04:00:00.000Z'
  t.equal(after('2026-03-29T05:00:00Z', '2026-03-28T04:30:00Z'), spring, '05:30 of the day before was due then')
  t.equal(after('2026-03-29T05:00:00Z', '2026-03-28T05:00:00.001Z'), null, 'a moment after 06:00 is for the next day')
  t.equal(after('2026-10-25T06:00:00Z', '2026-10-24T04:30:00Z'), null, '06:30 of the day before is for this day')
  t.equal(after('2026-10-25T06:00:00Z', '2026-10-24T04:00:00Z'), '2026-10-25T05:00:00.000Z', '06:00 was due then')
  t.end()
})

/** Days on which clocks change. */
const CHANGES = {
  'Europe/Berlin': ['2026-03-29', '2026-10-25'],
  'America/New_York': ['2026-03-08', '2026-11-01'],
  'Australia/Lord_Howe': ['2026-04-05', '2026-10-04'],
  'America/Santiago': ['2026-04-05', '2026-09-06'],
  'Asia/Kolkata': ['2026-01-01'],
}

await t.test('each call is for one deadline, whatever the clocks do', (t) => {
  const calls = { by_time: '06:00', weekdays: [1, 2, 3, 4, 5, 6, 7] as Weekday[] }
  for (const [timeZone, days] of Object.entries(CHANGES)) {
    for (const [half, day] of days.flatMap((day) => Array.from({ length: 144 }, (_, at) => [at, day] as const))) {
      const lastCallMs = Date.parse(day) - DAY_MS + half * 1_800_000
      const next = findStartOf(nextDeadline(lastCallMs, timeZone), timeZone)
      const after = findStartOf(nextDeadline(next + 60_000, timeZone), timeZone)
      const at = (nowMs: number) => findMissedDeadline({ calls, since: LONG_AGO }, { nowMs, timeZone, lastCallMs })
      t.strictSame([at(next), at(after)], [null, after], `${timeZone}, ${new Date(lastCallMs).toISOString()}`)
    }
  }
  t.end()
})

/** The local time of the first 06:00 at an instant or later. */
function nextDeadline(after: number, timeZone: string): string {
  const [day, time] = formatLocal(after, timeZone).split('T') as [string, string]
  return `${time <= '06:00' ? day : shiftDay(day, 1)}T06:00`
}

/** The starts of hours on days that begin with a Monday, four weeks before `NOW`. */
const NOW = Date.parse('2026-03-30T09:00:00Z')
const hourOn = (day: number, hour: number) => Date.parse('2026-03-02T00:00:00Z') + day * DAY_MS + hour * 3_600_000
const days = (isIn: (weekday: number) => boolean) =>
  Array.from({ length: 28 }, (_, day) => day).filter((day) => isIn(day % 7))

await t.test('a key that calls every working night is expected by two hours after its latest start', (t) => {
  const hours = days((weekday) => weekday < 5).flatMap((day) => [hourOn(day, day === 3 ? 3 : 2), hourOn(day, 15)])
  t.strictSame(proposeExpectedCalls(hours, NOW, 'UTC'), { by_time: '06:00', weekdays: MONDAY_TO_FRIDAY })
  t.end()
})

await t.test('a key without a habit gets no proposal', (t) => {
  t.equal(proposeExpectedCalls([], NOW, 'UTC'), null)
  t.equal(proposeExpectedCalls([hourOn(0, 2), hourOn(1, 2)], NOW, 'UTC'), null, 'too few days')
  const now_and_then = [0, 4, 9, 15, 20, 26].map((day) => hourOn(day, 2))
  t.equal(proposeExpectedCalls(now_and_then, NOW, 'UTC'), null)
  t.end()
})
