import { sql, type Kysely } from 'kysely'
import { runStatements } from '../src/migration/run-statements.ts'
import { ACCOUNTS } from './second-release/accounts.ts'
import { ATTENTION } from './second-release/attention.ts'
import { ERASURE } from './second-release/erasure.ts'
import { EVIDENCE } from './second-release/evidence.ts'
import { LEDGER } from './second-release/ledger.ts'
import { UPLOADS } from './second-release/uploads.ts'

/**
 * Creates the tables and columns that version 1.1.0 adds. A process of version 1.0.0 takes a missing email address for
 * an empty one: it may not store it, as it would in a call that changes such a person's external id or manager. On a
 * cluster, no such process may run any more.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, [...LEDGER, ...ERASURE, ...ACCOUNTS, ...ATTENTION, ...UPLOADS, ...EVIDENCE])
  const { rows } = await sql`select from pg_extension where extname = 'citus'`.execute(db)
  if (rows.length > 0) return
  // It holds for all stored rows, so they aren't read.
  await runStatements(db, [
    `alter table employee_directory add constraint employee_directory_without_empty_email check (email <> '') not valid`,
  ])
}
