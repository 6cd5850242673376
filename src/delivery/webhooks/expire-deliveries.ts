import { sql } from 'kysely'
import type { Pool } from 'pg'
import type { LedgerDb } from '../../ledger/tables.ts'
import type { OnUnreachable } from '../../postgres/cluster/query-targets.ts'
import { countEverywhere } from '../../postgres/cluster/query-targets.ts'
import { openDatabase } from '../../postgres/kysely.ts'

/** How long deliveries are kept. */
const DELIVERIES_KEPT_DAYS = 30
const AT_ONCE = 1_000

/**
 * Deletes deliveries that are older than DELIVERIES_KEPT_DAYS, by the database's clock. Returns how many. Several
 * processes may do so at once.
 */
export function expireDeliveries(pool: Pool, onUnreachable?: OnUnreachable): Promise<number> {
  return countEverywhere(pool, (place) => expireIn(openDatabase(place)), onUnreachable)
}

async function expireIn(db: LedgerDb): Promise<number> {
  for (let total = 0; ;) {
    const { rows: old } = await sql<OldDelivery>`select company_id, webhook_id, delivery_id from webhook_deliveries
      where sent_at < statement_timestamp() - make_interval(days => ${DELIVERIES_KEPT_DAYS})
      order by sent_at limit ${AT_ONCE}`.execute(db)
    for (const [company, rows] of Map.groupBy(old, ({ company_id: id }) => id)) total += await forget(db, company, rows)
    if (old.length < AT_ONCE) return total
  }
}

interface OldDelivery {
  company_id: string
  webhook_id: string
  delivery_id: string
}

/** In a transaction, which keeps the company where it is. */
async function forget(db: LedgerDb, company: string, rows: OldDelivery[]): Promise<number> {
  const remove = sql`delete from webhook_deliveries d
    using unnest(${rows.map(({ webhook_id: id }) => id)}::uuid[], ${rows.map(({ delivery_id: id }) => id)}::uuid[])
      as old(webhook_id, delivery_id)
    where d.company_id = ${company} and d.webhook_id = old.webhook_id and d.delivery_id = old.delivery_id`
  const { numAffectedRows } = await db.transaction().execute((transaction) => remove.execute(transaction))
  return Number(numAffectedRows ?? 0n)
}
