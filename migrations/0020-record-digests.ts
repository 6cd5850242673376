import type { Kysely } from 'kysely'
import { runStatements } from '../src/migration/run-statements.ts'

/**
 * Keeps a digest of the record that last changed nothing about an employee, and the version of the employee to which
 * that applies: while it is the version, the same record changes nothing again.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, STATEMENTS)
}

const STATEMENTS = [`alter table employee_directory add column record_digest bytea, add column record_version integer`]
