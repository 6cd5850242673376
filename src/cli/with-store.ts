import type { Config } from '../config.ts'
import { readConfig } from '../config.ts'
import type { OpenedDatabase, OpenedPool } from '../bootstrap.ts'
import { findDatabase, migrateDatabase, openStore } from '../bootstrap.ts'
import { StartupError } from '../database/startup-error.ts'

/** Reads the settings; a setting that is not valid is the user's fault and told in one line. */
export function configOrFail(): Config {
  try {
    return readConfig()
  } catch (error) {
    throw new StartupError(`a setting is not valid: ${error instanceof Error ? error.message : String(error)}`)
  }
}

export interface Opened {
  config: Config
  database: OpenedDatabase
  store: OpenedPool
}

/** Runs a command of the command line on the database, beside a running server or alone, and closes what it opened. */
export async function withStore<Result>(task: (opened: Opened) => Promise<Result>): Promise<Result> {
  const config = configOrFail()
  const database = await findDatabase(config, 'visit')
  try {
    // The embedded server belongs to this program alone; a database of yours is migrated when you say so.
    if (database.isEmbedded) await migrateDatabase(database.urls, () => undefined)
    const store = await openStore(config, database.urls)
    try {
      return await task({ config, database, store })
    } finally {
      await store.close()
    }
  } finally {
    await database.release()
  }
}
