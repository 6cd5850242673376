import pg from 'pg'
import t from 'tap'
import { runSql } from '../support/postgres/run-sql.ts'
import { NAMES } from '../support/postgres/test-server.ts'
import { UNDO_LAST } from '../support/undo-last.ts'
import { failsWithLine, launch, makeDataDir, runCommand, runJson, startServer } from '../support/processes/cli.ts'
import { createEmptyDatabase } from '../support/postgres/empty-database.ts'
import { createTestDatabase } from '../support/postgres/test-database.ts'

/* A deploy: the new version migrates the database while processes of the old one run, stop and start again. */

const LACKS = 'employee-ledger: the database is not set up for this version: run `npm run --silent cli -- migrate`\n'

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
  await runSql(
    urls.ownerUrl,
    `insert into kysely_migration (name, timestamp) values ('9999-of-tomorrow', '2026-01-01')`,
    `create schema employees_v2`,
    `update setup set fingerprint = 'of tomorrow'`,
  )
  const settings = settingsOf(urls)
  for (const command of ['serve', 'start'])
    t.equal((await (await startServer(t, [command], settings)).end('SIGTERM')).exitCode, 0, command)
  t.same(await runJson(t, ['migrate'], settings), { current: true, done: [] })
  const client = new pg.Client({ connectionString: urls.superUrl })
  await client.connect()
  t.teardown(() => client.end())
  t.equal((await client.query('select fingerprint from setup')).rows[0].fingerprint, 'of tomorrow')
})

await t.test('a database that is behind, or lacks what this version reads, is refused', async (t) => {
  const lacks: Record<string, string[]> = {
    'a migration': UNDO_LAST,
    'the tables of a projection': ['drop schema employees_v1 cascade'],
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
  t.match(first, {
    exitCode: 0,
    stdout: /^migration 0001-ledger\n[^]*projection employees version 1: tables\n[^]*dry run: nothing was changed\n$/,
  })
  t.equal((await runCommand(t, ['migrate', '--dry-run'], empty)).stdout, first.stdout)

  const urls = await createTestDatabase(t)
  const settings = settingsOf(urls)
  t.same(await runJson(t, ['migrate', '--dry-run'], settings), { current: true, would_do: [] })
  await runSql(urls.ownerUrl, ...UNDO_LAST)
  const would = await runJson<{ would_do: string[] }>(t, ['migrate', '--dry-run'], settings)
  t.match(would, {
    current: false,
    would_do: [/^migration 0008/, /^migration 0009/, /^migration 0010/, /^migration 0011/],
  })
  t.match(await runJson(t, ['migrate'], settings), {
    current: true,
    done: ['0008', '0009', '0010', '0011'].map((number) => new RegExp(`^migration ${number}.*: done$`)),
  })
})

for (const [what, table] of Object.entries({
  'a migration': 'checkpoints',
  'the set-up of the job queues': 'pgboss.queue',
})) {
  await t.test(`${what} gives up waiting for a locked table, so that others can use it, and tries again`, async (t) => {
    const urls = await createTestDatabase(t)
    await runSql(urls.ownerUrl, ...UNDO_LAST)
    const reader = new pg.Client({ connectionString: urls.superUrl })
    await reader.connect()
    t.teardown(() => reader.end())
    await reader.query('begin')
    await reader.query(`lock table ${table} in access exclusive mode`)
    const migrating = launch(t, ['migrate'], settingsOf(urls))
    await migrating.prints('a table is in use; retrying (1 of 59)\n')
    await reader.query('commit')
    t.match(await migrating.ended, {
      exitCode: 0,
      stdout: /migration 0011[^\n]*: done\n[^]*the database is up to date\n$/,
    })
  })
}
