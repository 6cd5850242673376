import { sql, type Kysely } from 'kysely'
import { setTimeout as pause } from 'node:timers/promises'
import { StartupError } from '#postgres/startup-error'

/** An arbitrary advisory lock key, unique in this database. */
const MIGRATION_LOCK = 7_307_114

const LOCK_PAUSE_MS = 200
/** A day, because the holder may build an index of a large table. */
const LOCK_TRIES = 432_000

/**
 * Takes the migration lock, which only one process can hold. It is released when the connection closes. Throws
 * StartupError if another process holds it for a day.
 */
export async function takeMigrationLock(connection: Kysely<unknown>) {
  // A statement that waits would be waited for by the holder, if that creates an index concurrently.
  for (let tries = 1; !(await tryLock(connection, MIGRATION_LOCK)); tries += 1) {
    if (tries === LOCK_TRIES) throw new StartupError('another process has been migrating the database for a day')
    await pause(LOCK_PAUSE_MS)
  }
}

async function tryLock(connection: Kysely<unknown>, key: number) {
  const { rows } = await sql<{ is: boolean }>`select pg_try_advisory_lock(${key}) as is`.execute(connection)
  return rows[0]!.is
}

/** Each process of the service holds this key, shared, on the coordinator while it runs. */
export const PRESENCE_LOCK = 7_307_115

/**
 * Keeps processes of the service from starting, until the connection closes. False if one runs already.
 */
export async function keepServiceOut(connection: Kysely<unknown>) {
  return tryLock(connection, PRESENCE_LOCK)
}
