import { sql, type Kysely } from 'kysely'
import { runStatements } from '../src/migration/run-statements.ts'

/**
 * Lets people have no email address. A process of version 1.0.0 takes that for an empty one: it may not store it, as it
 * would in a call that changes such a person's external id or manager. On a cluster, no such process may run any more.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, ['alter table employee_directory alter column email drop not null'])
  const { rows } = await sql`select from pg_extension where extname = 'citus'`.execute(db)
  if (rows.length > 0) return
  // It holds for all stored rows, so they aren't read.
  await runStatements(db, [
    `alter table employee_directory add constraint employee_directory_without_empty_email check (email <> '') not valid`,
  ])
}
