import { sql } from 'kysely'
import type { Pool } from 'pg'
import { deleteInPieces } from '../../postgres/delete-in-pieces.ts'

/** How long deliveries are kept. */
const DELIVERIES_KEPT_DAYS = 30

/**
 * Deletes deliveries that are older than DELIVERIES_KEPT_DAYS, by the database's clock. Returns how many. Several
 * processes may do so at once.
 */
export function expireDeliveries(pool: Pool): Promise<number> {
  return deleteInPieces(
    pool,
    (limit) => sql`delete from webhook_deliveries d using (
        select company_id, webhook_id, delivery_id from webhook_deliveries
        where sent_at < statement_timestamp() - make_interval(days => ${DELIVERIES_KEPT_DAYS})
        order by sent_at ${limit}
      ) as old
      where d.company_id = old.company_id and d.webhook_id = old.webhook_id and d.delivery_id = old.delivery_id`,
  )
}
