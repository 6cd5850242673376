import type { Kysely } from 'kysely'
import { runStatements } from '../src/migration/run-statements.ts'

/** Lets people have no email address. */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, ['alter table employee_directory alter column email drop not null'])
}
