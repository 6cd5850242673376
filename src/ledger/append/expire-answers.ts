import { sql } from 'kysely'
import type { LedgerDb } from '../tables.ts'

const AT_ONCE = 1_000

/**
 * Deletes the stored answers of idempotency keys that are older than `hours`, by the database's clock, with the salts
 * and fingerprints of their requests. The keys stay, so that a late retry is recognized. Returns how many answers it
 * deleted. Several processes may do so at once.
 */
export async function expireAnswers(db: LedgerDb, hours: number): Promise<number> {
  for (let total = 0; ;) {
    const { rows: old } = await sql<OldAnswer>`select company_id, api_id, key_hash from idempotency_keys
      where body is not null and answered_at < statement_timestamp() - make_interval(hours => ${hours})
      order by answered_at limit ${AT_ONCE}`.execute(db)
    for (const [company, keys] of Map.groupBy(old, ({ company_id: id }) => id)) total += await forget(db, company, keys)
    if (old.length < AT_ONCE) return total
  }
}

interface OldAnswer {
  company_id: string
  api_id: string
  key_hash: Buffer
}

/** Each statement names its company, so that Citus runs it on one machine. */
async function forget(db: LedgerDb, company: string, keys: OldAnswer[]): Promise<number> {
  const { numAffectedRows } =
    await sql`update idempotency_keys k set salt = null, fingerprint = null, headers = null, body = null
    from unnest(${keys.map(({ api_id: id }) => id)}::uuid[], ${keys.map(({ key_hash: hash }) => hash)}::bytea[]) as old(api_id, key_hash)
    where k.company_id = ${company} and k.api_id = old.api_id and k.key_hash = old.key_hash and k.body is not null`.execute(
      db,
    )
  return Number(numAffectedRows ?? 0n)
}
