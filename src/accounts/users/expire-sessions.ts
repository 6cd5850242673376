import { sql } from 'kysely'
import type { Pool } from 'pg'
import type { LedgerDb } from '../../ledger/tables.ts'
import type { OnUnreachable } from '../../postgres/cluster/company-connections.ts'
import { countEverywhere } from '../../postgres/cluster/company-connections.ts'
import { openDatabase } from '../../postgres/kysely.ts'

const AT_ONCE = 1_000

/**
 * Deletes the sessions that have exceeded their lifetime, by the database's clock. Returns how many. Several processes
 * may do so at once.
 */
export function expireSessions(pool: Pool, onUnreachable?: OnUnreachable): Promise<number> {
  return countEverywhere(pool, (place) => expireIn(openDatabase(place)), onUnreachable)
}

async function expireIn(db: LedgerDb): Promise<number> {
  for (let total = 0; ;) {
    const remove = sql`delete from sessions s using (
        select company_id, session_hash from sessions where expires_at <= statement_timestamp() limit ${AT_ONCE}
      ) as old
      where s.company_id = old.company_id and s.session_hash = old.session_hash`
    const { numAffectedRows } = await db.transaction().execute((transaction) => remove.execute(transaction))
    const count = Number(numAffectedRows ?? 0n)
    total += count
    if (count < AT_ONCE) return total
  }
}
