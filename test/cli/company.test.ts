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

await t.test('the command line renames a company, and every answer has the new name', async (t) => {
  const rename = ['company', 'rename', 'Acme Ltd', '--company', id]
  for (const _ of ['renamed', 'no change'])
    t.match(await runJson(t, rename, ENVIRONMENT), { company_id: id, name: 'Acme Ltd' })
  const renamed = (await streamOf(service, id)).filter(({ type }) => type === 'CompanyRenamed')
  t.match(renamed, [{ actor: 'operator', data: { from: service.company.name, to: 'Acme Ltd' } }])
  t.equal(renamed.length, 1)
  t.equal((await service.call('GET', '/v1/auth/verify')).body.company_name, 'Acme Ltd')
})

await t.test('the command line lists entries, and shows why records were refused', async (t) => {
  await service.call('POST', '/v1/employees', { body: { first_name: 'Ana', phone: '1' } })
  await service.project()
  const list = ['log', 'list', '--company', id, '--status', 'Failed']
  const [entry] = await runJson<{ id: string }[]>(t, list, ENVIRONMENT)
  t.match(entry, { status: 'Failed', name: 'Public API', by: 'HR sync', failed: 1, http_status: 422 })
  const shown = await runJson(t, ['log', 'show', '--company', id, '--log', entry!.id], ENVIRONMENT)
  t.match(shown, {
    id: entry!.id,
    refused: [{ index: 0, record: { phone: '1' }, errors: [{ pointer: '/phone' }, {}] }],
  })
})

await t.test('a company that does not exist is an error of every command, never an empty list', async (t) => {
  const nobody = ['--company', 'com_01h455vb4pex5vsknk084sn02q']
  const commands = [
    ['key', 'list'],
    ['user', 'list'],
    ['webhook', 'list'],
    ['log', 'list'],
    ['provider', 'show'],
  ]
  const ended = await Promise.all(commands.map((words) => runCommand(t, [...words, ...nobody], ENVIRONMENT)))
  for (const run of ended) failsWithLine(t, run, /there is no company com_01h455vb4pex5vsknk084sn02q/)
})

await t.test('an unknown time zone or company is a one-line error', async (t) => {
  const wrong = await runCommand(t, setTimeZone('Nowhere/Land'), ENVIRONMENT)
  t.equal(wrong.exitCode, 2)
  t.match(wrong.stderr, /It must be the IANA name of a time zone/)
  failsWithLine(
    t,
    await runCommand(t, setTimeZone('UTC', 'com_01h455vb4pex5vsknk084sn02q'), ENVIRONMENT),
    /there is no company com_01h455vb4pex5vsknk084sn02q/,
  )
})

await t.test('the command line shows a company with its id as the database stores it', async (t) => {
  const shown = await runJson(t, ['company', 'show', '--company', id], ENVIRONMENT)
  t.match(shown, { company_id: id, uuid: toUuid(id), name: 'Acme Ltd' })
  const nobody = 'com_01h455vb4pex5vsknk084sn02q'
  failsWithLine(
    t,
    await runCommand(t, ['company', 'show', '--company', nobody], ENVIRONMENT),
    /there is no company com_/,
  )
})
