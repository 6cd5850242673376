import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Employee } from '../src/domain/employee.ts'
import type { EmployeeTables } from './employees.ts'
import { employees, searchable } from './employees.ts'
import { schemaOf } from './projection.ts'
import { toUuid } from '../src/domain/ids.ts'

/** The projection that these queries read. */
export const EMPLOYEES = { name: employees.name, version: employees.version }

export interface EmployeeFilter {
  status?: Employee['status']
  /** Normalised. */
  email?: string
  external_id?: string
  /** RFC 3339. */
  updated_since?: string
  q?: string
}

/** Where a page ends: behind an employee; with `updated_since` behind the time of their last change as well. */
export interface EmployeePlace {
  id: string
  updatedAt: string
}

/**
 * A company's employees in the order of their creation, which never changes; with `updated_since` in the order of
 * their last change, so that somebody who changes while a client pages on is seen again rather than missed.
 */
export async function listEmployees(
  db: Kysely<unknown>,
  companyId: string,
  filter: EmployeeFilter,
  page: { after: EmployeePlace | null; limit: number },
): Promise<Employee[]> {
  const { status, email, external_id: externalId, updated_since: since, q } = filter
  let query = tables(db).selectFrom('employees').select('state').where('company_id', '=', toUuid(companyId))
  if (status !== undefined) query = query.where('status', '=', status)
  if (email !== undefined) query = query.where('email', '=', email).where(isHolder(companyId, 'email', email))
  if (externalId !== undefined) query = query.where('external_id', '=', externalId).where(isHolder(companyId, 'external_id', externalId))
  if (q !== undefined) query = query.where(sql<boolean>`strpos(search_text, ${searchable(q)}) > 0`)
  if (since !== undefined) query = query.where('updated_at', '>=', since).orderBy('updated_at')
  if (page.after) {
    const { id, updatedAt } = page.after
    query =
      since === undefined
        ? query.where('employee_id', '>', toUuid(id))
        : query.where(sql<boolean>`(updated_at, employee_id) > (${updatedAt}::timestamptz, ${toUuid(id)}::uuid)`)
  }
  const rows = await query.orderBy('employee_id').limit(page.limit).execute()
  return rows.map(({ state }) => state)
}

/** Whether an employee is the one who has this value now: an index of the snapshots tells, and the list needs none of its own. */
function isHolder(companyId: string, column: 'email' | 'external_id', value: string) {
  return sql<boolean>`employee_id = (select s.employee_id from employee_snapshots s
    where s.company_id = ${toUuid(companyId)} and s.${sql.id(column)} = ${value})`
}

/** Those of a company's employees who have one of these ids. */
export async function findEmployees(db: Kysely<unknown>, companyId: string, ids: string[]): Promise<Map<string, Employee>> {
  if (ids.length === 0) return new Map()
  const rows = await tables(db)
    .selectFrom('employees')
    .select('state')
    .where('company_id', '=', toUuid(companyId))
    .where('employee_id', '=', sql<string>`any(${ids.map(toUuid)}::uuid[])`)
    .execute()
  return new Map(rows.map(({ state }) => [state.id, state]))
}

function tables(db: Kysely<unknown>): Kysely<EmployeeTables> {
  return db.withSchema(schemaOf(employees)).$extendTables<EmployeeTables>()
}
