import t from 'tap'
import { formatTime } from '../../src/domain/local-times.ts'
import { formatAge } from '../../src/wording/numbers.ts'
import { formatCalendarDay, formatDay } from '../../src/pages/parts/elements.ts'
import { databaseTime } from '../../src/postgres/database-clock.ts'

await t.test("an instant is shown with the time zone's offset at that instant", async (t) => {
  t.equal(formatTime('2026-10-25T00:59:59.000Z', 'Europe/Berlin'), '25 Oct 2026, 02:59:59 CEST')
  t.equal(
    formatTime('2026-10-25T01:00:00.000Z', 'Europe/Berlin'),
    '25 Oct 2026, 02:00:00 CET',
    'the hour that comes twice can be told apart',
  )
  t.equal(formatTime('2026-03-29T00:59:59.000Z', 'Europe/Berlin'), '29 Mar 2026, 01:59:59 CET')
  t.equal(
    formatTime('2026-03-29T01:00:00.000Z', 'Europe/Berlin'),
    '29 Mar 2026, 03:00:00 CEST',
    'the skipped hour does not appear',
  )
})

await t.test('midnight is hour 00 of the new day', async (t) => {
  t.equal(formatTime('2026-01-01T00:00:00.000Z', 'UTC'), '1 Jan 2026, 00:00:00 UTC')
  t.match(formatTime('2025-12-31T11:30:00.000Z', 'Pacific/Kiritimati'), /^1 Jan 2026, 01:30:00/)
})

await t.test('an age is rounded to the nearest unit, in the past and in the future', async (t) => {
  const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000]
  for (const [away, ahead, ago] of [
    [7 * day - 5 * second, 'in 7 days', '7 days ago'],
    [7 * day, 'in 7 days', '7 days ago'],
    [6.4 * day, 'in 6 days', '6 days ago'],
    [23.6 * hour, 'tomorrow', 'yesterday'],
    [23.4 * hour, 'in 23 hours', '23 hours ago'],
    [59.6 * minute, 'in 1 hour', '1 hour ago'],
    [1.5 * minute, 'in 2 minutes', '2 minutes ago'],
    [59.6 * second, 'in 1 minute', '1 minute ago'],
    [59.4 * second, 'in 59 seconds', '59 seconds ago'],
    [0.4 * second, 'now', 'now'],
  ] as const) {
    t.equal(formatAge(away, 0), ahead)
    t.equal(formatAge(-away, 0), ago)
  }
})

await t.test('a day is that of the time zone, and has its year only if that is not the present one', async (t) => {
  const year = Number(databaseTime().slice(0, 4))
  t.equal(formatDay(`${year}-06-30T22:30:00.000Z`, 'Europe/Berlin'), '1 Jul')
  t.equal(formatDay(`${year}-06-30T22:30:00.000Z`, 'UTC'), '30 Jun')
  t.equal(formatCalendarDay(`${year - 1}-12-01`), `1 Dec ${year - 1}`)
  t.equal(formatCalendarDay(`${year + 1}-01-31`), `31 Jan ${year + 1}`)
})
