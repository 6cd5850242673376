import { sql } from 'kysely'
import type { Pool } from 'pg'
import type { OnUnreachable } from '../../postgres/cluster/query-targets.ts'
import { countEverywhere } from '../../postgres/cluster/query-targets.ts'
import { openDatabase } from '../../postgres/kysely.ts'
import type { LedgerDb } from '../tables.ts'

const AT_ONCE = 1_000

/**
 * Deletes the stored answers of idempotency keys that are older than `hours`, by the database's clock, with the salts
 * and fingerprints of their requests. The keys stay, so that a late retry is recognized. Returns how many answers it
 * deleted. Several processes may do so at once.
 */
export function expireAnswers(pool: Pool, hours: number, onUnreachable?: OnUnreachable): Promise<number> {
  return countEverywhere(pool, (place) => expireIn(openDatabase(place), hours), onUnreachable)
}

async function expireIn(db: LedgerDb, hours: number): Promise<number> {
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

/** In a transaction, which keeps the company where it is. */
async function forget(db: LedgerDb, company: string, keys: OldAnswer[]): Promise<number> {
  const update = sql`update idempotency_keys k set salt = null, fingerprint = null, headers = null, body = null
    from unnest(${keys.map(({ api_id: id }) => id)}::uuid[], ${keys.map(({ key_hash: hash }) => hash)}::bytea[]) as old(api_id, key_hash)
    where k.company_id = ${company} and k.api_id = old.api_id and k.key_hash = old.key_hash and k.body is not null`
  const { numAffectedRows } = await db.transaction().execute((transaction) => update.execute(transaction))
  return Number(numAffectedRows ?? 0n)
}
