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
  const isOld = sql`sent_at < statement_timestamp() - make_interval(days => ${DELIVERIES_KEPT_DAYS})`
  return deleteInPieces(pool, 'webhook_deliveries', ['company_id', 'webhook_id', 'delivery_id'], isOld, 'sent_at')
}
