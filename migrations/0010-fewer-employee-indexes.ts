import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/**
 * Two indexes of the employee read model less: who has an e-mail address or an external id is known to the snapshots, by
 * the indexes that keep both unique. They were two fifths of what it cost to write a row.
 */
export async function up(db: Kysely<never>): Promise<void> {
  // A database that is new has no read models yet.
  for (const name of ['employees_by_email', 'employees_by_external_id']) {
    await sql`drop index if exists employees_v1.${sql.id(name)}`.execute(db)
  }
}
