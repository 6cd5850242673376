import { sql } from 'kysely'
import type { Pool } from 'pg'
import type { OnUnreachable } from '../../postgres/cluster/company-connections.ts'
import { deleteEverywhere } from '../../postgres/cluster/delete-everywhere.ts'

/** Forgets the logout tokens that are too old to be accepted, by the database's clock. Returns how many. */
export function expireLogoutTokens(pool: Pool, onUnreachable?: OnUnreachable): Promise<number> {
  return deleteEverywhere(
    pool,
    (limit) => sql`delete from logout_tokens t using (
        select company_id, token_hash from logout_tokens where expires_at <= statement_timestamp() ${limit}
      ) as old
      where t.company_id = old.company_id and t.token_hash = old.token_hash`,
    onUnreachable,
  )
}
