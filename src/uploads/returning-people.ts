import type { Pool } from 'pg'
import { toUuid } from '#domain/ids'
import { employees } from '#projections/employees/fold'
import { schemaOf } from '#projections/projection'
import type { RowKeys } from '#spreadsheets/rows/plan-rows'
import type { PartPreview } from './run-part.ts'

/** The rows that are looked up at once. */
const ROWS_AT_ONCE = 5_000
/** The names that are listed. */
const MAX_NAMES = 20

/**
 * Counts the rows of people who have come back: the end date that is stored is before the start date of their row, which
 * has no end date. As far as the read model has come: the call itself decides.
 */
export async function countReturning(pool: Pool, companyId: string, rows: readonly RowKeys[]): Promise<number> {
  const starting = rows.filter(({ dates }) => dates?.start_date !== undefined && dates.termination_date === undefined)
  let count = 0
  for (let at = 0; at < starting.length; at += ROWS_AT_ONCE) {
    const some = starting.slice(at, at + ROWS_AT_ONCE)
    const { rows: found } = await pool.query<{ count: number }>(
      // With OFFSET, PostgreSQL looks for each person in the index.
      `select count(*)::int as count
       from unnest($2::text[], $3::text[], $4::text[]) as wanted(external_id, email, start_date)
       cross join lateral (
         select employee_id from employee_directory
         where company_id = $1 and (external_id = wanted.external_id
           or (wanted.external_id is null and email = wanted.email)) offset 0) d
       join ${schemaOf(employees)}.employees e on e.company_id = $1 and e.employee_id = d.employee_id
       where e.attributes->>'termination_date' < wanted.start_date`,
      [
        toUuid(companyId),
        some.map((row) => row.external_id ?? null),
        some.map((row) => row.email ?? null),
        some.map(({ dates }) => dates!.start_date),
      ],
    )
    count += found[0]!.count
  }
  return count
}

/** The names of people who have come back, as the rows have them that the preview refuses for it. */
export function listReturning({ errors, records }: PartPreview): string[] {
  const refused = errors.filter(({ pointer }) => pointer.endsWith('/start_date')).slice(0, MAX_NAMES)
  return refused.map(({ index }) => {
    const {
      first_name: first,
      last_name: last,
      external_id: id,
      email,
    } = records.body[index] as Record<string, unknown>
    return [first, last].filter((name) => typeof name === 'string').join(' ') || String(id ?? email)
  })
}
