import type { ClientBase } from 'pg'
import { toUuid } from '../../domain/ids.ts'

/**
 * Deletes what receivers of webhooks answered to the messages about these positions. First locks the progress of the
 * company's webhooks. Whoever records a delivery takes the same lock and stores no answer if the event's data is gone,
 * so no answer is stored after this.
 */
export async function forgetDeliveryAnswers(client: ClientBase, companyId: string, positions: number[]): Promise<void> {
  const company = toUuid(companyId)
  await client.query('select from webhook_progress where company_id = $1 order by webhook_id for update', [company])
  await client.query(
    `update webhook_deliveries set answer = null
     where company_id = $1 and position = any($2::bigint[]) and answer is not null`,
    [company, positions],
  )
}
