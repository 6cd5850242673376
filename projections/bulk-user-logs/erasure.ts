import type { Transaction } from 'kysely'
import { sql } from 'kysely'
import type { RecordedEvent } from '../../src/domain/events.ts'
import { toUuid } from '../../src/domain/ids.ts'

/**
 * Deletes what the log keeps of refused records whose data is erased: their name hashes and their employee ids. The
 * rows are then the same as if the data had been erased before the fold. Call it after the rows of these events have
 * been inserted.
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
  const company = toUuid(companyId)
  await sql`delete from ${sql.id(schema, 'rejected_names')}
    where company_id = ${company} and position = any(${positions}::bigint[])`.execute(transaction)
  // An event belongs to the first entry after it. Records of successful calls keep their employee id: it is the stream.
  await sql`update ${sql.id(schema, 'records')} r set employee_id = null
    from unnest(${positions}::bigint[]) as erased (position)
    cross join lateral (
      select e.position, e.status from ${sql.id(schema, 'entries')} e
      where e.company_id = ${company} and e.position > erased.position order by e.position limit 1
    ) entry
    where entry.status = 'Failed' and r.company_id = ${company} and r.entry_position = entry.position
      and r.first_position = erased.position and r.employee_id is not null`.execute(transaction)
}
