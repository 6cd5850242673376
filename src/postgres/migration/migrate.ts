import { createHash } from 'node:crypto'
import { promises as fs } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { FileMigrationProvider, Migrator } from 'kysely/migration'
import { PROJECTIONS } from '../../../projections/index.ts'
import type { Projection } from '../../../projections/projection.ts'
import { schemaOf } from '../../../projections/projection.ts'
import type { DatabaseUrls } from '../database-urls.ts'
import { stepsLeft } from './distribution-steps.ts'
import { openDatabase } from '../kysely.ts'
import { findMissing, isAhead, migrationNames, MIGRATIONS } from './missing.ts'
import { takeMigrationLock } from './migration-lock.ts'
import { openPool } from '../pool.ts'
import { grantToService, RIGHTS } from './roles.ts'
import { StartupError } from '../startup-error.ts'

const OLDEST_SERVER = 150_000
const STATEMENT_TIMEOUT_MS = 3_600_000
const LOCK_TIMEOUT_MS = 2_000
const LOCK_TRIES = 60
const LOCK_PAUSE_MS = 1_000
const LOCK_NOT_AVAILABLE = '55P03'

export interface MigrateHooks {
  /** Makes the job queues, as the owner. */
  createQueues(ownerUrl: string): Promise<void>
  /** The names of the queues. */
  queues: string[]
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
  const times = { statementTimeoutMs: STATEMENT_TIMEOUT_MS, lockTimeoutMs: LOCK_TIMEOUT_MS }
  // For Citus, and nothing to PostgreSQL: a transaction makes tables on one connection to each machine.
  const settings = { 'citus.multi_shard_modify_mode': 'sequential' }
  const pool = openPool({ url: urls.ownerUrl, name: 'employee-ledger migrate', max: 3, ...times, settings })
  const db = openDatabase<unknown>(pool)
  try {
    await db.connection().execute(async (connection) => {
      await assertUsable(connection)
      await takeMigrationLock(connection)
      if ((await hasFingerprint(connection, hooks, projections)) && (await stepsLeft(connection)).length === 0) return
      // A newer program has been here, and left all that this one needs.
      if ((await isAhead(connection)) && (await isCurrent(connection, hooks.queues, projections))) return
      await retryLocked(hooks, () => runMigrations(db, hooks))
      await retryLocked(hooks, () => createProjectionTables(db, hooks, projections))
      await retryLocked(hooks, () => distributeNew(db, hooks))
      await retryLocked(hooks, () => hooks.createQueues(urls.ownerUrl))
      await retryLocked(hooks, () => grantToService(db, urls, projections))
      await setFingerprint(connection, await fingerprint(hooks.queuesVersion, projections))
    })
  } finally {
    await db.destroy()
  }
}

/**
 * Does a step again that did not get a lock. Who waits for a lock on a table holds up all that come after it, so each wait
 * is short, and between two of them the service goes on.
 */
async function retryLocked<Result>({ onStep }: MigrateHooks, step: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await step()
    } catch (error) {
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE || tries === LOCK_TRIES) throw error
      onStep(`a table is in use; tried again (${tries} of ${LOCK_TRIES - 1})`)
      await pause(LOCK_PAUSE_MS)
    }
  }
}

/**
 * Whether the database has at least what this program needs. One that a newer program has migrated has it too, as long as
 * migrations only add (docs/deployment.md, “Deploying a new version”).
 */
export async function isCurrent(db: Kysely<unknown>, queues: string[], projections = PROJECTIONS): Promise<boolean> {
  return (await findMissing(db, { queues, projections })).length === 0
}

/** What `migrate` would do, a line each, without doing it. */
export async function planMigration(
  urls: DatabaseUrls,
  hooks: Omit<MigrateHooks, 'onStep'>,
  projections = PROJECTIONS,
): Promise<string[]> {
  const db = openDatabase<unknown>(openPool({ url: urls.ownerUrl, name: 'employee-ledger migrate', max: 1 }))
  try {
    await assertUsable(db)
    const missing = await findMissing(db, { queues: hooks.queues, projections })
    if (missing.length > 0 || (await isAhead(db)) || (await hasFingerprint(db, hooks, projections))) return missing
    return ['queues and rights of the service: brought up to date']
  } finally {
    await db.destroy()
  }
}

