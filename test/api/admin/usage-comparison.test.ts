import t from 'tap'
import { toUuid } from '../../../src/domain/ids.ts'
import { EVERY_KEY } from '../../../projections/bulk-user-logs/tables.ts'
import { browse, cookieOf } from '../../support/http/sessions.ts'
import { startService } from '../../support/service.ts'
import { CALLS_BY_HOUR } from '../../support/postgres/projection-tables.ts'

/* Usage in the days of the company's time zone, beside that of the days before. */

const service = await startService(t)
const cookie = await cookieOf(service, service.company.admin)
const setTimeZone = async (timeZone: string) => {
  const { status } = await service.manage('PATCH', '/company', { time_zone: timeZone })
  t.equal(status, 200)
}
const HOUR_MS = 3_600_000

/** Replaces all sums by some calls in each of these hours (RFC 3339 or milliseconds). */
async function storeCalls(hours: Record<string | number, number>, status = 'Completed') {
  await service.pool.query(`delete from ${CALLS_BY_HOUR}`)
  for (const [hour, calls] of Object.entries(hours)) {
    await service.pool.query(
      `insert into ${CALLS_BY_HOUR} values ($1, $2, $3, 'create', $5, $4, 10 * $4::bigint, 0, 0, 0, 0)`,
      [toUuid(service.company.id), toUuid(EVERY_KEY), hour, calls, status],
    )
  }
}
interface Days {
  from: string
  to: string
  items: { day: string; calls: number }[]
}
const callsOf = ({ items }: Days) => items.map(({ day, calls }) => [day, calls])

await t.test('the days before are as many, and end where the range begins', async (t) => {
  await storeCalls({ '2026-03-01T12:00:00Z': 1, '2026-03-03T23:00:00Z': 2, '2026-03-04T00:00:00Z': 4 })
  const { body } = await service.admin('/usage?from=2026-03-04&to=2026-03-06&previous=true')
  t.strictSame(callsOf(body), [['2026-03-04', 4]])
  t.match(body.previous, { from: '2026-03-01', to: '2026-03-03' })
  t.strictSame(callsOf(body.previous), [
    ['2026-03-01', 1],
    ['2026-03-03', 2],
  ])
  t.notOk('previous' in (await service.admin('/usage?from=2026-03-04&to=2026-03-06')).body, 'only if asked for')
})

await t.test("the company's days have 23 and 25 hours when its clocks change", async (t) => {
  await setTimeZone('Europe/Berlin')
  const hoursFrom = (first: string, hours: number) =>
    Object.fromEntries(
      Array.from({ length: hours }, (_, at) => [new Date(Date.parse(first) + at * HOUR_MS).toJSON(), 1]),
    )
  await storeCalls(hoursFrom('2026-03-27T23:00:00Z', 72))
  const spring = await service.admin('/usage?from=2026-03-29&to=2026-03-29&previous=true&days_in=company')
  t.equal(spring.body.time_zone, 'Europe/Berlin')
  t.strictSame(callsOf(spring.body), [['2026-03-29', 23]])
  t.strictSame(callsOf(spring.body.previous), [['2026-03-28', 24]])
  await storeCalls(hoursFrom('2026-10-23T22:00:00Z', 72))
  const autumn = await service.admin('/usage?from=2026-10-24&to=2026-10-25&days_in=company')
  t.strictSame(callsOf(autumn.body), [
    ['2026-10-24', 24],
    ['2026-10-25', 25],
  ])
})

await t.test('a day that begins within an hour (UTC) is counted from its first full hour', async (t) => {
  await setTimeZone('Asia/Kolkata')
  await storeCalls({ '2026-05-01T18:00:00Z': 1, '2026-05-01T19:00:00Z': 2 })
  const { body } = await service.admin('/usage?from=2026-05-01&to=2026-05-02&days_in=company')
  t.strictSame(callsOf(body), [
    ['2026-05-01', 1],
    ['2026-05-02', 2],
  ])
  t.match((await browse(service, '/settings/usage', { cookie })).text, 'counted from its first full hour in UTC')
})

await t.test('a range at the ends of the calendar is empty, and not an error', async (t) => {
  for (const range of ['from=0001-01-02&to=0001-02-01', 'from=9999-12-01&to=9999-12-31', 'to=1899-12-31']) {
    const { status, body } = await service.admin(`/usage?${range}&previous=true&days_in=company`)
    t.match({ status, items: body.items }, { status: 200, items: [] }, range)
  }
  t.equal((await service.admin('/usage?days_in=mars')).status, 400)
})

await t.test("the page shows the sums of the range, in the company's days", async (t) => {
  await setTimeZone('Pacific/Auckland')
  const now = Date.now()
  const daysAgo = (days: number) => new Date(Math.floor(now / HOUR_MS) * HOUR_MS - days * 24 * HOUR_MS).toJSON()
  await storeCalls({ [daysAgo(1)]: 1_120, [daysAgo(9)]: 1_000, [daysAgo(20)]: 7 })
  const open = async (days: number) => (await browse(service, `/settings/usage?days=${days}`, { cookie })).text
  const cellsOf = (text: string, label: string) => {
    const row = text.split(`<th scope="row">${label}</th>`)[1]!.split('</tr>')[0]!
    return [...row.matchAll(/<td[^>]*>([^<]*)<\/td>/g)].map(([, cell]) => cell!.trim())
  }
  const week = await open(7)
  t.strictSame(cellsOf(week, 'Calls completed'), ['1,120'])
  t.strictSame(cellsOf(week, 'Records in completed calls'), ['11,200'])
  t.strictSame(cellsOf(week, 'Calls failed'), ['0'])
  t.match(week, 'Days are in Pacific/Auckland')
  t.strictSame(cellsOf(await open(90), 'Calls completed'), ['2,127'])
  await storeCalls({ [daysAgo(9)]: 5 })
  t.match(await open(7), 'No calls in the last 7 days')
})
