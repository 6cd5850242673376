import pg from 'pg'
import t from 'tap'
import { checkMachines } from '../../src/cli/doctor/check-machines.ts'
import { askMachines } from '../../src/observe/metrics/database-metrics.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { findUnguardedTables } from '../../src/ledger/audit/unguarded-tables.ts'
import { CITUS_URL } from '../support/postgres/citus-url.ts'
import { attemptSql, runSql } from '../support/postgres/run-sql.ts'
import { NAMES, testServerUrls } from '../support/postgres/test-server.ts'
import { makeDataDir, runJson } from '../support/processes/cli.ts'
import { employee, startService } from '../support/service.ts'

/* What keeps the machines of a cluster alike, and how a difference is found. */

const onCitus = CITUS_URL === undefined ? { skip: 'CITUS_URL names no Citus cluster' } : {}

await t.test('on a cluster', onCitus, async (t) => {
  const service = await startService(t)
  const { urls, db, company } = service
  const inIt = (machine: string) => Object.assign(new URL(machine), { pathname: `/${urls.name}` }).href
  const [coordinator, ...workers] = testServerUrls().machines.map(inIt) as [string, string, string]
  const nameOf = (url: string) => new URL(url).host
  const [worker] = workers
  // The servers of the tests are not durable.
  const faults = async (leftAfterSeconds?: number) =>
    (await checkMachines(db, urls.serviceUrl, { api: 10, worker: 10 }, leftAfterSeconds)).filter(
      ({ level, found }) => level !== 'ok' && !/^(fsync|full_page_writes) is off/.test(found),
    )
  await service.call('POST', '/v1/employees', { body: employee() })

  await t.test('all machines are alike, and a migration changes nothing', async (t) => {
    t.strictSame(await faults(), [])
    const settings = { DATABASE_URL: urls.serviceUrl, MIGRATE_DATABASE_URL: urls.ownerUrl, DATA_DIR: makeDataDir(t) }
    t.strictSame(await runJson(t, ['migrate'], settings), { current: true, done: [] })
  })

  await t.test('a machine that loses commits is found, and migrate mends it', async (t) => {
    await runSql(
      worker,
      'set citus.enable_ddl_propagation = off',
      `alter role ${NAMES.service} in database ${urls.name} set synchronous_commit = off`,
    )
    t.match(await faults(), [
      { check: `machine ${nameOf(worker)}`, level: 'fail', found: /^synchronous_commit is off/ },
    ])
    const settings = { DATABASE_URL: urls.serviceUrl, MIGRATE_DATABASE_URL: urls.ownerUrl, DATA_DIR: makeDataDir(t) }
    const line = `machine ${nameOf(worker)}: defaults of the service's role (synchronous_commit=on)`
    t.strictSame(await runJson(t, ['migrate', '--dry-run'], settings), { current: false, would_do: [line] })
    t.strictSame(await runJson(t, ['migrate'], settings), { current: true, done: [line] })
    t.strictSame(await faults(), [])
  })

  await t.test('a prepared transaction that a crash has left is found, with the command that ends it', async (t) => {
    const client = new pg.Client({ connectionString: urls.serviceUrl })
    await client.connect()
    t.teardown(() => client.end())
    await runSql(worker, 'begin', 'create table left_over (a integer)', `prepare transaction 'citus_0_1_1_1'`)
    t.strictSame(await faults(), [], 'Citus may still end it')
    t.match(await faults(0), [
      {
        check: `machine ${nameOf(worker)}`,
        level: 'fail',
        found: /^1 prepared transactions .* for example citus_0_1_1_1$/,
        advice: `as a superuser on ${nameOf(coordinator)}, run: select recover_prepared_transactions()`,
      },
    ])
    await runSql(coordinator, 'select recover_prepared_transactions()')
    t.strictSame(await faults(0), [])
  })

  await t.test('nobody changes events after their company has moved', async (t) => {
    const shard = `get_shard_id_for_distribution_column('heads', '${toUuid(company.id)}')`
    await runSql(
      coordinator,
      `select isolate_tenant_to_new_shard('heads', '${toUuid(company.id)}', 'CASCADE', shard_transfer_mode => 'block_writes')`,
    )
    const { rows } = await service.pool.query<{ name: string }>(
      `select nodename || ':' || nodeport as name from citus_shards
        where table_name = 'heads'::regclass and shardid = ${shard}`,
    )
    const [from, to] = workers.toSorted((url) => (nameOf(url) === rows[0]!.name ? -1 : 1)).map((url) => new URL(url))
    await runSql(
      coordinator,
      `select citus_move_shard_placement(${shard}, '${from!.hostname}', ${from!.port}, '${to!.hostname}', ${to!.port}, 'block_writes')`,
    )
    for (const statement of [`update events set actor = 'operator'`, 'delete from events', 'truncate events'])
      t.equal(await attemptSql(urls.ownerUrl, statement), '42501', statement)
    t.equal((await service.call('POST', '/v1/employees', { body: employee() })).status, 201)
    t.strictSame(await faults(), [])
  })

  await t.test('shards without their guard are found', async (t) => {
    const client = new pg.Client({ connectionString: worker })
    await client.connect()
    t.teardown(() => client.end())
    await client.query('set citus.override_table_visibility = off')
    await client.query('set citus.enable_manual_changes_to_shards = on')
    const { rows } = await client.query<{ name: string }>(
      `select relname as name from pg_class where relname ~ '^events_[0-9]+$' and relkind = 'r' limit 1`,
    )
    await client.query(`alter table ${rows[0]!.name} disable trigger user`)
    t.strictSame(await findUnguardedTables(db), [rows[0]!.name])
    await client.query(`alter table ${rows[0]!.name} enable trigger user`)
    t.strictSame(await findUnguardedTables(db), [])
  })

  await t.test('a machine that does not answer is named, and the others are checked', async (t) => {
    const ask = () => askMachines(db, urls.serviceUrl)
    t.match(
      await ask(),
      [coordinator, ...workers].map((url) => ({ name: nameOf(url), leftOver: 0 })),
    )
    await runSql(coordinator, `update pg_dist_node set nodeport = 1 where nodeport = ${new URL(worker).port}`)
    const gone = `${new URL(worker).hostname}:1`
    t.match(await faults(), [
      { check: `machine ${gone}`, level: 'fail', found: /^it does not answer \(.*ECONNREFUSED/ },
    ])
    t.match(
      (await ask()).filter(({ leftOver }) => leftOver === null),
      [{ name: gone }],
    )
    await runSql(coordinator, `update pg_dist_node set nodeport = ${new URL(worker).port} where nodeport = 1`)
  })
})
