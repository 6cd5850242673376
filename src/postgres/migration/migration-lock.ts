import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** An arbitrary advisory lock key, unique in this database. */
const MIGRATION_LOCK = 7_307_114

/** Takes the migration lock, which only one process can hold. It is released when the connection closes. */
export async function takeMigrationLock(connection: Kysely<unknown>): Promise<void> {
  // The holder may take long, and nobody else waits for this lock.
  await sql`set lock_timeout = 0`.execute(connection)
  await sql`select pg_advisory_lock(${MIGRATION_LOCK})`.execute(connection)
}
