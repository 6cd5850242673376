import { migrateDatabase } from '../bootstrap.ts'
import { readSettings } from './settings.ts'
import { withDatabase } from './with-store.ts'

/** `migrate`: brings the database to what this version needs. */
export async function runMigrations() {
  await withDatabase(readSettings(), (database) =>
    migrateDatabase(database.urls, (line) => process.stdout.write(`${line}\n`)),
  )
  process.stdout.write('the database is current\n')
}
