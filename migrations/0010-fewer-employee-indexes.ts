import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/**
 * Drops two indexes of the employee read model. The unique indexes of the snapshots already find employees by email
 * address and external id, and each index adds to the cost of every write.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

// A new database has no read models yet.
const STATEMENTS = [
  'drop index if exists employees_v1.employees_by_email',
  'drop index if exists employees_v1.employees_by_external_id',
]
