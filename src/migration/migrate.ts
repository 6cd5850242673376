import path from 'node:path'
import { createHash } from 'node:crypto'
import { channel } from 'node:diagnostics_channel'
import { promises as fs } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { sql, type Kysely } from 'kysely'
import { FileMigrationProvider, Migrator, type Migration, type MigrationInfo } from 'kysely/migration'
import { PROJECTIONS } from '#projections/index'
import { createTables, schemaOf, type AnyDb, type Projection } from '#projections/projection'
import { createIndexes, createIndexesConcurrently, findMissingIndexes } from '#postgres/create-indexes'
import { isLockFailure } from '#postgres/database-errors'
import type { DatabaseUrls } from '#postgres/database-urls'
import { isDistributed, stepsLeft } from './distribution-steps.ts'
import { machineSettingsLeft } from './machine-settings.ts'
import { takeMigrationLock } from './migration-lock.ts'
import { onOwnerConnection } from './owner.ts'
import { grantToService, readRole, RIGHTS } from './roles.ts'
import { StartupError } from '#postgres/startup-error'
import { fileURLToPath } from 'node:url'

const OLDEST_SERVER = 150_000
/** An index of a large table takes long. */
const STATEMENT_TIMEOUT_MS = 24 * 3_600_000
const LOCK_TIMEOUT_MS = 2_000
const LOCK_TRIES = 60
const LOCK_PAUSE_MS = 1_000
const stepped = channel('employee-ledger.migrate.step')

interface MigrateHooks {
  /** Creates the job queues, as the owner. */
  createQueues(ownerUrl: string): Promise<void>
  /** The names of the queues. */
  queues: string[]
  /** Identifies the definition of the queues, so that a change is noticed. */
  queuesVersion: string
  /** Called with a line for each completed step. */
  onStep(line: string): void
}

/**
 * Brings a database to the state that this version of the program needs: migrations, tables of new projection versions,
 * queues, and the rights of the service's role. Safe to run repeatedly and concurrently.
 */
export async function migrate(urls: DatabaseUrls, hooks: MigrateHooks, projections = PROJECTIONS): Promise<void> {
  const times = { statementTimeoutMs: STATEMENT_TIMEOUT_MS, lockTimeoutMs: LOCK_TIMEOUT_MS }
  // For Citus; PostgreSQL ignores it. Creating tables in a transaction requires one connection per machine.
  const settings = { 'citus.multi_shard_modify_mode': 'sequential' }
  // Whatever a killed process has left running holds the lock until it ends, because it is on this connection.
  await onOwnerConnection(urls, { name: 'employee-ledger migrate', ...times, settings }, async (connection) => {
    await assertUsable(connection)
    await takeMigrationLock(connection)
    await setMachines(connection, urls, hooks)
    const needs = { queues: hooks.queues, projections, role: await readRole(urls.serviceUrl) }
    if ((await isSettled(connection, hooks, projections)) && (await findMissing(connection, needs)).length === 0) return
    await assertMayCreate(connection)
    await retryLocked(hooks, () => runMigrations(connection, hooks))
    await retryLocked(hooks, () => createProjectionTables(connection, hooks, projections))
    await retryLocked(hooks, () => distributeNew(connection, hooks))
    await retryLocked(hooks, () => createProjectionIndexes(connection, hooks, projections))
    await retryLocked(hooks, () => hooks.createQueues(urls.ownerUrl))
    await retryLocked(hooks, () => grantToService(connection, urls, projections))
    await setFingerprint(connection, await fingerprint(hooks.queuesVersion, projections))
  })
}

/**
 * Retries a step that could not get a lock. Whoever waits for a table lock blocks everybody behind it, so each wait is
 * short and the service continues in between.
 */
async function retryLocked<Result>({ onStep }: MigrateHooks, step: () => Promise<Result>) {
  for (let tries = 1; ; tries += 1) {
    try {
      const result = await step()
      stepped.publish(result)
      return result
    } catch (error) {
      if (!isLockFailure(error) || tries === LOCK_TRIES) throw error
      onStep(`a table is in use; retrying (${tries} of ${LOCK_TRIES - 1})`)
      await pause(LOCK_PAUSE_MS)
    }
  }
}

