import { sql } from 'kysely'
import type { Pool } from 'pg'
import type { OnUnreachable } from '../../postgres/cluster/company-connections.ts'
import { deleteEverywhere } from '../../postgres/cluster/delete-everywhere.ts'

/** Deletes the sessions that have exceeded their lifetime, by the database's clock. Returns how many. */
export function expireSessions(pool: Pool, onUnreachable?: OnUnreachable): Promise<number> {
  return deleteEverywhere(
    pool,
    (limit) => sql`delete from sessions s using (
        select company_id, session_hash from sessions where expires_at <= statement_timestamp() ${limit}
      ) as old
      where s.company_id = old.company_id and s.session_hash = old.session_hash`,
    onUnreachable,
  )
}