async function hasFingerprint(
  db: Kysely<unknown>,
  hooks: Pick<MigrateHooks, 'queuesVersion'>,
  projections: readonly Projection[],
): Promise<boolean> {
  const { rows } = await sql<{ made: boolean }>`select to_regclass('public.setup') is not null as made`.execute(db)
  if (!rows[0]?.made) return false
  const found = await sql<{ fingerprint: string }>`select fingerprint from public.setup`.execute(db)
  return found.rows[0]?.fingerprint === (await fingerprint(hooks.queuesVersion, projections))
}

async function fingerprint(queuesVersion: string, projections: readonly Projection[]): Promise<string> {
  const parts = [...(await migrationNames()), ...projections.map(schemaOf), queuesVersion, JSON.stringify(RIGHTS)]
  return createHash('sha256').update(parts.join('\n')).digest('hex')
}

/** The name of the last migration; a program whose database lacks it does not start. */
export async function lastMigration(): Promise<string> {
  return (await migrationNames()).at(-1)!
}

async function setFingerprint(db: Kysely<unknown>, value: string): Promise<void> {
  await sql`insert into public.setup (id, fingerprint) values (1, ${value})
    on conflict (id) do update set fingerprint = excluded.fingerprint`.execute(db)
}

async function assertUsable(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ version: number; encoding: string }>`
    select current_setting('server_version_num')::integer as version, current_setting('server_encoding') as encoding`.execute(
    db,
  )
  const { version, encoding } = rows[0]!
  if (version < OLDEST_SERVER)
    throw new StartupError(`PostgreSQL 15 or newer is needed, this is ${Math.floor(version / 10_000)}`)
  // The ledger keeps exact bytes as text: another encoding would not give them back as they were hashed.
  if (encoding !== 'UTF8') throw new StartupError(`the database's encoding must be UTF8, it is ${encoding}`)
}

async function runMigrations(db: Kysely<unknown>, { onStep }: MigrateHooks): Promise<void> {
  const provider = new FileMigrationProvider({ fs, path, migrationFolder: MIGRATIONS })
  const { error, results } = await new Migrator({ db, provider }).migrateToLatest()
  // All of them are one transaction: when one fails, none is done.
  if (error) throw error
  for (const { migrationName } of results ?? []) onStep(`migration ${migrationName}: done`)
}

async function createProjectionTables(
  db: Kysely<unknown>,
  { onStep }: MigrateHooks,
  projections: readonly Projection[],
): Promise<void> {
  for (const projection of projections) {
    const schema = schemaOf(projection)
    await db.transaction().execute(async (transaction) => {
      const { rows } = await sql<{ made: boolean }>`select to_regnamespace(${schema}) is not null as made`.execute(
        transaction,
      )
      if (rows[0]?.made) return
      await sql`create schema ${sql.id(schema)}`.execute(transaction)
      await projection.createTables(transaction, schema)
      await projection.createIndexes(transaction, schema)
      // Where there is nothing to fold, they hold all that they are to hold.
      await sql`insert into public.projection_versions (projection, version, completed_at)
        select ${projection.name}, ${projection.version}, clock_timestamp() where not exists (select 1 from public.heads)
        on conflict do nothing`.execute(transaction)
      onStep(`projection ${projection.name} version ${projection.version}: tables made`)
    })
  }
}

/** On a database that is distributed, what was made now goes where its company's rows are. */
async function distributeNew(db: Kysely<unknown>, { onStep }: MigrateHooks): Promise<void> {
  for (const { line, run } of await stepsLeft(db)) {
    await db.transaction().execute(run)
    onStep(line)
  }
}