/** Lists what `migrate` would do, without doing it. */
export async function planMigration(urls: DatabaseUrls, hooks: Omit<MigrateHooks, 'onStep'>): Promise<string[]> {
  return onOwnerConnection(urls, { name: 'employee-ledger migrate' }, async (connection) => {
    await assertUsable(connection)
    const machines = (await isDistributed(connection)) ? await machineSettingsLeft(connection, urls) : []
    const needs = { queues: hooks.queues, projections: PROJECTIONS, role: await readRole(urls.serviceUrl) }
    const missing = [...(await findMissing(connection, needs)), ...machines.map(({ line }) => line)]
    if (missing.length > 0 || (await isSettled(connection, hooks, PROJECTIONS))) return missing
    return ['queues and rights of the service: brought up to date']
  })
}

/** Whether this program has migrated the database, or a newer one, which kept everything that this one needs. */
async function isSettled(
  db: Kysely<unknown>,
  hooks: Pick<MigrateHooks, 'queuesVersion'>,
  projections: readonly Projection[],
) {
  if (await isAhead(db)) return true
  const { rows } = await sql<{ made: boolean }>`select to_regclass('public.setup') is not null as made`.execute(db)
  if (!rows[0]?.made) return false
  const setup = await sql<{ fingerprint: string }>`select fingerprint from public.setup`.execute(db)
  return setup.rows[0]?.fingerprint === (await fingerprint(hooks.queuesVersion, projections))
}

async function fingerprint(queuesVersion: string, projections: readonly Projection[]) {
  const parts = [...(await migrationNames()), ...projections.map(schemaOf), queuesVersion, JSON.stringify(RIGHTS)]
  return createHash('sha256').update(parts.join('\n')).digest('hex')
}

/** The name of the last migration. A program does not start if its database lacks it. */
export async function lastMigration(): Promise<string> {
  return (await migrationNames()).at(-1)!
}

async function setFingerprint(db: Kysely<unknown>, value: string) {
  await sql`insert into public.setup (id, fingerprint) values (1, ${value})
    on conflict (id) do update set fingerprint = excluded.fingerprint`.execute(db)
}

async function assertUsable(db: Kysely<unknown>) {
  const { rows } = await sql<{ version: number; encoding: string }>`
    select current_setting('server_version_num')::integer as version,
      current_setting('server_encoding') as encoding`.execute(db)
  const { version, encoding } = rows[0]!
  if (version < OLDEST_SERVER)
    throw new StartupError(`PostgreSQL 15 or newer is required; this is PostgreSQL ${Math.floor(version / 10_000)}`)
  // The ledger stores exact bytes as text; another encoding would not return them as they were hashed.
  if (encoding !== 'UTF8')
    throw new StartupError(
      `the database's encoding must be UTF8, not ${encoding}: create one with encoding 'UTF8' template template0`,
    )
  await assertReleased(db, PROJECTIONS)
}

async function assertMayCreate(db: Kysely<unknown>) {
  const { rows } = await sql<{ role: string; may: boolean }>`select current_user as role,
    has_database_privilege(current_database(), 'create') and has_schema_privilege('public', 'create') as may`.execute(
    db,
  )
  if (!rows[0]!.may)
    throw new StartupError(
      `the role ${rows[0]!.role} may not create tables: set MIGRATE_DATABASE_URL to the role that owns the database`,
    )
}

async function runMigrations(db: Kysely<unknown>, { onStep }: MigrateHooks) {
  const provider = new FileMigrationProvider({ fs, path, migrationFolder: MIGRATIONS })
  const migrator = new Migrator({ db, provider })
  const isPending = ({ executedAt }: MigrationInfo) => executedAt === undefined
  const pending = (await migrator.getMigrations()).filter(isPending)
  for (const [at, { name, migration }] of pending.entries()) {
    const next = pending[at + 1]
    // Those between two that run outside a transaction share one.
    if (next && !isConcurrent(migration) && !isConcurrent(next.migration)) continue
    const { error, results } = await migrator.migrateTo(name, { disableTransactions: isConcurrent(migration) })
    if (error) throw error
    for (const { migrationName } of results ?? []) onStep(`migration ${migrationName}: done`)
  }
}

/** Whether a migration runs outside a transaction, because it creates indexes of large tables. */
function isConcurrent(migration: Migration & { isConcurrent?: true }) {
  return migration.isConcurrent === true
}

