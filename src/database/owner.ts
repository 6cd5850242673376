import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { DatabaseUrls } from './database-urls.ts'
import { openDatabase } from './kysely.ts'
import { openPool } from './pool.ts'
import { grantOnSchema, serviceRole } from './roles.ts'
import { StartupError } from './startup-error.ts'

/** Connections of the owner, for work on whole projections. */
export interface OpenedOwner<Tables> {
  db: Kysely<Tables>
  /** Gives the service's role its rights on the tables of a schema. */
  grant(db: Kysely<unknown>, schema: string): Promise<void>
  close(): Promise<void>
}

const MAINTENANCE_CONNECTIONS = 8
const MAINTENANCE_STATEMENT_MS = 3_600_000

/**
 * Opens connections that may make and drop the tables of projections. What they write can all be derived again, so their
 * commits do not wait for the disk.
 */
export async function openOwner<Tables>(urls: DatabaseUrls): Promise<OpenedOwner<Tables>> {
  const service = await serviceRole(urls)
  const pool = openPool({
    url: urls.ownerUrl,
    name: 'employee-ledger maintenance',
    max: MAINTENANCE_CONNECTIONS,
    statementTimeoutMs: MAINTENANCE_STATEMENT_MS,
    settings: { jit: 'off', synchronous_commit: 'off' },
  })
  const db = openDatabase<Tables>(pool)
  const grant = async (to: Kysely<unknown>, schema: string) => {
    if (service) await grantOnSchema(to, schema, service)
  }
  try {
    await assertOwner(db)
    return { db, grant, close: () => db.destroy() }
  } catch (error) {
    await db.destroy()
    throw error
  }
}

async function assertOwner<Tables>(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ owns: boolean }>`select pg_has_role(relowner, 'member') as owns from pg_class
    where oid = 'public.checkpoints'::regclass`.execute(db)
  if (rows[0]?.owns !== true) throw new StartupError('this needs the role that owns the tables: set MIGRATE_DATABASE_URL')
}
