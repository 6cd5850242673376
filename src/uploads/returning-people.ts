import type { Pool } from 'pg'
import { toUuid } from '#domain/ids'
import { employees } from '#projections/employees/fold'
import { schemaOf } from '#projections/projection'
import type { RowKeys } from '#spreadsheets/plan-rows'
import { exchangeDay } from '#spreadsheets/read-date'
import type { PartPreview } from './run-part.ts'

/** The rows that are looked up at once. */
const ROWS_AT_ONCE = 5_000
/** The names that are listed. */
const MAX_NAMES = 20

/** A value of a row, and of whom. */
interface RowValue {
  row: RowKeys
  name: string
  value: string
}

/**
 * Counts the values of rows by how they compare with those that are stored. `condition` is SQL about `wanted`, with the
 * `name` and the `value` of an attribute, and the employee `e`. As far as the read model has come: the call itself decides.
 */
async function countValues(
  pool: Pool,
  companyId: string,
  values: readonly RowValue[],
  condition: string,
): Promise<number> {
  let count = 0
  for (let at = 0; at < values.length; at += ROWS_AT_ONCE) {
    const some = values.slice(at, at + ROWS_AT_ONCE)
    const { rows: found } = await pool.query<{ count: number }>(
      // With OFFSET, PostgreSQL looks for each person in the index.
      `select count(*)::int as count
       from unnest($2::text[], $3::text[], $4::text[], $5::text[]) as wanted(external_id, email, name, value)
       cross join lateral (
         select employee_id from employee_directory
         where company_id = $1 and (external_id = wanted.external_id
           or (wanted.external_id is null and email = wanted.email)) offset 0) d
       join ${schemaOf(employees)}.employees e on e.company_id = $1 and e.employee_id = d.employee_id
       where ${condition}`,
      [
        toUuid(companyId),
        some.map(({ row }) => row.external_id ?? null),
        some.map(({ row }) => row.email ?? null),
        some.map(({ name }) => name),
        some.map(({ value }) => value),
      ],
    )
    count += found[0]!.count
  }
  return count
}

/**
 * Counts the rows of people who have come back: the end date that is stored is before the start date of their row, which
 * has no end date.
 */
export async function countReturning(pool: Pool, companyId: string, rows: readonly RowKeys[]): Promise<number> {
  const starts = rows.flatMap((row) => {
    const { start_date: value, termination_date: end } = row.dates ?? {}
    return value === undefined || end !== undefined ? [] : { row, name: 'start_date', value }
  })
  return countValues(pool, companyId, starts, "e.attributes->>'termination_date' < wanted.value")
}

/** How many people have a value of their row written otherwise, and how many have it as it is. */
interface RewrittenCount {
  rewritten: number
  same: number
}

async function countRewritten(
  pool: Pool,
  companyId: string,
  sent: readonly RowValue[],
  rewritten: readonly RowValue[],
): Promise<RewrittenCount> {
  const count = (values: readonly RowValue[]) =>
    countValues(pool, companyId, values, 'e.attributes->>wanted.name = wanted.value')
  const found = await count(rewritten)
  return { rewritten: found, same: found === 0 ? 0 : await count(sent) }
}

/**
 * Counts the dates of rows that would become what is stored, with the day and the month exchanged, and those that are
 * stored so already.
 */
export async function countExchanged(
  pool: Pool,
  companyId: string,
  rows: readonly RowKeys[],
  name: 'start_date' | 'termination_date',
): Promise<RewrittenCount> {
  const dates = rows.flatMap((row) => {
    const value = row.dates?.[name]
    const other = exchangeDay(value ?? '')
    return value === undefined || other === null ? [] : { row, name, value, other }
  })
  const exchanged = dates.map(({ other, ...date }) => ({ ...date, value: other }))
  return countRewritten(pool, companyId, dates, exchanged)
}

/** The rows whose ids are looked up, and the digits that an id may have more or less. */
const [MAX_IDS, MAX_PADDING] = [200, 8]

/**
 * Counts the ids of the first rows that are stored with more or fewer zeros in front, as where a spreadsheet has taken
 * them for numbers, and those that are stored as they are.
 */
export async function countRespelled(
  pool: Pool,
  companyId: string,
  rows: readonly RowKeys[],
  name: 'external_id' | 'employee_number',
): Promise<RewrittenCount> {
  const ids = rows.flatMap((row) => {
    const value = row[name] ?? ''
    return /^\d{1,20}(?:[.,]0+)?$/.test(value) ? { row, name, value } : []
  })
  const some = ids.slice(0, MAX_IDS)
  const whose = ({ row }: RowValue, value: string) => (name === 'external_id' ? { ...row, external_id: value } : row)
  const others = some.flatMap((id) => listSpellings(id.value).map((value) => ({ ...id, value, row: whose(id, value) })))
  return countRewritten(pool, companyId, some, others)
}

/** The other ways in which a number is written as an id. */
function listSpellings(id: string): string[] {
  const digits = id.replace(/[.,]0+$/, '').replace(/^0+(?=\d)/, '')
  const all = Array.from({ length: MAX_PADDING + 1 }, (_, zeros) => '0'.repeat(zeros) + digits)
  return all.filter((spelling) => spelling !== id)
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
