import t from 'tap'
import { streamOf } from '../../support/ledger/company-events.ts'
import { employee, startService } from '../../support/service.ts'

const service = await startService(t)
const { company } = service
const headPosition = async () =>
  (
    await service.pool.query<{ position: number }>(
      'select position from heads h join companies c using (company_id) where c.name = $1',
      [company.name],
    )
  ).rows[0]!.position

await t.test('a company has a time zone, UTC until someone chooses another', async (t) => {
  const { status, body } = await service.manage('GET', '/company')
  t.equal(status, 200)
  t.match(body, { id: company.id, name: 'Acme', time_zone: 'UTC', created_at: /^2.*Z$/ })
})

await t.test('a new time zone is an event of the company; the same one again is none', async (t) => {
  const changed = await service.manage('PATCH', '/company', { time_zone: 'Europe/Berlin' })
  t.equal(changed.status, 200)
  t.match(changed.body, { id: company.id, time_zone: 'Europe/Berlin' })
  t.equal(Number(changed.headers['x-ledger-position']), await headPosition())
  for (const body of [{ time_zone: 'Europe/Berlin' }, { time_zone: 'europe/berlin' }, {}]) {
    const again = await service.manage('PATCH', '/company', body)
    t.match(again, { status: 200, body: { time_zone: 'Europe/Berlin' } })
    t.notOk(again.headers['x-ledger-position'])
  }
  await service.manage('PATCH', '/company', { time_zone: 'Asia/Kolkata' })
  t.match(await streamOf(service, company.id), [
    { type: 'CompanyRegistered', version: 1 },
    {
      type: 'CompanyTimeZoneChanged',
      version: 2,
      actor: company.admin.user_id,
      data: { from: 'UTC', to: 'Europe/Berlin' },
    },
    { type: 'CompanyTimeZoneChanged', version: 3, data: { from: 'Europe/Berlin', to: 'Asia/Kolkata' } },
  ])
  t.equal((await service.manage('GET', '/company')).body.time_zone, 'Asia/Kolkata')
})

await t.test('a new country is an event of the company, as is none again; the same one is no event', async (t) => {
  const countryEvents = async () =>
    (await streamOf(service, company.id)).flatMap(({ type, data }) => (type === 'CompanyCountryChanged' ? [data] : []))
  t.equal((await service.manage('GET', '/company')).body.country, null)
  for (const country of ['de', 'DE', null, null]) {
    const { status, body } = await service.manage('PATCH', '/company', { country })
    t.strictSame([status, body.country], [200, country && 'DE'])
  }
  t.strictSame(await countryEvents(), [
    { from: null, to: 'DE' },
    { from: 'DE', to: null },
  ])
  const both = await service.manage('PATCH', '/company', { country: 'ES', time_zone: 'Europe/Madrid' })
  t.match(both.body, { country: 'ES', time_zone: 'Europe/Madrid' })
  t.match((await streamOf(service, company.id)).slice(-2), [
    { type: 'CompanyTimeZoneChanged' },
    { type: 'CompanyCountryChanged', data: { from: null, to: 'ES' } },
  ])
  await service.manage('PATCH', '/company', { country: null })
})

await t.test('what is no country is a 422 at its field, and changes nothing', async (t) => {
  const before = await headPosition()
  for (const country of ['QQ', 'Germany', '', 7, '49']) {
    const { status, body } = await service.manage('PATCH', '/company', { country, time_zone: 'Asia/Tokyo' })
    t.equal(status, 422, String(country))
    const message = typeof country === 'string' ? /ISO 3166-1 alpha-2 code, such as DE/ : /string/
    t.match(body.errors, [{ pointer: '/country', message }])
  }
  t.equal(await headPosition(), before)
})

await t.test('simultaneous changes run one after the other, each starting from the last', async (t) => {
  const zones = ['Asia/Tokyo', 'America/Lima', 'Africa/Cairo', 'Asia/Tokyo', 'UTC']
  const answers = await Promise.all(zones.map((zone) => service.manage('PATCH', '/company', { time_zone: zone })))
  t.ok(answers.every(({ status }) => status === 200))
  const events = (await streamOf(service, company.id)).filter(({ type }) => type === 'CompanyTimeZoneChanged')
  const changes = events.map(({ data }) => data as { from: string; to: string })
  t.strictSame(
    changes.slice(1).map(({ from }) => from),
    changes.slice(0, -1).map(({ to }) => to),
  )
  t.equal((await service.manage('GET', '/company')).body.time_zone, changes.at(-1)!.to)
})

await t.test('the read models skip it', async (t) => {
  await service.manage('PATCH', '/company', { time_zone: 'America/Bogota' })
  const { body } = await service.call('POST', '/v1/employees', { body: employee() })
  t.match((await service.logOf(body.log_id)).entry, { status: 'Completed' })
  const { rows } = await service.pool.query('select distinct position from checkpoints')
  t.strictSame(rows, [{ position: await headPosition() }])
})

await t.test('an invalid time zone is a 422 at its field, and changes nothing', async (t) => {
  const before = await headPosition()
  for (const time_zone of ['Nowhere/Land', '', '+01:00', null, 7]) {
    const { status, body } = await service.manage('PATCH', '/company', { time_zone })
    t.equal(status, 422, String(time_zone))
    t.match(body.errors, [{ pointer: '/time_zone' }])
  }
  t.match((await service.manage('PATCH', '/company', { name: 'Other' })).body.errors, [{ code: 'unknown_field' }])
  t.equal(await headPosition(), before)
})
