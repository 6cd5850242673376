import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** Any number will do that no other program takes in this database. */
const MIGRATION_LOCK = 7_307_114

/** Waits until nobody else changes what the database is made of. The connection holds this until it closes. */
export async function takeMigrationLock(connection: Kysely<unknown>): Promise<void> {
  // Whoever is at it may take long; nobody else waits for this lock.
  await sql`set lock_timeout = 0`.execute(connection)
  await sql`select pg_advisory_lock(${MIGRATION_LOCK})`.execute(connection)
}
