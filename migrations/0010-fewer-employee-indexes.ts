import type { Kysely } from 'kysely'
import { runStatements } from '../src/postgres/migration/run-statements.ts'

/**
 * Drops two indexes of the employee read model. The unique indexes of the snapshots already find employees by email
 * address and external id, and each index adds to the cost of every write.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, STATEMENTS)
}

// A new database has no read models yet.
const STATEMENTS = [
  'drop index if exists employees_v1.employees_by_email',
  'drop index if exists employees_v1.employees_by_external_id',
]
