import type { Transaction } from 'kysely'
import { sql } from 'kysely'
import type { RecordedEvent } from '../../src/domain/events.ts'
import { toUuid } from '../../src/domain/ids.ts'

/**
 * Deletes what the log keeps of the names in refused records whose data is erased. The rows are then the same as if the
 * data had been erased before the fold. Call it after the rows of these events have been inserted.
 */
export async function deleteErased(
  transaction: Transaction<unknown>,
  schema: string,
  companyId: string,
  events: RecordedEvent[],
): Promise<void> {
  const positions = events.flatMap((event) => {
    const isErasing = event.type === 'EmployeeErased' || event.type === 'RecordsRetired'
    return isErasing ? (event.data?.positions ?? []) : []
  })
  if (positions.length === 0) return
  await sql`delete from ${sql.id(schema, 'rejected_names')}
    where company_id = ${toUuid(companyId)} and position = any(${positions}::bigint[])`.execute(transaction)
}
