import { randomBytes } from 'node:crypto'
import pg from 'pg'
import t from 'tap'
import { employees } from '../../projections/employees/fold.ts'
import { schemaOf } from '../../projections/projection.ts'
import { CITUS_URL } from '../support/postgres/citus-url.ts'
import { runSql } from '../support/postgres/run-sql.ts'
import { NAMES, testServerUrls } from '../support/postgres/test-server.ts'
import { failsWithLine, launch, makeDataDir, runCommand, runJson, startServer } from '../support/processes/cli.ts'
import { createEmptyDatabase } from '../support/postgres/empty-database.ts'
import { createTestDatabase } from '../support/postgres/test-database.ts'

/* A deploy: the new version migrates the database while processes of the old one run, stop and start again. */

const LACKS = 'employee-ledger: the database is not set up for this version: run `npm run --silent cli -- migrate`\n'
const NEWER = 'a newer version has migrated the database, which has all that this version needs'
const PLANTER = new URL('../faults/bugs/plant.ts', import.meta.url).href
/** Makes a process one of the next version. */
const NEXT = { NODE_OPTIONS: `--import ${PLANTER}`, PLANT: 'the next version' }

function settingsOf(urls: { serviceUrl: string; ownerUrl: string }) {
  const DATABASE_URL = urls.serviceUrl
  return {
    DATABASE_URL,
    MIGRATE_DATABASE_URL: urls.ownerUrl,
    DATA_DIR: makeDataDir(t),
    LOG_LEVEL: 'warn',
    SIGNING_KEY: '',
  }
}

await t.test('older processes start on a newer database, and their migrate and start leave it unchanged', async (t) => {
  const urls = await createTestDatabase(t)
  const settings = settingsOf(urls)
  await runJson(t, ['migrate'], { ...settings, ...NEXT })
  const client = new pg.Client({ connectionString: urls.superUrl })
  await client.connect()
  t.teardown(() => client.end())
  const readSetup = async () => (await client.query('select fingerprint from setup')).rows
  const ofTheNext = await readSetup()
  for (const command of ['serve', 'start'])
    t.equal((await (await startServer(t, [command], settings)).end('SIGTERM')).exitCode, 0, command)
  t.same(await runJson(t, ['migrate'], settings), { current: true, newer: true, done: [] })
  t.strictSame(await readSetup(), ofTheNext)
  for (const words of [['migrate'], ['migrate', '--dry-run'], ['doctor']])
    t.match((await runCommand(t, words, settings)).stdout, NEWER, words.join(' '))
  t.notMatch((await runCommand(t, ['migrate'], { ...settings, ...NEXT })).stdout, NEWER)
})

await t.test('a database of a version before 1.0.0 is refused, also in a dry run', async (t) => {
  const urls = await createEmptyDatabase(t)
  await runSql(
    urls.ownerUrl,
    'create table kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null)',
    `insert into kysely_migration values ('0001-ledger', '2026-11-20'), ('0002-idempotency-keys', '2026-11-20')`,
  )
  const refusal =
    'employee-ledger: a version before 1.0.0 made this database, and no release can upgrade it: use an empty one\n'
  for (const words of [['migrate', '--dry-run'], ['migrate']])
    failsWithLine(t, await runCommand(t, words, settingsOf(urls)), refusal)
})

