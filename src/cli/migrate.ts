import { findDatabase, migrateDatabase } from '../bootstrap.ts'
import { configOrFail } from './with-store.ts'

/** `migrate`: brings the database to what this version needs. */
export async function runMigrations() {
  const database = await findDatabase(configOrFail(), 'visit')
  try {
    await migrateDatabase(database.urls, (line) => process.stdout.write(`${line}\n`))
    process.stdout.write('the database is current\n')
  } finally {
    await database.release()
  }
}
