import { sql } from 'kysely'
import type { Pool } from 'pg'
import { changeInPieces } from '#postgres/delete-in-pieces'

/**
 * Deletes the stored answers of idempotency keys that are older than `hours`, by the database's clock, with the salts
 * and fingerprints of their requests. The keys stay, so that a late retry is recognized. Returns how many answers it
 * deleted. Several processes may do so at once.
 */
export function expireAnswers(pool: Pool, hours: number): Promise<number> {
  return changeInPieces(
    pool,
    (limit) => sql`update idempotency_keys k set salt = null, fingerprint = null, headers = null, body = null from (
        select company_id, api_id, key_hash from idempotency_keys
        where body is not null and answered_at < statement_timestamp() - make_interval(hours => ${hours})
        order by answered_at ${limit}
      ) as old
      where k.company_id = old.company_id and k.api_id = old.api_id and k.key_hash = old.key_hash
        and k.body is not null`,
  )
}