async function createProjectionTables(
  db: Kysely<unknown>,
  { onStep }: MigrateHooks,
  projections: readonly Projection[],
) {
  for (const projection of projections) {
    const schema = schemaOf(projection)
    await db.transaction().execute(async (transaction) => {
      const { rows } = await sql<{ made: boolean }>`select to_regnamespace(${schema}) is not null as made`.execute(
        transaction,
      )
      if (rows[0]?.made) return
      await sql`create schema ${sql.id(schema)}`.execute(transaction)
      await createTables(transaction, projection, schema)
      await createIndexes(transaction, schema, projection.indexes)
      // Without events, the new tables are already complete.
      await sql`insert into public.projection_versions (projection, version, completed_at)
        select ${projection.name}, ${projection.version}, clock_timestamp()
        where not exists (select 1 from public.heads)
        on conflict do nothing`.execute(transaction)
      onStep(`projection ${projection.name} version ${projection.version}: tables created`)
    })
  }
}

/** Creates the indexes that this version has added to a projection whose tables exist. */
async function createProjectionIndexes(db: AnyDb, { onStep }: MigrateHooks, projections: readonly Projection[]) {
  for (const projection of projections) {
    await createIndexesConcurrently(db, schemaOf(projection), projection.indexes, (name) =>
      onStep(`projection ${projection.name} version ${projection.version}: index ${name} created`),
    )
  }
}

/** Brings the machines of a cluster that joined later to the state of the others. */
async function setMachines(db: Kysely<unknown>, urls: DatabaseUrls, { onStep }: MigrateHooks) {
  if (!(await isDistributed(db))) return
  for (const { line, run } of await machineSettingsLeft(db, urls)) {
    await run()
    onStep(line)
  }
}

/** Distributes new tables if the database is distributed. */
async function distributeNew(db: Kysely<unknown>, { onStep }: MigrateHooks) {
  for (const { line, run } of await stepsLeft(db)) {
    await db.transaction().execute(run)
    onStep(line)
  }
}

const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url))

/** What a program needs of a database, besides its migrations. */
interface Needs {
  queues: string[]
  projections: readonly Projection[]
  /** The role that needs the rights. Default: the current one. */
  role?: string
}

/** The names of this program's migrations, in order. */
async function migrationNames() {
  const files = (await fs.readdir(MIGRATIONS)).filter((file) => file.endsWith('.ts'))
  return files.toSorted().map((file) => file.replace(/\.ts$/, ''))
}

/**
 * Lists what this program needs and the database lacks, as seen by the current role. Additions of a newer version do
 * not count, so that the previous version can restart during a deployment. Throws StartupError if no release has made
 * the database.
 */
export async function findMissing(db: AnyDb, { queues, projections, role }: Needs): Promise<string[]> {
  await assertReleased(db, projections)
  const names = await migrationNames()
  const done = await doneMigrations(db)
  const schemas = projections.map((projection) => ({
    schema: schemaOf(projection),
    what: `projection ${projection.name} version ${projection.version}`,
    indexes: projection.indexes,
  }))
  const schemaNames = schemas.map(({ schema }) => schema)
  const usable = await usableSchemas(db, schemaNames)
  const missing = [
    ...names.filter((name) => !done.includes(name)).map((name) => `migration ${name}`),
    ...schemas.filter(({ schema }) => !usable.includes(schema)).map(({ what }) => `${what}: tables`),
  ]
  for (const { schema, what, indexes } of schemas.filter(({ schema }) => usable.includes(schema))) {
    for (const index of await findMissingIndexes(db, schema, indexes)) missing.push(`${what}: index ${index}`)
  }
  if (done.length === 0) return [...missing, 'queues', 'rights of the service']
  const toDistribute = (await stepsLeft(db)).map(({ line }) => line)
  const rights = await missingRights(db, role ?? null, [...schemaNames, 'pgboss'])
  return [...missing, ...toDistribute, ...(await missingQueues(db, queues)), ...rights]
}

/** Whether a newer version has migrated this database. */
export async function isAhead(db: AnyDb): Promise<boolean> {
  const migrations = await migrationNames()
  return (await doneMigrations(db)).some((name) => !migrations.includes(name))
}

