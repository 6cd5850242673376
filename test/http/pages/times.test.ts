import t from 'tap'
import { formatTime } from '../../../src/http/pages/parts/times.ts'

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
