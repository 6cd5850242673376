import pg from 'pg'
import t from 'tap'
import { bulkUserLogs } from '../../projections/bulk-user-logs/fold.ts'
import { schemaOf } from '../../projections/projection.ts'
import type { Finding } from '../../src/cli/doctor/finding.ts'
import { eventually } from '../support/eventually.ts'
import { CITUS_URL } from '../support/postgres/citus-url.ts'
import { launch, makeDataDir, runCommand } from '../support/processes/cli.ts'
import { makeHistory } from '../support/rebuilding.ts'
import { employee, startService } from '../support/service.ts'

/* An index that the next version adds to tables of a running service, by a process that is killed meanwhile. */

const PLANTER = new URL('../faults/bugs/plant.ts', import.meta.url).href
const PROJECTION = `projection bulk-user-logs version ${bulkUserLogs.version}`

/** The index, what says that it is missing, and what says that it was created. */
const ADDED = {
  'an index of a projection, whose version stays': {
    PLANT: 'an added index',
    index: `${schemaOf(bulkUserLogs)}.entries_by_duration`,
    missing: `${PROJECTION}: index entries_by_duration`,
    created: `${PROJECTION}: index entries_by_duration created\n`,
  },
  'an index of the ledger, by a migration outside a transaction': {
    PLANT: 'the next version',
    index: 'public.events_by_type',
    missing: 'migration 9999-tomorrows-index',
    created: 'migration 9999-tomorrows-index: done\n',
  },
}

const oneServer = CITUS_URL === undefined ? {} : { skip: 'on Citus, each machine creates its own' }
for (const [what, { PLANT, index, missing, created }] of Object.entries(ADDED)) {
  await t.test(`${what}, is created once, while the service runs and after a kill`, oneServer, async (t) => {
    const service = await startService(t)
    await makeHistory(service, service.company, 2)
    await service.project()
    const settings = {
      DATABASE_URL: service.urls.serviceUrl,
      MIGRATE_DATABASE_URL: service.urls.ownerUrl,
      DATA_DIR: makeDataDir(t),
      NODE_OPTIONS: `--import ${PLANTER}`,
      PLANT,
    }
    const isValid = async () => {
      const { rows } = await service.pool.query<{ indisvalid: boolean }>(
        'select indisvalid from pg_index where indexrelid = to_regclass($1)',
        [index],
      )
      return rows[0]?.indisvalid
    }
    const diagnose = async () => {
      const { stdout } = await runCommand(t, ['doctor', '--json'], settings)
      const { findings } = JSON.parse(stdout) as { findings: Finding[] }
      return findings.find(({ check }) => check === 'migrations')
    }
    const lacks = { level: 'fail', found: new RegExp(`it lacks .*${missing}`) }
    t.match(await diagnose(), lacks)

    // PostgreSQL waits for this transaction before an index is valid.
    const [reader, watcher] = [1, 2].map(() => new pg.Client({ connectionString: service.urls.superUrl })) as [
      pg.Client,
      pg.Client,
    ]
    for (const client of [reader, watcher]) {
      await client.connect()
      t.teardown(() => client.end())
    }
    await reader.query('begin isolation level repeatable read')
    await reader.query('select')
    const killed = launch(t, ['migrate'], settings)
    await eventually('the index is being created', async () => (await isValid()) === false)
    t.equal((await service.call('POST', '/v1/employees', { body: employee() })).status, 201, 'writers continue')
    await service.project()
    t.equal((await killed.end('SIGKILL')).signal, 'SIGKILL')
    t.equal(await isValid(), false)
    t.match(await diagnose(), lacks, 'an invalid index is a missing one')

    const listWaiting = async () => {
      const { rows } = await watcher.query(
        `select from pg_stat_activity where query like 'create index concurrently%' and wait_event = 'virtualxid'`,
      )
      return rows
    }
    // Otherwise its server process could still complete the index.
    await eventually('the killed one has ended', async () => (await listWaiting()).length === 0)
    const both = [launch(t, ['migrate'], settings), launch(t, ['migrate'], settings)]
    await eventually('one waits for the reader', async () => (await listWaiting()).length === 1)
    await reader.query('rollback')
    const ended = await Promise.all(both.map(({ ended }) => ended))
    for (const end of ended) t.match(end, { exitCode: 0, stdout: /the database is up to date\n$/ })
    const output = ended.map(({ stdout }) => stdout).join('')
    t.equal(output.split(created).length - 1, 1, output)
    t.equal(await isValid(), true)
    t.match(await diagnose(), { level: 'ok' })
    await service.project()
    t.equal((await service.admin('/bulk-user-logs?limit=200')).body.items.length, 7)
  })
}
