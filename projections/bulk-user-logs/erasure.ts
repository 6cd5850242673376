import type { Transaction } from 'kysely'
import { sql } from 'kysely'
import type { RecordedEvent } from '../../src/domain/events.ts'
import { toUuid } from '../../src/domain/ids.ts'

/**
 * Takes along what the log keeps of refused records whose data are erased: the hashes by which they are found, and whom
 * they were about. So the rows are what a fold that never saw the data makes. Runs behind the rows of the same events.
 */
export async function forgetErased(
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
  // The entry of an event is the next one. Records of calls that succeeded know their employee by the stream, which stays.
  await sql`update ${sql.id(schema, 'records')} r set employee_id = null
    from unnest(${positions}::bigint[]) as erased (position)
    cross join lateral (
      select e.position, e.status from ${sql.id(schema, 'entries')} e
      where e.company_id = ${company} and e.position > erased.position order by e.position limit 1
    ) entry
    where entry.status = 'Failed' and r.company_id = ${company} and r.entry_position = entry.position
      and r.first_position = erased.position and r.employee_id is not null`.execute(transaction)
}
