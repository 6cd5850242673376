import { Kysely, PostgresDialect } from 'kysely'
import type { Pool } from 'pg'

/** A query builder on a pool; destroying it ends the pool. */
export function openDatabase<Tables>(pool: Pool): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
}
