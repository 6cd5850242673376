import { sql, type RawBuilder } from 'kysely'
import type { Employee } from '#domain/employees/employee'
import { HOURS_UNTIL_PASSED, type LastingWarning } from '#domain/employees/warnings'
import { toUuid } from '#domain/ids'
import { foldText, trimBlanks } from '#text/normalize-text'
import { schemaOf } from '../projection.ts'
import { buildSearchText, employees } from './fold.ts'
import { STATUS } from './rows.ts'

/** Selects the employees who match all given filters. */
export interface EmployeeFilter {
  status?: Employee['status']
  /** In any case. */
  department?: string
  location?: string
  /** The id of their manager. */
  manager?: string
  withoutExternalId?: true
  /** Active people whose termination date is before this day (YYYY-MM-DD). */
  endedBefore?: string
  /** Only active people to whom this warning applies. */
  warning?: LastingWarning
  q?: string
}

const CONDITIONS: Required<{
  [Name in keyof EmployeeFilter]: (value: NonNullable<EmployeeFilter[Name]>, company: string) => RawBuilder<boolean>
}> = {
  status: (status) => hasStatus(status),
  department: (department) => isText('department', department),
  location: (location) => isText('location', location),
  // The directory has managers as they are stored, and indexes by manager and external id.
  manager: (manager, company) => sql`employee_id in (
    select employee_id from employee_directory where company_id = ${company} and manager_id = ${toUuid(manager)})`,
  withoutExternalId: (_, company) => sql`employee_id in (
    select employee_id from employee_directory where company_id = ${company} and external_id is null)`,
  endedBefore: (day) => sql`${hasStatus('active')} and attributes->>'termination_date' < ${day}`,
  warning: (warning, company) => sql`${hasStatus('active')} and ${WARNED[warning](company)}`,
  q: (q) => matchesText(q),
}

const WARNED: Readonly<Record<LastingWarning, (company: string) => RawBuilder<boolean>>> = {
  past_termination_dates: () => {
    const passed = sql`to_char(now() at time zone 'UTC' - make_interval(hours => ${HOURS_UNTIL_PASSED}), 'YYYY-MM-DD')`
    return sql`attributes->>'termination_date' < ${passed}`
  },
  inactive_managers: (company) => sql`employee_id in (
    select d.employee_id from employee_directory d join ${sql.id(schemaOf(employees), 'employees')} m
      on m.company_id = d.company_id and m.employee_id = d.manager_id
    where d.company_id = ${company} and m.deactivated_at is not null)`,
}

/** The conditions of a filter. */
export function conditionsOf(companyId: string, filter: EmployeeFilter): RawBuilder<boolean>[] {
  return (Object.keys(filter) as (keyof EmployeeFilter)[]).flatMap((name) => {
    const value = filter[name]
    const condition = CONDITIONS[name] as (value: unknown, company: string) => RawBuilder<boolean>
    return value === undefined ? [] : [condition(value, toUuid(companyId))]
  })
}

/** The condition that an employee has a status. */
export function hasStatus(status: Employee['status']): RawBuilder<boolean> {
  return sql<boolean>`${sql.raw(STATUS)} = ${status}`
}

function isText(name: 'department' | 'location', text: string): RawBuilder<boolean> {
  return sql`lower(attributes->>${sql.lit(name)}) = lower(${text})`
}

/** The condition that an employee's row has a text. */
export function matchesText(q: string): RawBuilder<boolean> {
  return sql<boolean>`strpos(search_text, ${foldText(trimBlanks(q))}) > 0`
}

/** Whether an employee has a status and a text. */
export function matchesFilter(employee: Employee, { status, q }: Pick<EmployeeFilter, 'status' | 'q'>): boolean {
  if (status !== undefined && employee.status !== status) return false
  return q === undefined || buildSearchText(employee).includes(foldText(trimBlanks(q)))
}
