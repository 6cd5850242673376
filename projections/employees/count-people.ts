import { sql } from 'kysely'
import { toUuid } from '#domain/ids'
import { type AnyDb, schemaOf } from '../projection.ts'
import { employees } from './fold.ts'

/** Changes of the number of people of a company by hour (RFC 3339 UTC), oldest first. */
interface PeopleChange {
  hour: string
  active: number
  inactive: number
}

/** Reads the changes since an instant (RFC 3339 UTC); all those before are in the first one. */
export async function readPeopleChanges(db: AnyDb, companyId: string, from: string): Promise<PeopleChange[]> {
  const { rows } = await sql<PeopleChange>`
    select greatest(hour, ${from}) as hour, sum(created - deactivated + reactivated)::integer as active,
      sum(deactivated - reactivated)::integer as inactive
    from ${sql.id(schemaOf(employees), 'people_by_hour')} where company_id = ${toUuid(companyId)}
    group by 1 order by 1`.execute(db)
  return rows
}

/** Counts the people at the end of each of some slots of time, which follow one another from the first change on. */
export function sumPeople<Slot extends { to: number }>(changes: readonly PeopleChange[], slots: readonly Slot[]) {
  let [at, active, inactive] = [0, 0, 0]
  return slots.map((slot) => {
    for (; at < changes.length && Date.parse(changes[at]!.hour) < slot.to; at += 1) {
      active += changes[at]!.active
      inactive += changes[at]!.inactive
    }
    return { slot, active, inactive }
  })
}
