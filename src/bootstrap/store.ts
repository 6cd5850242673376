import type { Pool } from 'pg'
import { PROJECTIONS } from '#projections/index'
import type { Config } from '../config.ts'
import type { LedgerDb, LedgerTables } from '#ledger/tables'
import { followDatabaseClock } from '#postgres/database-clock'
import type { DatabaseUrls } from '#postgres/database-urls'
import { errorReason, StartupError } from '#postgres/startup-error'
import { openDatabase } from '#postgres/kysely'
import { isDistributed } from '#migration/distribution-steps'
import { openPool, type PoolOptions } from '#postgres/pool'
import type { Target } from '#postgres/session-settings'
import { lookUpMachine, openMachinePools, rememberMachines } from './machine-pools.ts'
import { queueNames, createQueues, QUEUES_VERSION } from '#workers/queues'
import { migrate, planMigration, findMissing, isAhead } from '#migration/migrate'
import { onOwnerConnection, openOwner, type OpenedOwner } from '#migration/owner'

export interface OpenedPool {
  pool: Pool
  db: LedgerDb
  /** How many companies a statement or a transaction may be about. On a cluster, each is about one machine. */
  companiesTogether: number
  /** Opens further connections to the same database. */
  open(options: Omit<PoolOptions, 'url'>): Pool
  close(): Promise<void>
}

/**
 * What is different on a cluster: Citus makes a plan for each execution of most statements, and waits for a machine that
 * doesn't answer for this long.
 */
const ON_CLUSTER = { plan_cache_mode: 'auto', 'citus.node_connection_timeout': '1500' }

/** Opens connections for reading, projecting and the commands about companies. Throws when migrations are missing. */
export async function openStore(config: Config, urls: DatabaseUrls, target: Target): Promise<OpenedPool> {
  const store = openUnchecked(config, urls, target)
  try {
    await assertCurrent(store.db)
    if (!(await isDistributed(store.db))) return await followClock(store)
    await store.close()
    return await followClock(openOnCluster(config, urls, target))
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Each company has transactions of its own, on its machine. */
function openOnCluster(config: Config, { serviceUrl: url }: DatabaseUrls, target: Target): OpenedPool {
  const lookups = openPool({ url, target, name: 'employee-ledger machines', max: 1 })
  const machines = rememberMachines((companyId) => lookUpMachine(lookups, url, companyId))
  const open: OpenedPool['open'] = (options) => {
    const settings = { ...options.settings, ...ON_CLUSTER }
    return openMachinePools(url, (at) => openPool({ ...options, url: at, target, settings }), machines)
  }
  const store = storeOf(config, open, 1)
  return {
    ...store,
    close: async () => {
      await store.close()
      await lookups.end()
    },
  }
}

/** Throws StartupError if the database does not answer or lacks something that this program needs. */
async function assertCurrent(db: LedgerDb) {
  const missing = await listMissing(db).catch((error: unknown) => {
    throw new StartupError(`the database cannot be used: ${errorReason(error)}`, { cause: error })
  })
  if (missing.length > 0)
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

/** Reads are planned for their values, also those that are prepared: companies differ in size, and grow. */
const READING = { jit: 'off', plan_cache_mode: 'force_custom_plan' }

/** Opens the same connections without checking that the database is set up. */
export function openUnchecked(config: Config, { serviceUrl: url }: DatabaseUrls, target: Target): OpenedPool {
  return storeOf(config, (options) => openPool({ ...options, url, target }))
}

function storeOf(config: Config, open: OpenedPool['open'], companiesTogether = Infinity): OpenedPool {
  const pool = open({ name: 'employee-ledger', max: config.POOL_SIZE, settings: READING })
  const db = openDatabase<LedgerTables>(pool)
  return { pool, db, companiesTogether, open, close: () => db.destroy() }
}

/**
 * Lists what this program needs and the database lacks: nothing on one that a newer version has migrated, as long as
 * migrations only add (docs/deployment.md, “Deploying a new version”).
 */
export const listMissing = (db: LedgerDb) => findMissing(db, { queues: queueNames(), projections: PROJECTIONS })

const QUEUES = { createQueues, queues: queueNames(), queuesVersion: QUEUES_VERSION }

/** What `migrateDatabase` would do, a line each. */
export const planDatabase = (urls: DatabaseUrls) => planMigration(urls, QUEUES)

/** Whether a newer version has migrated the database. */
export const isNewer = (urls: DatabaseUrls) => onOwnerConnection(urls, { name: 'employee-ledger migrate' }, isAhead)

/** Applies the missing migrations and creates the queues. Calls `onStep` with a line for each step. */
export async function migrateDatabase(urls: DatabaseUrls, onStep: (line: string) => void): Promise<void> {
  try {
    await migrate(urls, { ...QUEUES, onStep })
  } catch (error) {
    if (error instanceof StartupError) throw error
    throw new StartupError(`the database could not be set up: ${errorReason(error)}`, { cause: error })
  }
}

/** Opens connections as the owner of the database, for work on whole projections. */
export const openMaintenance = (urls: DatabaseUrls) => openOwner<LedgerTables>(urls)

export type OpenedMaintenance = OpenedOwner<LedgerTables>
