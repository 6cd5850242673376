import { sql, type Kysely } from 'kysely'
import type { DatabaseUrls } from '#postgres/database-urls'
import { hasCitus } from '#postgres/machine-address'
import { distributionSteps } from './distribution-steps.ts'
import { machineSettingsLeft } from './machine-settings.ts'
import { keepServiceOut, takeMigrationLock } from './migration-lock.ts'
import { assertOwner, onOwnerConnection } from './owner.ts'
import { grantToService, serviceRole } from './roles.ts'
import { StartupError } from '#postgres/startup-error'

/** Copying a large table takes long. Lock waits need no more, because the service is stopped. */
const STATEMENT_TIMEOUT_MS = 24 * 3_600_000
/** How many sessions of a running service are named. */
const NAMED_SESSIONS = 10

interface DistributeOptions {
  /** The number of shards of the tables distributed by company, which limits the number of workers. */
  shards: number
  /** Only reports what would be done. */
  isDryRun: boolean
  /** Called with a line for each step that was, or would be, done. */
  onStep(line: string): void
}

/**
 * Distributes the tables of a migrated database by company, co-located, on its Citus extension. Each step is a
 * transaction and is skipped if it is already done, so an interrupted run can be repeated. Throws StartupError if Citus
 * or its workers are missing, or while the service is running.
 */
export async function distribute(urls: DatabaseUrls, { shards, isDryRun, onStep }: DistributeOptions): Promise<void> {
  const options = { name: 'employee-ledger distribute', statementTimeoutMs: STATEMENT_TIMEOUT_MS }
  await onOwnerConnection(urls, options, async (connection) => {
    if ((await serviceRole(urls)) === null) {
      throw new StartupError(
        'on Citus, only the rights of the roles protect events: set MIGRATE_DATABASE_URL to another role than that ' +
          'of DATABASE_URL',
      )
    }
    await takeMigrationLock(connection)
    await assertDistributable(connection, isDryRun)
    for (const step of await distributionSteps(connection, { shards })) {
      if (!isDryRun) await connection.transaction().execute((transaction) => step.run(transaction))
      onStep(step.line)
    }
    if (!isDryRun) await grantToService(connection, urls)
    for (const step of await machineSettingsLeft(connection, urls)) {
      if (!isDryRun) await step.run()
      onStep(step.line)
    }
  })
}

async function assertDistributable(db: Kysely<unknown>, isDryRun: boolean) {
  if (!(await hasCitus(db))) {
    throw new StartupError(
      'this database has no Citus: a superuser adds it with `create extension citus`, on a server that preloads it',
    )
  }
  const { rows: nodes } = await sql<{ nodes: number }>`select count(*)::integer as nodes from pg_dist_node
    where isactive and shouldhaveshards`.execute(db)
  if (nodes[0]!.nodes === 0) {
    throw new StartupError(
      'this Citus has no worker that accepts tables: a superuser adds one with `select citus_add_node(host, port)`',
    )
  }
  const { rows } = await sql<{ made: boolean }>`select to_regclass('public.setup') is not null as made`.execute(db)
  if (!rows[0]!.made) throw new StartupError('the database is not set up: run `npm run --silent cli -- migrate` first')
  await assertOwner(db)
  if (!isDryRun) await assertAlone(db)
}

/**
 * Keeps processes of the service from starting, and refuses while one runs: it would send statements that Citus refuses
 * or that span several machines. Commands that run for a moment show by their connections.
 */
async function assertAlone(db: Kysely<unknown>) {
  const isFree = await keepServiceOut(db)
  const { rows } = await sql<{ name: string }>`
    select distinct application_name as name from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and application_name like 'employee-ledger%'
    order by 1 limit ${NAMED_SESSIONS}`.execute(db)
  if (isFree && rows.length === 0) return
  throw new StartupError(
    `the service is running (${rows.map(({ name }) => name).join(', ')}): stop all of its processes, and start ` +
      'them again afterwards',
  )
}
