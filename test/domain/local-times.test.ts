import t from 'tap'
import { inputs } from '../support/quick.ts'
import { findStartOf, findEndOf, formatLocal, isCalendarDate, readLocal } from '../../src/domain/local-times.ts'

const iso = (instant: number) => new Date(instant).toISOString().replace(':00.000Z', 'Z')

await t.test('a day begins and ends at midnight in the time zone, whatever its length', async (t) => {
  const days = [
    ['2026-11-20', 'UTC', '2026-11-20T00:00Z', '2026-11-21T00:00Z'],
    ['2026-11-20', 'Asia/Kolkata', '2026-11-19T18:30Z', '2026-11-20T18:30Z'],
    // 23 hours: clocks go from 02:00 to 03:00.
    ['2026-03-29', 'Europe/Madrid', '2026-03-28T23:00Z', '2026-03-29T22:00Z'],
    // 25 hours: clocks go from 03:00 back to 02:00.
    ['2026-10-25', 'Europe/Madrid', '2026-10-24T22:00Z', '2026-10-25T23:00Z'],
    // Midnight itself is skipped: the day begins at 01:00.
    ['2026-09-06', 'America/Santiago', '2026-09-06T04:00Z', '2026-09-07T03:00Z'],
    // The last hour of the day comes twice.
    ['2026-04-04', 'America/Santiago', '2026-04-04T03:00Z', '2026-04-05T04:00Z'],
    // Half an hour of daylight saving.
    ['2026-04-05', 'Australia/Lord_Howe', '2026-04-04T13:00Z', '2026-04-05T13:30Z'],
    ['2026-12-31', 'Pacific/Kiritimati', '2026-12-30T10:00Z', '2026-12-31T10:00Z'],
  ] as const
  for (const [day, zone, begins, ends] of days) {
    t.strictSame([iso(findStartOf(day, zone)), iso(findEndOf(day, zone))], [begins, ends], `${day} in ${zone}`)
  }
})

await t.test('a local time is that instant; one that comes twice spans both', async (t) => {
  const times = [
    ['2026-07-01T14:30', 'Europe/Madrid', '2026-07-01T12:30Z', '2026-07-01T12:30Z'],
    ['2026-10-25T02:30', 'Europe/Madrid', '2026-10-25T00:30Z', '2026-10-25T01:30Z'],
    ['2026-11-01T01:15', 'America/New_York', '2026-11-01T05:15Z', '2026-11-01T06:15Z'],
    // Skipped: read as if the clocks had not changed.
    ['2026-03-29T02:30', 'Europe/Madrid', '2026-03-29T01:30Z', '2026-03-29T01:30Z'],
  ] as const
  for (const [time, zone, first, last] of times) {
    t.strictSame([iso(findStartOf(time, zone)), iso(findEndOf(time, zone))], [first, last], `${time} in ${zone}`)
  }
})

await t.test('every hour of two years is the hour that clocks show', async (t) => {
  const zones = ['America/Santiago', 'Australia/Lord_Howe', 'Europe/Madrid', 'Asia/Kathmandu', 'Africa/Casablanca']
  for (const timeZone of zones.slice(0, inputs(2, zones.length))) {
    const clock = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' })
    const wrong: string[] = []
    for (
      let instant = Date.parse('2025-01-01T00:00Z');
      instant < Date.parse('2027-01-01T00:00Z');
      instant += 3_600_000
    ) {
      const local = clock.format(instant).replace(' ', 'T')
      if (findStartOf(local, timeZone) !== instant && findEndOf(local, timeZone) !== instant) wrong.push(local)
    }
    t.strictSame(wrong, [], timeZone)
  }
})

await t.test('only days and times in the calendar are accepted', async (t) => {
  for (const text of ['2026-11-20', '2024-02-29', '2026-11-20T00:00', '2026-11-20T23:59']) t.ok(readLocal(text), text)
  const wrong = [
    '',
    'today',
    '2026-02-30',
    '2025-02-29',
    '2026-13-01',
    '2026-11-20T24:00',
    '2026-11-20T14:60',
    '2026-11-20T14:30Z',
    '0001-01-01',
    '20261120',
    '2026-11-20T',
  ]
  for (const text of wrong) t.equal(readLocal(text), null, text)
})

await t.test('an instant is formatted as the form sends it back', async (t) => {
  for (const zone of ['UTC', 'Asia/Kolkata', 'America/Santiago', 'Pacific/Kiritimati']) {
    for (const instant of ['2026-11-20T14:30Z', '2026-03-29T01:00Z', '2026-09-06T04:00Z']) {
      const local = formatLocal(Date.parse(instant), zone)
      t.equal(iso(findStartOf(local, zone)), instant, `${local} in ${zone}`)
    }
  }
  t.equal(formatLocal(Date.parse('2026-10-25T00:30:59.999Z'), 'Europe/Madrid'), '2026-10-25T02:30')
  t.equal(formatLocal(Date.parse('9999-12-31T23:59:59.999Z'), 'Asia/Tokyo'), '9999-12-31T23:59', 'the last one')
})

await t.test('a text is a day of the calendar if it is one for Date, from year 1 on', async (t) => {
  const two = (number: number) => String(number).padStart(2, '0')
  for (const year of ['0001', '0004', '1900', '2000', '2023', '2024', '2100', '9999']) {
    for (let at = 0; at < 10_000; at += 1) {
      const text = `${year}-${two(Math.floor(at / 100))}-${two(at % 100)}`
      const instant = Date.parse(text)
      const isOne = !Number.isNaN(instant) && new Date(instant).toISOString().startsWith(text)
      if (isCalendarDate(text) !== isOne) t.fail(text)
    }
  }
  for (const text of ['0000-01-01', '2024-1-1', '2024-01-01 ', '-024-01-01', '2024-01-1\u0661', ''])
    t.notOk(isCalendarDate(text), text)
})
