import { findDatabase, type OpenedDatabase } from '#postgres/embedded/embedded-postgres'
import { migrateDatabase, openMaintenance, type OpenedMaintenance, openStore, type OpenedPool } from '#bootstrap/store'
import type { Config } from '../../config.ts'
import { interruptible } from './interruption.ts'
import { namedCompany } from './named-company.ts'
import { readSettings } from './settings.ts'
import { findHead, type SeenHead } from '#ledger/read/read-head'
import type { LedgerDb } from '#ledger/tables'
import { StartupError } from '#postgres/startup-error'

/** Runs a command on the database, with or without a running server, and releases the database in any case. */
export async function withDatabase<Result>(config: Config, task: (database: OpenedDatabase) => Promise<Result>) {
  // Without a limit: an abandoned start would leave the embedded server running.
  const database = await interruptible(() => findDatabase(config, 'visit'), Infinity)
  try {
    return await interruptible(() => task(database))
  } finally {
    await database.release()
  }
}

export interface Opened {
  config: Config
  database: OpenedDatabase
  store: OpenedPool
}

/** Runs a command as the owner of the tables. */
export async function withMaintenance<Result>(
  task: (opened: OpenedMaintenance & { config: Config }) => Promise<Result>,
) {
  return withStore(async ({ config, database }) => {
    const maintenance = await openMaintenance(database.urls)
    try {
      return await task({ ...maintenance, config })
    } finally {
      await maintenance.close()
    }
  })
}

/** Runs a command on an open pool. Throws a StartupError when the database is not set up. */
export async function withStore<Result>(
  task: (opened: Opened) => Promise<Result>,
  config: Config = readSettings(),
): Promise<Result> {
  return withDatabase(config, async (database) => {
    // Only the embedded database is migrated without asking.
    if (database.isEmbedded) await migrateDatabase(database.urls, () => undefined)
    // Exports and proofs work on a standby, too.
    const store = await openStore(config, database.urls, 'any')
    try {
      const company = namedCompany()
      if (company !== undefined) await requireHead(store.db, company)
      return await task({ config, database, store })
    } finally {
      await store.close()
    }
  })
}

/** Reads the head of a company's ledger. Throws a StartupError if there is no such company. */
export async function requireHead(db: LedgerDb, companyId: string): Promise<SeenHead> {
  const head = await findHead(db, companyId)
  if (!head) throw new StartupError(`there is no company ${companyId}`)
  return head
}
