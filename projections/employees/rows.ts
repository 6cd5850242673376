import { restoreEmployee, type Employee } from '#domain/employees/employee'
import type { AttributesSet } from '#domain/events'
import { hasMoreMembersThan } from '#domain/json'
import { fromUuid } from '#domain/ids'
import { type Projection, integer, json, nullable, text, time, uuid, type RowOf } from '../projection.ts'

/** The attributes of an employee that are set, apart from the status, which `deactivated_at` tells. */
type StoredAttributes = Omit<AttributesSet, 'status'>

export const EMPLOYEE_TABLES = {
  employees: {
    columns: {
      company_id: uuid,
      /** A UUIDv7, so the list is in order of creation. */
      employee_id: uuid,
      created_at: time,
      updated_at: time,
      deactivated_at: nullable(time),
      deprovisioned_at: nullable(time),
      version: integer,
      /** The text that `q` searches, in lower case. */
      search_text: text,
      attributes: json<StoredAttributes>(),
    },
    key: ['company_id', 'employee_id'],
  },
  /** How many people were created, became inactive (also by being created so), and became active again in an hour. */
  people_by_hour: {
    columns: { company_id: uuid, hour: time, created: integer, deactivated: integer, reactivated: integer },
    key: ['company_id', 'hour'],
  },
} satisfies Projection['tables']

/** The rows of these tables. */
export type EmployeeTables = {
  [Name in keyof typeof EMPLOYEE_TABLES]: RowOf<(typeof EMPLOYEE_TABLES)[Name]['columns']>
}

/** The columns of a row that make an employee. */
export type EmployeeRow = Omit<EmployeeTables['employees'], 'company_id' | 'search_text'>

/** The names of the columns of an `EmployeeRow`. */
export const EMPLOYEE_COLUMNS = [
  'employee_id',
  'version',
  'created_at',
  'updated_at',
  'deactivated_at',
  'deprovisioned_at',
  'attributes',
] as const satisfies (keyof EmployeeRow)[]

/** The status of a row. As a text, because PostgreSQL rewrites a comparison with a truth value so that no index fits it. */
export const STATUS = `case when deactivated_at is null then 'active' else 'inactive' end`

/**
 * None on email or external id: the directory has unique ones. None changes with an update, so that PostgreSQL can
 * update rows in place (HOT).
 */
export const EMPLOYEE_INDEXES: Projection['indexes'] = {
  employees_by_status: { table: 'employees', on: `(company_id, (${STATUS}), employee_id)` },
  // Of the few whom an identity provider has deleted: all others would take as much again as the primary key.
  employees_deprovisioned: { table: 'employees', on: '(company_id, employee_id) where deprovisioned_at is not null' },
}

/** The members of an employee that have columns of their own. */
const COLUMNS: ReadonlySet<string> = new Set<keyof Employee>([
  'id',
  'status',
  'created_at',
  'updated_at',
  'deactivated_at',
  'deprovisioned_at',
  'version',
])

/** The attributes that are set, including those that only a later version of the program knows. */
export function listSetAttributes(employee: Employee): StoredAttributes {
  const set: Record<string, unknown> = {}
  // Lists no names, as Object.keys would. No employee has a prototype with anything to list.
  for (const name in employee) {
    if (COLUMNS.has(name)) continue
    const value = employee[name as keyof Employee]
    if (value === null || (name === 'custom_attributes' && !hasMoreMembersThan(value as object, 0))) continue
    set[name] = value
  }
  return set
}

/** The employee of a row. */
export function toEmployee(row: EmployeeRow): Employee {
  return restoreEmployee(fromUuid('emp', row.employee_id), row.attributes, row)
}
