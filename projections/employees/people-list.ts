import { sql } from 'kysely'
import type { Employee } from '#domain/employees/employee'
import { toUuid } from '#domain/ids'
import { schemaOf, type AnyDb } from '../projection.ts'
import { employees } from './fold.ts'
import { conditionsOf, type EmployeeFilter } from './filter.ts'
import { EMPLOYEE_COLUMNS, toEmployee, type EmployeeRow } from './rows.ts'

/** What people are sorted by, and in which direction. People with equal values are in the order of their ids. */
const ORDERS = {
  newest: { key: sql`employee_id`, isDescending: true },
  name: {
    key: sql`lower(coalesce(attributes->>'last_name', '') || ' ' || coalesce(attributes->>'first_name', ''))`,
    isDescending: false,
  },
  department: { key: sql`lower(coalesce(attributes->>'department', ''))`, isDescending: false },
  changed: { key: sql`updated_at`, isDescending: true },
} as const

export type PeopleOrder = keyof typeof ORDERS

export const PEOPLE_ORDERS = Object.keys(ORDERS) as PeopleOrder[]

/**
 * Lists a company's people. Only the newest ones are found by an index; all else reads everybody. `after` is the last one
 * of the page before: once they have been erased, nothing follows.
 */
export async function listPeople(
  db: AnyDb,
  companyId: string,
  filter: EmployeeFilter,
  page: { order: PeopleOrder; after: string | null; limit: number },
): Promise<Employee[]> {
  const company = toUuid(companyId)
  const table = sql.id(schemaOf(employees), 'employees')
  const { key, isDescending } = ORDERS[page.order]
  const conditions = conditionsOf(companyId, filter)
  if (page.after !== null)
    conditions.push(sql`(${key}, employee_id) ${isDescending ? sql`<` : sql`>`} (
      select ${key}, employee_id from ${table} where company_id = ${company} and employee_id = ${toUuid(page.after)})`)
  const direction = isDescending ? sql`desc` : sql`asc`
  const { rows } = await sql<EmployeeRow>`select ${sql.join(EMPLOYEE_COLUMNS.map((name) => sql.ref(name)))}
    from ${table} where ${sql.join([sql`company_id = ${company}`, ...conditions], sql` and `)}
    order by ${key} ${direction}, employee_id ${direction} limit ${page.limit}`.execute(db)
  return rows.map(toEmployee)
}
