import { spawn } from 'node:child_process'
import { once } from 'node:events'
import pg from 'pg'
import t from 'tap'
import { migrateDatabase } from '../../src/bootstrap/store.ts'
import type { DatabaseUrls } from '../../src/postgres/database-urls.ts'
import { createEmptyDatabase } from '../support/postgres/empty-database.ts'
import { COMPILE_CACHE } from '../support/processes/compile-cache.ts'
import { MIGRATION_STAGES } from './bugs/plants.ts'

const PLANTER = new URL('./bugs/plant.ts', import.meta.url).href

/** The database's structure, one line for each of our columns, indexes, constraints, functions and triggers. */
async function shapeOf({ ownerUrl }: DatabaseUrls): Promise<string[]> {
  const client = new pg.Client({ connectionString: ownerUrl })
  await client.connect()
  const { rows } = await client.query<{ line: string }>(`
    with ours as (select oid, nspname from pg_namespace where nspname not in ('pg_catalog', 'information_schema', 'pg_toast'))
    select format('%s.%s.%s %s %s', nspname, relname, attname, format_type(atttypid, atttypmod), attnotnull) as line
      from ours join pg_class c on relnamespace = ours.oid join pg_attribute on attrelid = c.oid where attnum > 0 and not attisdropped
    union all select pg_get_constraintdef(c.oid) from ours join pg_constraint c on connamespace = ours.oid
    union all select pg_get_triggerdef(g.oid) from ours join pg_class c on relnamespace = ours.oid join pg_trigger g on tgrelid = c.oid where not tgisinternal
    union all select pg_get_functiondef(p.oid) from ours join pg_proc p on pronamespace = ours.oid
    union all select format('%s.%s %s', nspname, relname, relacl) from ours join pg_class c on relnamespace = ours.oid
    order by 1`)
  await client.end()
  return rows.map(({ line }) => line)
}

/** Migrates in a process that dies at a stage. Returns the signal that ended it; null if it was done before. */
async function migrateUntil(urls: DatabaseUrls, killAt: { stage: string; passes: number }): Promise<string | null> {
  const child = spawn(process.execPath, ['--import', PLANTER, 'src/main.ts', 'migrate'], {
    env: {
      PATH: process.env['PATH'],
      ...COMPILE_CACHE,
      DATABASE_URL: urls.serviceUrl,
      MIGRATE_DATABASE_URL: urls.ownerUrl,
      LOG_LEVEL: 'error',
      KILL_STAGE: killAt.stage,
      KILL_AT: String(killAt.passes),
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await once(child, 'exit')
  return child.signalCode
}

const whole = await createEmptyDatabase(t)
await migrateDatabase(whole, () => undefined)
const expected = await shapeOf(whole)

/** The migrating process is killed every this many passes of a stage. */
const PASSES: Record<string, number> = { 'employee-ledger.migrate.statement': 8, 'employee-ledger.migrate.step': 1 }

for (const stage of MIGRATION_STAGES) {
  await t.test(`a migration killed at any ${stage} is repeated and results in the same database`, async (t) => {
    let kills = 0
    for (let passes = 1; ; passes += PASSES[stage]!) {
      const urls = await createEmptyDatabase(t)
      const signal = await migrateUntil(urls, { stage, passes })
      if (signal === null) break
      kills += 1
      t.equal(signal, 'SIGKILL')
      await migrateDatabase(urls, () => undefined)
      t.strictSame(await shapeOf(urls), expected, `after ${passes} passes`)
    }
    t.ok(kills >= 4, `it was killed ${kills} times`)
  })
}
