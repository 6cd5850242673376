import { sql, type Kysely } from 'kysely'
import type { DatabaseUrls } from '#postgres/database-urls'
import { stepsLeft } from './distribution-steps.ts'
import { openDatabase } from '#postgres/kysely'
import { openPool, type PoolOptions } from '#postgres/pool'
import { assertReachable } from '#postgres/pooler'
import { grantOnSchema, readValue, serviceRole } from './roles.ts'
import { StartupError } from '#postgres/startup-error'

/** The owner's connections, for maintenance of whole projections. */
export interface OpenedOwner<Tables> {
  db: Kysely<Tables>
  /** Prepares the new tables of a schema for the service: places them on Citus and grants rights. */
  handOver(db: Kysely<unknown>, schema: string): Promise<void>
  close(): Promise<void>
}

/** Runs a task as the owner, on one connection. */
export async function onOwnerConnection<Result>(
  urls: DatabaseUrls,
  options: Omit<PoolOptions, 'url' | 'max'>,
  task: (connection: Kysely<unknown>) => Promise<Result>,
): Promise<Result> {
  await assertSameDatabase(urls)
  const db = openDatabase<unknown>(openPool({ ...options, url: urls.ownerUrl, max: 1 }))
  try {
    return await db.connection().execute(task)
  } finally {
    await db.destroy()
  }
}

const MAINTENANCE_CONNECTIONS = 8
const MAINTENANCE_STATEMENT_MS = 3_600_000
/**
 * PostgreSQL ignores these. Creating tables in a transaction requires one connection per machine. A time limit that a
 * transaction sets must hold on every machine.
 */
const OF_CITUS = { 'citus.multi_shard_modify_mode': 'sequential', 'citus.propagate_set_commands': 'local' }

/**
 * Opens connections that may create and drop projection tables. Everything they write can be derived again, so their
 * commits do not wait for the disk.
 */
export async function openOwner<Tables>(urls: DatabaseUrls): Promise<OpenedOwner<Tables>> {
  await assertSameDatabase(urls)
  const service = await serviceRole(urls)
  const pool = openPool({
    url: urls.ownerUrl,
    name: 'employee-ledger maintenance',
    max: MAINTENANCE_CONNECTIONS,
    statementTimeoutMs: MAINTENANCE_STATEMENT_MS,
    settings: { jit: 'off', synchronous_commit: 'off', ...OF_CITUS },
  })
  const db = openDatabase<Tables>(pool)
  const handOver = async (to: Kysely<unknown>, schema: string) => {
    for (const step of await stepsLeft(to, schema)) await step.run(to)
    if (service) await grantOnSchema(to, schema, service)
  }
  try {
    await assertOwner(db)
    return { db, handOver, close: () => db.destroy() }
  } catch (error) {
    await db.destroy()
    throw error
  }
}

/** What two connections to the same database have in common, whatever leads to it. */
const IDENTITY = "select current_database() || ' since ' || extract(epoch from pg_postmaster_start_time()) as value"

/** Throws a StartupError unless the owner's address can be used and leads to the database of the service's. */
async function assertSameDatabase({ ownerUrl, serviceUrl }: DatabaseUrls) {
  if (ownerUrl === serviceUrl) return
  await assertReachable(ownerUrl, 'MIGRATE_DATABASE_URL')
  if ((await readValue(ownerUrl, IDENTITY)) !== (await readValue(serviceUrl, IDENTITY)))
    throw new StartupError(
      'MIGRATE_DATABASE_URL and DATABASE_URL lead to different databases: name the same one in both',
    )
}

/** Throws a StartupError unless the role may change the tables. */
export async function assertOwner<Tables>(db: Kysely<Tables>) {
  const { rows } = await sql<{ owns: boolean }>`select pg_has_role(relowner, 'member') as owns from pg_class
    where oid = 'public.checkpoints'::regclass`.execute(db)
  if (rows[0]?.owns !== true)
    throw new StartupError('this needs the role that owns the tables: set MIGRATE_DATABASE_URL')
}
