import t from 'tap'
import { PROJECTIONS } from '../../projections/index.ts'
import { eventually } from '../support/eventually.ts'
import { failsWithLine, runCommand, makeDataDir, runJson, startServer, startWorker } from '../support/processes/cli.ts'
import { makeHistory } from '../support/rebuilding.ts'
import { employee, send, startService } from '../support/service.ts'

const PLANTER = new URL('../faults/bugs/plant.ts', import.meta.url).href

await t.test('a raised version of every projection is filled and rebuilt on a database that is served', async (t) => {
  const service = await startService(t)
  await makeHistory(service, service.company, 5)
  await service.project()
  const settings = {
    DATABASE_URL: service.urls.serviceUrl,
    MIGRATE_DATABASE_URL: service.urls.ownerUrl,
    DATA_DIR: makeDataDir(t),
    NODE_OPTIONS: `--import ${PLANTER}`,
    PLANT: 'raised versions',
  }
  const names = PROJECTIONS.map(({ name, version }) => `projection ${name} version ${version + 1}`)
  t.match(await runJson(t, ['migrate'], settings), {
    done: names.map((name) => new RegExp(`^${name}: tables created`)),
  })

  const { key, admin } = service.company
  const read = async (address: string, query = '') => {
    const people = await send(address, 'GET', `/v1/employees?limit=200${query}`, { key })
    const headers = { authorization: `Bearer ${admin.token}` }
    const log = await send(address, 'GET', '/admin/v1/bulk-user-logs?limit=200', { headers })
    return [people, log].map(({ status, body }) => ({ status, items: body.items }))
  }
  const { address } = await startServer(t, ['serve'], settings)
  t.equal((await send(address, 'GET', '/readyz', {})).status, 503, 'its tables are empty')
  failsWithLine(t, await runCommand(t, ['projections', 'prune'], settings), /version \d+ of \w+ is still being filled/)
  await startWorker(t, settings)
  await eventually('the new tables are filled', async () => (await send(address, 'GET', '/readyz', {})).status === 200)
  const before = await read(service.address)
  t.equal(before[0]!.items.length, 15)
  t.strictSame(await read(address), before, 'both versions answer the same')

  const over = new AbortController()
  const reading = (async () => {
    let reads = 0
    for (; !over.signal.aborted; reads += 1) t.strictSame(await read(address), before)
    return reads
  })()
  for (const { name } of PROJECTIONS) {
    const rebuilt = await runJson(t, ['projections', 'rebuild', name], settings)
    t.match(rebuilt, { projection: name, switched: true })
  }
  over.abort()
  t.ok((await reading) > 0)

  const made = await service.call('POST', '/v1/employees', { body: employee() })
  const seen = await read(address, `&min_position=${made.headers['x-ledger-position']}`)
  t.equal(seen[0]!.items.length, 16, 'and what the old version writes later')
  const pruned = await runJson(t, ['projections', 'prune'], settings)
  t.match(JSON.stringify(pruned), new RegExp(`"version":${PROJECTIONS[0]!.version}`))
  t.strictSame((await read(address))[0], seen[0])
})
