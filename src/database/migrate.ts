import { createHash } from 'node:crypto'
import { promises as fs } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { FileMigrationProvider, Migrator } from 'kysely/migration'
import { PROJECTIONS } from '../../projections/index.ts'
import type { Projection } from '../../projections/projection.ts'
import { schemaOf } from '../../projections/projection.ts'
import type { DatabaseUrls } from './database-urls.ts'
import { openDatabase } from './kysely.ts'
import { openPool } from './pool.ts'
import { grantToService } from './roles.ts'
import { StartupError } from './startup-error.ts'

const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url))
const OLDEST_SERVER = 150_000
const ONE_AT_A_TIME = 7_307_114

export interface MigrateHooks {
  /** Makes the job queues, as the owner. */
  createQueues(ownerUrl: string): Promise<void>
  /** What the queues are made of, so that a change of it is noticed. */
  queuesVersion: string
  /** Told what was done, a line each. */
  onStep(line: string): void
}

/**
 * Brings a database to what this version of the program needs: migrations, tables of new projection versions, queues,
 * rights of the service's role. Safe to run any number of times and from any number of processes at once.
 */
export async function migrate(urls: DatabaseUrls, hooks: MigrateHooks, projections = PROJECTIONS): Promise<void> {
  const pool = openPool({ url: urls.ownerUrl, name: 'employee-ledger migrate', max: 3, statementTimeoutMs: 3_600_000 })
  const db = openDatabase<unknown>(pool)
  try {
    await db.connection().execute(async (connection) => {
      await assertUsable(connection)
      await sql`set lock_timeout = 0`.execute(connection)
      await sql`select pg_advisory_lock(${ONE_AT_A_TIME})`.execute(connection)
      if (await isCurrent(connection, hooks.queuesVersion, projections)) return
      await runMigrations(db, hooks)
      await createProjectionTables(db, hooks, projections)
      await hooks.createQueues(urls.ownerUrl)
      await grantToService(db, urls, projections)
      await setFingerprint(connection, await fingerprint(hooks.queuesVersion, projections))
    })
  } finally {
    await db.destroy()
  }
}

/** Whether the database is what this version of the program needs. */
export async function isCurrent(db: Kysely<unknown>, queuesVersion: string, projections = PROJECTIONS): Promise<boolean> {
  const { rows } = await sql<{ made: boolean }>`select to_regclass('public.setup') is not null as made`.execute(db)
  if (!rows[0]?.made) return false
  const found = await sql<{ fingerprint: string }>`select fingerprint from public.setup`.execute(db)
  return found.rows[0]?.fingerprint === (await fingerprint(queuesVersion, projections))
}

async function fingerprint(queuesVersion: string, projections: readonly Projection[]): Promise<string> {
  const parts = [...(await migrationFiles()), ...projections.map(schemaOf), queuesVersion]
  return createHash('sha256').update(parts.join('\n')).digest('hex')
}

/** The name of the last migration; a program whose database lacks it does not start. */
export async function lastMigration(): Promise<string> {
  return (await migrationFiles()).at(-1)!.replace(/\.ts$/, '')
}

async function migrationFiles(): Promise<string[]> {
  return (await fs.readdir(MIGRATIONS)).filter((file) => file.endsWith('.ts')).sort()
}

async function setFingerprint(db: Kysely<unknown>, value: string): Promise<void> {
  await sql`insert into public.setup (id, fingerprint) values (1, ${value})
    on conflict (id) do update set fingerprint = excluded.fingerprint`.execute(db)
}

async function assertUsable(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ version: number; encoding: string }>`
    select current_setting('server_version_num')::integer as version, current_setting('server_encoding') as encoding`.execute(db)
  const { version, encoding } = rows[0]!
  if (version < OLDEST_SERVER) throw new StartupError(`PostgreSQL 15 or newer is needed, this is ${Math.floor(version / 10_000)}`)
  // The ledger keeps exact bytes as text: another encoding would not give them back as they were hashed.
  if (encoding !== 'UTF8') throw new StartupError(`the database's encoding must be UTF8, it is ${encoding}`)
}

async function runMigrations(db: Kysely<unknown>, { onStep }: MigrateHooks): Promise<void> {
  const provider = new FileMigrationProvider({ fs, path, migrationFolder: MIGRATIONS })
  const { error, results } = await new Migrator({ db, provider }).migrateToLatest()
  for (const { status, migrationName } of results ?? []) onStep(`migration ${migrationName}: ${status === 'Success' ? 'done' : status}`)
  if (error) throw error
}

async function createProjectionTables(
  db: Kysely<unknown>,
  { onStep }: MigrateHooks,
  projections: readonly Projection[],
): Promise<void> {
  for (const projection of projections) {
    const schema = schemaOf(projection)
    await db.transaction().execute(async (transaction) => {
      const { rows } = await sql<{ made: boolean }>`select to_regnamespace(${schema}) is not null as made`.execute(transaction)
      if (rows[0]?.made) return
      await sql`create schema ${sql.id(schema)}`.execute(transaction)
      await projection.createTables(transaction, schema)
      // Where there is nothing to fold, they hold all that they are to hold.
      await sql`insert into public.projection_versions (projection, version, completed_at)
        select ${projection.name}, ${projection.version}, clock_timestamp() where not exists (select from public.heads)
        on conflict do nothing`.execute(transaction)
      onStep(`projection ${projection.name} version ${projection.version}: tables made`)
    })
  }
}
