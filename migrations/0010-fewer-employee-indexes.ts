import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/**
 * Two indexes of the employee read model less: who has an e-mail address or an external id is known to the snapshots, by
 * the indexes that keep both unique. They were two fifths of what it cost to write a row.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

// A database that is new has no read models yet.
const STATEMENTS = [
  'drop index if exists employees_v1.employees_by_email',
  'drop index if exists employees_v1.employees_by_external_id',
]