await t.test('a database that no release made is refused by every command, with what tells it', async (t) => {
  const traces: Record<string, [sql: string, trace: RegExp]> = {
    'a migration that was renamed before it was published': [
      `update kysely_migration set name = '0006-renamed' where name = '0006-undoings'`,
      /its migration 0006-renamed was never published/,
    ],
    'a migration that came into the list later': [
      `delete from kysely_migration where name = '0006-undoings'`,
      /it lacks the migration 0006-undoings and has a later one/,
    ],
    'a projection that got another table': [
      `drop table ${schemaOf(employees)}.employees cascade`,
      /it has no employees_v\d+\.employees\./,
    ],
  }
  for (const [what, [statement, trace]] of Object.entries(traces)) {
    const urls = await createTestDatabase(t)
    await runSql(urls.ownerUrl, statement)
    const settings = settingsOf(urls)
    for (const words of [['serve'], ['start'], ['migrate'], ['migrate', '--dry-run']]) {
      const { exitCode, stderr } = await runCommand(t, words, settings)
      t.equal(exitCode, 1, words.join(' '))
      t.match(
        stderr,
        /^employee-ledger: .*an unpublished version made this database \(.*: use an empty one, or .*\n$/,
        what,
      )
      t.match(stderr, trace, what)
    }
    t.match((await runCommand(t, ['doctor'], settings)).stdout, trace, what)
  }
})

await t.test('a database that is behind is refused', async (t) => {
  const settings = settingsOf(await createTestDatabase(t))
  failsWithLine(t, await runCommand(t, ['serve'], { ...settings, ...NEXT }), LACKS)
})

await t.test('a database that lacks what this version reads is refused', async (t) => {
  const lacks: Record<string, string[]> = {
    'the tables of a projection': [`drop schema ${schemaOf(employees)} cascade`],
    'a queue': [
      `delete from pgboss.schedule where name = 'retire-records'`,
      `delete from pgboss.queue where name = 'retire-records'`,
    ],
    'the rights of the service': [`revoke select on events from ${NAMES.service}`],
  }
  for (const [what, statements] of Object.entries(lacks)) {
    const urls = await createTestDatabase(t)
    await runSql(urls.ownerUrl, ...statements)
    await t.test(what, async (t) => failsWithLine(t, await runCommand(t, ['serve'], settingsOf(urls)), LACKS))
  }
})

await t.test('a dry run prints the steps and does nothing', async (t) => {
  const empty = settingsOf(await createEmptyDatabase(t))
  const first = await runCommand(t, ['migrate', '--dry-run'], empty)
  const tables = `projection employees version ${employees.version}: tables`
  t.match(first, { exitCode: 0, stdout: /^migration 0001-first-release\n[^]*\ndry run: nothing was changed\n$/ })
  t.ok(first.stdout.includes(`\n${tables}\n`))
  t.equal((await runCommand(t, ['migrate', '--dry-run'], empty)).stdout, first.stdout)

  const urls = await createTestDatabase(t)
  const settings = settingsOf(urls)
  t.same(await runJson(t, ['migrate', '--dry-run'], settings), { current: true, would_do: [] })
  const next = { ...settings, ...NEXT }
  const steps = [
    /^migration 9999-of/,
    /^migration 9999-tomorrows/,
    new RegExp(`^projection employees version ${employees.version + 1}: tables`),
  ]
  t.match(await runJson(t, ['migrate', '--dry-run'], next), { current: false, would_do: steps })
  t.match(await runJson(t, ['migrate'], next), { current: true, done: steps })
  t.same(await runJson(t, ['migrate', '--dry-run'], next), { current: true, would_do: [] })
})

const oneServer = CITUS_URL === undefined ? {} : { skip: 'on Citus, a role is made on every machine' }
await t.test(
  'each role that becomes that of the service gets its rights, and the others keep theirs',
  oneServer,
  async (t) => {
    const added = `service_${randomBytes(6).toString('hex')}`
    const { superUrl } = testServerUrls()
    await runSql(superUrl, `create role ${added} login password 'secret'`)
    t.teardown(() => runSql(superUrl, `drop role ${added}`))
    const urls = await createEmptyDatabase(t)
    const settings = settingsOf(urls)
    await runJson(t, ['migrate'], { ...settings, DATABASE_URL: urls.ownerUrl })
    const addedUrl = Object.assign(new URL(urls.serviceUrl), { username: added, password: 'secret' }).href
    for (const DATABASE_URL of [urls.serviceUrl, addedUrl]) {
      const own = { ...settings, DATABASE_URL }
      failsWithLine(t, await runCommand(t, ['serve'], own), LACKS)
      const plan = { current: false, would_do: ['rights of the service'] }
      t.same(await runJson(t, ['migrate', '--dry-run'], own), plan)
      t.same(await runJson(t, ['migrate'], own), { current: true, done: [] })
    }
    for (const DATABASE_URL of [urls.ownerUrl, urls.serviceUrl, addedUrl]) {
      const own = { ...settings, DATABASE_URL }
      t.same(await runJson(t, ['migrate', '--dry-run'], own), { current: true, would_do: [] })
      t.equal((await (await startServer(t, ['serve'], own)).end('SIGTERM')).exitCode, 0)
    }
  },
)

for (const [what, table] of Object.entries({
  'a migration': 'companies',
  'the set-up of the job queues': 'pgboss.queue',
})) {
  await t.test(`${what} gives up waiting for a locked table, so that others can use it, and tries again`, async (t) => {
    const urls = await createTestDatabase(t)
    const reader = new pg.Client({ connectionString: urls.superUrl })
    await reader.connect()
    t.teardown(() => reader.end())
    await reader.query('begin')
    await reader.query(`lock table ${table} in access exclusive mode`)
    const migrating = launch(t, ['migrate'], { ...settingsOf(urls), ...NEXT })
    await migrating.prints('a table is in use; retrying (1 of 59)\n')
    await reader.query('commit')
    t.match(await migrating.ended, {
      exitCode: 0,
      stdout: /migration 9999[^\n]*: done\n[^]*the database is up to date\n$/,
    })
  })
}
