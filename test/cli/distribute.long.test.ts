import pg from 'pg'
import t from 'tap'
import { CITUS_URL } from '../support/postgres/citus-url.ts'
import { failsWithLine, makeDataDir, runCommand, runJson, startServer } from '../support/processes/cli.ts'
import { openDatabaseLine } from '../support/lines/database-line.ts'
import { createEmptyDatabase } from '../support/postgres/empty-database.ts'
import { eventually } from '../support/eventually.ts'
import { employee, send } from '../support/service.ts'
import { createClusterTestDatabase, createTestDatabase } from '../support/postgres/test-database.ts'

function settingsOf(urls: { serviceUrl: string; ownerUrl: string }) {
  return {
    DATABASE_URL: urls.serviceUrl,
    MIGRATE_DATABASE_URL: urls.ownerUrl,
    DATA_DIR: makeDataDir(t),
    SIGNING_KEY: '',
    LOG_LEVEL: 'warn',
  }
}

const onCitus = CITUS_URL === undefined ? { skip: 'CITUS_URL names no Citus cluster' } : {}

await t.test('without Citus, or with a single role, it prints one line and does nothing', async (t) => {
  const settings = settingsOf(await createEmptyDatabase(t))
  failsWithLine(
    t,
    await runCommand(t, ['distribute'], settings),
    /this database has no Citus: a superuser adds it with `create extension citus`/,
  )
  failsWithLine(t, await runCommand(t, ['distribute', '--dry-run', '--json'], settings), /this database has no Citus/)
  failsWithLine(
    t,
    await runCommand(t, ['distribute'], { ...settings, DATABASE_URL: settings.MIGRATE_DATABASE_URL }),
    /set MIGRATE_DATABASE_URL to another role/,
  )
  failsWithLine(
    t,
    await runCommand(t, ['distribute'], { DATA_DIR: makeDataDir(t) }),
    /the embedded database has no Citus; set DATABASE_URL/,
  )
})

/**
 * When you add a table without a company, say in src/migration/distribution-steps.ts where it goes on a
 * cluster.
 */
await t.test('every table has a company, except the known ones', async (t) => {
  const client = new pg.Client({ connectionString: (await createTestDatabase(t)).ownerUrl })
  await client.connect()
  t.teardown(() => client.end())
  const { rows } = await client.query<{ name: string }>(`select c.relname as name from pg_class c
    where c.relkind = 'r' and c.relnamespace not in (select oid from pg_namespace where nspname ~ '^(pg_|pgboss$|information_schema$|citus|columnar)')
      and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype = 'e')
      and not exists (select 1 from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
        where i.indrelid = c.oid and i.indisprimary and a.attname = 'company_id') order by 1`)
  t.strictSame(
    rows.map(({ name }) => name),
    ['kysely_migration', 'kysely_migration_lock', 'projection_versions', 'setup'],
  )
})

await t.test(
  'existing rows are moved, an interrupted run is continued, and a second run finds nothing to do',
  onCitus,
  async (t) => {
    const urls = await createClusterTestDatabase(t)
    const settings = settingsOf(urls)
    failsWithLine(t, await runCommand(t, ['distribute'], settings), /the database is not set up: run .* migrate/)
    t.equal((await runCommand(t, ['migrate'], settings)).exitCode, 0)
    const { company_id: company } = await runJson<{ company_id: string }>(
      t,
      ['company', 'create', '--name', 'Acme', '--admin-email', 'ada@acme.example'],
      settings,
    )
    const key = await runJson<{ api_id: string; api_key: string }>(
      t,
      ['key', 'issue', '--company', company, '--name', 'HR'],
      settings,
    )
    const create = (address: string) => send(address, 'POST', '/v1/employees', { key, body: employee() })
    const server = await startServer(t, ['serve'], settings)
    const before = await create(server.address)
    t.equal(before.status, 201)
    failsWithLine(
      t,
      await runCommand(t, ['distribute'], settings),
      /the service is running \(.*employee-ledger process \d+ on .+\): stop all of its processes/,
    )
    await server.end('SIGTERM')

    const { would_do: plan } = await runJson<{ would_do: string[] }>(t, ['distribute', '--dry-run'], settings)
    t.ok(plan.includes('table events: distributed by company_id'))
    await asOwner(
      urls.ownerUrl,
      `select create_distributed_table('heads', 'company_id', colocate_with => 'none', shard_count => 4)`,
    )
    failsWithLine(t, await runCommand(t, ['serve'], settings), /not set up for this version/)
    t.match(await runJson(t, ['distribute'], settings), { distributed: true, done: plan.slice(1) })
    t.strictSame(await runJson(t, ['distribute'], settings), { distributed: true, done: [] })
    t.strictSame(await runJson(t, ['migrate'], settings), { current: true, done: [] })

    const again = await startServer(t, ['serve'], settings)
    t.match(await send(again.address, 'GET', `/v1/employees/${before.body.employees[0].id}`, { key }), {
      status: 200,
      body: before.body.employees[0],
    })
    t.equal(
      Number((await create(again.address)).headers['x-ledger-position']),
      Number(before.headers['x-ledger-position']) + 2,
    )
    await again.end('SIGTERM')
    const { stdout } = await runCommand(t, ['doctor', '--json'], settings)
    const { findings } = JSON.parse(stdout) as { findings: { check: string }[] }
    t.match(
      findings.find(({ check }) => check === 'append-only'),
      { level: 'ok', found: /triggers reject changes/ },
    )
    t.equal(
      await asOwner(
        urls.ownerUrl,
        `select count(*) from pg_class c join pg_dist_partition p on p.logicalrelid = c.oid where pg_relation_size(c.oid) > 0`,
      ),
      '0',
      'nothing is left on the coordinator',
    )
    t.equal(
      await asOwner(
        urls.ownerUrl,
        "select count(distinct colocation_id) from citus_tables where distribution_column = 'company_id'",
      ),
      '1',
    )
  },
)

await t.test(
  'a process that lost its connection, and finds the tables distributed, ends with one line',
  onCitus,
  async (t) => {
    const urls = await createClusterTestDatabase(t)
    const settings = settingsOf(urls)
    t.equal((await runCommand(t, ['migrate'], settings)).exitCode, 0)
    let port = Number(new URL(urls.serviceUrl).port)
    const line = await openDatabaseLine(t, () => port)
    const server = await startServer(t, ['serve'], { ...settings, DATABASE_URL: line.through(urls.serviceUrl) })
    // Nobody listens there.
    const real = port
    port = 1
    line.reset()
    await eventually('the server has noticed', async () => {
      const { exitCode } = await runCommand(t, ['distribute'], settings)
      return exitCode === 0
    })
    port = real
    const { exitCode, stderr } = await server.ended
    t.equal(exitCode, 1)
    t.match(
      stderr,
      /^employee-ledger: the tables were distributed while this process had no connection: restart this process$/m,
    )
  },
)

async function asOwner(url: string, statement: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<Record<string, unknown>>(statement)
    return Object.values(rows[0]!)[0]
  } finally {
    await client.end()
  }
}
