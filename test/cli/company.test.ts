import t from 'tap'
import { toUuid } from '../../src/domain/ids.ts'
import { failsWithLine, makeDataDir, runCommand, runJson } from '../support/processes/cli.ts'
import { streamOf } from '../support/ledger/company-events.ts'
import { startService } from '../support/service.ts'

const service = await startService(t)
const { id } = service.company
const ENVIRONMENT = { DATABASE_URL: service.urls.serviceUrl, DATA_DIR: makeDataDir(t), LOG_LEVEL: 'warn' }
const setTimeZone = (zone: string, company = id) => ['company', 'set-time-zone', zone, '--company', company]

await t.test("the command line sets a company's time zone, and the event says who did it", async (t) => {
  t.match(await runJson(t, setTimeZone('europe/madrid'), ENVIRONMENT), { company_id: id, time_zone: 'Europe/Madrid' })
  t.equal((await service.manage('GET', '/company')).body.time_zone, 'Europe/Madrid')
  t.match((await streamOf(service, id)).at(-1), {
    type: 'CompanyTimeZoneChanged',
    actor: 'operator',
    data: { from: 'UTC', to: 'Europe/Madrid' },
  })
})

await t.test("the command line sets and removes a company's country", async (t) => {
  const setCountry = (country: string) => ['company', 'set-country', country, '--company', id]
  t.match(await runJson(t, setCountry('de'), ENVIRONMENT), { company_id: id, country: 'DE' })
  t.match((await streamOf(service, id)).at(-1), { type: 'CompanyCountryChanged', data: { from: null, to: 'DE' } })
  t.match(await runJson(t, setCountry('none'), ENVIRONMENT), { company_id: id, country: null })
  t.match((await runCommand(t, setCountry('Germany'), ENVIRONMENT)).stderr, /It must be an ISO 3166-1 alpha-2 code/)
})

await t.test('an unknown time zone or company is a one-line error', async (t) => {
  const wrong = await runCommand(t, setTimeZone('Nowhere/Land'), ENVIRONMENT)
  t.equal(wrong.exitCode, 1)
  t.match(wrong.stderr, /It must be the IANA name of a time zone/)
  failsWithLine(
    t,
    await runCommand(t, setTimeZone('UTC', 'com_01h455vb4pex5vsknk084sn02q'), ENVIRONMENT),
    /there is no company com_01h455vb4pex5vsknk084sn02q/,
  )
})

await t.test('the command line shows a company with its id as the database stores it', async (t) => {
  const shown = await runJson(t, ['company', 'show', '--company', id], ENVIRONMENT)
  t.match(shown, { company_id: id, uuid: toUuid(id), name: service.company.name })
  const nobody = 'com_01h455vb4pex5vsknk084sn02q'
  failsWithLine(
    t,
    await runCommand(t, ['company', 'show', '--company', nobody], ENVIRONMENT),
    /there is no company com_/,
  )
})
