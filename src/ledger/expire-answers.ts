import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { LedgerTables } from './tables.ts'

const AT_ONCE = 1_000

/**
 * Forgets stored answers of idempotency keys that are older than `hours`, by the database's clock. The keys stay, so
 * that a late retry is recognised. Returns how many answers were forgotten. Safe to run at once in many processes.
 */
export async function expireAnswers(db: Kysely<LedgerTables>, hours: number): Promise<number> {
  for (let total = 0; ; ) {
    const { numAffectedRows } = await sql`update idempotency_keys k set headers = null, body = null
      from (
        select company_id, api_id, key_hash from idempotency_keys
        where body is not null and answered_at < statement_timestamp() - make_interval(hours => ${hours})
        order by answered_at limit ${AT_ONCE} for update skip locked
      ) as old
      where k.company_id = old.company_id and k.api_id = old.api_id and k.key_hash = old.key_hash`.execute(db)
    const count = Number(numAffectedRows ?? 0n)
    total += count
    if (count < AT_ONCE) return total
  }
}
