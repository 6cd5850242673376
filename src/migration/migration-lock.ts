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

/** Each process of the service holds this key, shared, on the coordinator while it runs. */
export const PRESENCE_LOCK = 7_307_115

/**
 * Keeps processes of the service from starting, until the connection closes. False if one runs already.
 */
export async function keepServiceOut(connection: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql<{ is: boolean }>`select pg_try_advisory_lock(${PRESENCE_LOCK}) as is`.execute(connection)
  return rows[0]!.is
}
