import { sql, type RawBuilder } from 'kysely'
import { HOURS } from './live-tables.ts'
import { startOfHour } from '#domain/local-times'

type Condition = RawBuilder<unknown>

/** From an instant on, and before another one (RFC 3339). */
interface Times {
  from?: string
  to?: string
}

/**
 * The conditions that times set on positions. Times are turned into positions through the hours, because entries are in
 * the order in which their calls were committed, not requested.
 */
export function buildTimeConditions(company: string, { from, to }: Times, position: Condition): Condition[] {
  const conditions: Condition[] = []
  if (from !== undefined) {
    conditions.push(
      sql`${position} >= (select min(first_position) from ${HOURS}
        where company_id = ${company} and hour >= ${startOfHour(from)})`,
    )
  }
  if (to !== undefined) {
    conditions.push(
      sql`${position} <= (select max(last_position) from ${HOURS} where company_id = ${company} and hour < ${to})`,
    )
  }
  return conditions
}

/** Joins conditions by AND. */
export function joinConditions(conditions: Condition[]): Condition {
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)
}
