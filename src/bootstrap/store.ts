import type { Pool } from 'pg'
import type { Config } from '../config.ts'
import type { LedgerDb, LedgerTables } from '../ledger/tables.ts'
import { followDatabaseClock } from '../postgres/database-clock.ts'
import type { DatabaseUrls } from '../postgres/database-urls.ts'
import { errorReason } from '../postgres/error-reason.ts'
import { openDatabase } from '../postgres/kysely.ts'
import { isDistributed } from '../migration/distribution-steps.ts'
import { isCurrent } from '../migration/migrate.ts'
import type { Cluster } from '../postgres/cluster/cluster.ts'
import { openCluster } from '../postgres/cluster/cluster.ts'
import { openCompanyPool } from '../postgres/cluster/company-connections.ts'
import type { PoolOptions } from '../postgres/pool.ts'
import { openPool } from '../postgres/pool.ts'
import { StartupError } from '../postgres/startup-error.ts'
import { queueNames } from '../workers/queues.ts'

export interface OpenedPool {
  pool: Pool
  db: LedgerDb
  /** The machines behind the pool; undefined on plain PostgreSQL. */
  cluster?: Cluster | undefined
  /** Opens further connections to the same database. */
  open(options: Omit<PoolOptions, 'url'>): Pool
  close(): Promise<void>
}

/**
 * Opens connections for reading, projecting and the commands about companies. Throws when migrations are missing.
 * `onChange` is called when a machine of a cluster stops answering or returns.
 */
export async function openStore(
  config: Config,
  urls: DatabaseUrls,
  onChange?: (machine: string, isDown: boolean) => void,
): Promise<OpenedPool> {
  const store = openUnchecked(config, urls)
  try {
    await assertCurrent(store.db)
    if (!(await isDistributed(store.db))) return await followClock(store)
    const cluster = await openCluster(urls.serviceUrl, config.MACHINE_ANSWER_MS, onChange)
    await store.close()
    return await followClock(
      storeOf(config, (options) => openCompanyPool(cluster, { ...options, url: urls.serviceUrl }), cluster),
    )
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Throws StartupError if the database does not answer or lacks something that this program needs. */
async function assertCurrent(db: LedgerDb): Promise<void> {
  const isReady = await isSetUp(db).catch((error: unknown) => {
    throw new StartupError(`the database cannot be used: ${errorReason(error)}`, { cause: error })
  })
  if (!isReady)
    throw new StartupError('the database is not set up for this version: run `npm run --silent cli -- migrate`')
}

async function followClock(store: OpenedPool): Promise<OpenedPool> {
  const stop = await followDatabaseClock(store.pool)
  return {
    ...store,
    close: async () => {
      stop()
      await store.close()
    },
  }
}

/** Opens the same connections without checking that the database is set up. */
export function openUnchecked(config: Config, urls: DatabaseUrls): OpenedPool {
  return storeOf(config, (options) => openPool({ ...options, url: urls.serviceUrl }))
}

function storeOf(config: Config, open: OpenedPool['open'], cluster?: Cluster): OpenedPool {
  const pool = open({ name: 'employee-ledger', max: config.POOL_SIZE, settings: { jit: 'off' } })
  const db = openDatabase<LedgerTables>(pool)
  const close = async () => {
    await db.destroy()
    await cluster?.close()
  }
  return { pool, db, cluster, open, close }
}

/** Whether the database has every migration and queue that this program needs. */
export const isSetUp = (db: LedgerDb) => isCurrent(db, queueNames())
