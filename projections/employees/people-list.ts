import { sql, type RawBuilder } from 'kysely'
import type { Employee } from '../../src/domain/employees/employee.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { schemaOf, type AnyDb } from '../projection.ts'
import { employees } from './fold.ts'
import { matchesText } from './queries.ts'
import { EMPLOYEE_COLUMNS, STATUS, toEmployee, type EmployeeRow } from './rows.ts'

/** Selects the people who match all given filters. */
export interface PeopleFilter {
  status?: Employee['status']
  /** In any case. */
  department?: string
  location?: string
  /** The id of their manager. */
  manager?: string
  withoutExternalId?: true
  /** Active people whose termination date is before this day (YYYY-MM-DD). */
  endedBefore?: string
  q?: string
}

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

const CONDITIONS: Required<{
  [Name in keyof PeopleFilter]: (value: NonNullable<PeopleFilter[Name]>, company: string) => RawBuilder<boolean>
}> = {
  status: (status) => sql`${sql.raw(STATUS)} = ${status}`,
  department: (department) => isText('department', department),
  location: (location) => isText('location', location),
  // The directory has an index by manager.
  manager: (manager, company) => sql`employee_id in (
    select employee_id from employee_directory where company_id = ${company} and manager_id = ${toUuid(manager)})`,
  withoutExternalId: () => sql`attributes->>'external_id' is null`,
  endedBefore: (day) => sql`${sql.raw(STATUS)} = 'active' and attributes->>'termination_date' < ${day}`,
  q: (q) => matchesText(q),
}

function isText(name: 'department' | 'location', text: string): RawBuilder<boolean> {
  return sql`lower(attributes->>${sql.lit(name)}) = lower(${text})`
}

/**
 * Lists a company's people. Only the newest ones are found by an index; all else reads everybody. `after` is the last one
 * of the page before: once they have been erased, nothing follows.
 */
export async function listPeople(
  db: AnyDb,
  companyId: string,
  filter: PeopleFilter,
  page: { order: PeopleOrder; after: string | null; limit: number },
): Promise<Employee[]> {
  const company = toUuid(companyId)
  const table = sql.id(schemaOf(employees), 'employees')
  const { key, isDescending } = ORDERS[page.order]
  const conditions = (Object.keys(filter) as (keyof PeopleFilter)[]).flatMap((name) => {
    const value = filter[name]
    const condition = CONDITIONS[name] as (value: unknown, company: string) => RawBuilder<boolean>
    return value === undefined ? [] : [condition(value, company)]
  })
  if (page.after !== null)
    conditions.push(sql`(${key}, employee_id) ${isDescending ? sql`<` : sql`>`} (
      select ${key}, employee_id from ${table} where company_id = ${company} and employee_id = ${toUuid(page.after)})`)
  const direction = isDescending ? sql`desc` : sql`asc`
  const { rows } = await sql<EmployeeRow>`select ${sql.join(EMPLOYEE_COLUMNS.map((name) => sql.ref(name)))}
    from ${table} where ${sql.join([sql`company_id = ${company}`, ...conditions], sql` and `)}
    order by ${key} ${direction}, employee_id ${direction} limit ${page.limit}`.execute(db)
  return rows.map(toEmployee)
}