/** Throws StartupError if no release has made the database: its tables can't be upgraded. */
async function assertReleased(db: AnyDb, projections: readonly Projection[]) {
  const names = await migrationNames()
  const done = await doneMigrations(db)
  if (done.length > 0 && !done.includes(names[0]!))
    throw new StartupError('a version before 1.0.0 made this database, and no release can upgrade it: use an empty one')
  const trace = findUnpublished(names, done) ?? (await findOtherTable(db, projections))
  if (trace === null) return
  throw new StartupError(
    `an unpublished version made this database (${trace}), and no release can upgrade it: use an empty one, or ` +
      'restore a backup from before',
  )
}

/** Finds a migration that no release has, or not in this order; null if there is none. A newer release only adds. */
function findUnpublished(names: readonly string[], done: readonly string[]) {
  const left = names.filter((name) => !done.includes(name))
  const unknown = done.find((name) => !names.includes(name) && (left.length > 0 || name < names.at(-1)!))
  if (unknown !== undefined) return `its migration ${unknown} was never published`
  const skipped = left.find((name) => done.some((later) => later > name))
  return skipped === undefined ? null : `it lacks the migration ${skipped} and has a later one`
}

/** Finds what the tables of a projection lack, which are published as a whole; null if they lack nothing. */
async function findOtherTable(db: AnyDb, projections: readonly Projection[]) {
  const wanted = projections.flatMap((projection) =>
    Object.entries(projection.tables).flatMap(([table, { columns }]) =>
      Object.keys(columns).map((column) => [schemaOf(projection), table, column] as const),
    ),
  )
  const { rows } = await sql<{ lacking: string }>`
    select s || '.' || t || '.' || c as lacking
    from unnest(${wanted.map(([schema]) => schema)}::text[], ${wanted.map(([, table]) => table)}::text[],
      ${wanted.map(([, , column]) => column)}::text[]) as w (s, t, c) join pg_namespace n on n.nspname = s
    where not exists (select from pg_class r join pg_attribute a on a.attrelid = r.oid
      where r.relnamespace = n.oid and r.relname = t and a.attname = c) limit 1`.execute(db)
  return rows[0] ? `it has no ${rows[0].lacking}` : null
}

async function doneMigrations(db: AnyDb) {
  // This table is granted together with all others.
  const { rows: schemaRows } = await sql<{
    may: boolean
  }>`select coalesce(has_table_privilege(to_regclass('public.kysely_migration'), 'select'), false) as may`.execute(db)
  if (!schemaRows[0]!.may) return []
  const { rows } = await sql<{ name: string }>`select name from public.kysely_migration`.execute(db)
  return rows.map(({ name }) => name)
}

async function usableSchemas(db: Kysely<unknown>, schemas: string[]) {
  const { rows } = await sql<{ name: string }>`
    select nspname as name from pg_namespace where nspname = any(${schemas})
      and has_schema_privilege(oid, 'usage')`.execute(db)
  return rows.map(({ name }) => name)
}

async function missingQueues(db: Kysely<unknown>, queues: string[]) {
  if ((await usableSchemas(db, ['pgboss'])).length === 0) return ['queues']
  const { rows } = await sql<{ name: string }>`select name from pgboss.queue where name = any(${queues})`.execute(db)
  return queues.filter((queue) => !rows.some(({ name }) => name === queue)).map((queue) => `queue ${queue}`)
}

async function missingRights(db: Kysely<unknown>, role: string | null, schemas: string[]) {
  const needed = Object.entries(RIGHTS).flatMap(([table, rights]) =>
    rights.split(', ').map((right) => ({ table: `public.${table}`, right })),
  )
  const { rows } = await sql<{ has_all: boolean }>`
    with service as (select coalesce(${role}::name, current_user) as role)
    select bool_and(coalesce(is_given, false)) as has_all from (
      select has_table_privilege(role, to_regclass(t), r) as is_given from service,
        unnest(${needed.map(({ table }) => table)}::text[], ${needed.map(({ right }) => right)}::text[]) as n (t, r)
      union all
      select has_schema_privilege(role, oid, 'usage') from service, pg_namespace where nspname = any(${schemas})
    ) given`.execute(db)
  return rows[0]!.has_all ? [] : ['rights of the service']
}
