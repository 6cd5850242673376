import type { Kysely } from 'kysely'
import { runStatements } from '../src/migration/run-statements.ts'

/** Lets a company have a country (ISO 3166-1 alpha-2), in which its local phone numbers are read. */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, ['alter table companies add column country text'])
}
