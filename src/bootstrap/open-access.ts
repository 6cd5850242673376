import { sql, type Kysely } from 'kysely'
import type { Pool } from 'pg'
import { ACCESS_CONNECTIONS, LOOK_UP_ONLY } from '#postgres/connections'
import { openPreparedDatabase } from '#postgres/kysely'
import type { PoolOptions } from '#postgres/pool'

// Each statement looks up a few rows by key. One that takes longer is waiting for a lock, and blocks others.
const STATEMENT_TIMEOUT_MS = 5_000
const LOCK_TIMEOUT_MS = 2_000

/** Opens the connections for what must always answer: sessions, tokens, sign-in, and readiness. */
export function openAccess<Tables>(open: (options: Omit<PoolOptions, 'url'>) => Pool): {
  pool: Pool
  db: Kysely<Tables>
  /** Whether the database answers and takes writes. */
  takesWrites(): Promise<boolean>
} {
  const limits = { max: ACCESS_CONNECTIONS, statementTimeoutMs: STATEMENT_TIMEOUT_MS, lockTimeoutMs: LOCK_TIMEOUT_MS }
  const pool = open({ name: 'employee-ledger access', ...limits, settings: LOOK_UP_ONLY })
  const db = openPreparedDatabase<Tables>(pool)
  const takesWrites = async () => {
    const { rows } = await sql<{
      takes: boolean
    }>`select not current_setting('transaction_read_only')::boolean as takes`.execute(db)
    return rows[0]!.takes
  }
  return { pool, db, takesWrites }
}
