import type { Pool } from 'pg'
import type { Config } from '../config.ts'
import type { LedgerDb, LedgerTables } from '../ledger/tables.ts'
import { assertCurrent } from '../postgres/assert-current.ts'
import type { DatabaseUrls } from '../postgres/database-urls.ts'
import { openDatabase } from '../postgres/kysely.ts'
import { isDistributed } from '../postgres/migration/distribution-steps.ts'
import { isCurrent } from '../postgres/migration/migrate.ts'
import { openPool } from '../postgres/pool.ts'
import { useShards } from '../postgres/shards.ts'
import { queueNames } from '../workers/queues.ts'

export interface OpenedPool {
  pool: Pool
  db: LedgerDb
  close(): Promise<void>
}

/** Opens connections for reading, projecting and the commands about companies. Throws when migrations are missing. */
export async function openStore(config: Config, urls: DatabaseUrls): Promise<OpenedPool> {
  const store = openUnchecked(config, urls)
  try {
    await assertCurrent(() => isSetUp(store.db))
    if (await isDistributed(store.db)) useShards(store.pool)
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Opens the same connections without checking that the database is set up. */
export function openUnchecked(config: Config, urls: DatabaseUrls): OpenedPool {
  const pool = openPool({
    url: urls.serviceUrl,
    name: 'employee-ledger',
    max: config.POOL_SIZE,
    settings: { jit: 'off' },
  })
  const db = openDatabase<LedgerTables>(pool)
  return { pool, db, close: () => db.destroy() }
}

/** Whether the database has every migration and queue that this program needs. */
export const isSetUp = (db: LedgerDb) => isCurrent(db, queueNames())
