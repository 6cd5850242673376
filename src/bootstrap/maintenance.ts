import type { LedgerTables } from '../ledger/tables.ts'
import type { DatabaseUrls } from '../postgres/database-urls.ts'
import { errorReason, StartupError } from '../postgres/startup-error.ts'
import { migrate, planMigration } from '../migration/migrate.ts'
import { isAhead } from '../migration/missing.ts'
import { onOwnerConnection, openOwner, type OpenedOwner } from '../migration/owner.ts'
import { createQueues, queueNames, QUEUES_VERSION } from '../workers/queues.ts'

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
