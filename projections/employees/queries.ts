import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { AnyDb } from '../projection.ts'
import type { Employee } from '../../src/domain/employees/employee.ts'
import type { EmployeeTables } from './fold.ts'
import { employees, normaliseSearchText, buildSearchText } from './fold.ts'
import { schemaOf } from '../projection.ts'
import { toUuid } from '../../src/domain/ids.ts'

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

/** The end of a page: an employee; with `updated_since`, also the time of their last change. */
export interface EmployeePlace {
  id: string
  updatedAt: string
}

/** A page of a list. */
interface Page {
  after: EmployeePlace | null
  limit: number
}

/**
 * Lists a company's employees in the order of their creation, which never changes. With `updated_since`, lists them in
 * the order of their last change: an employee who changes during paging appears again instead of being missed. With
 * an email or an external id, lists the employee who has it now, if any.
 */
export async function listEmployees(
  db: AnyDb,
  companyId: string,
  filter: EmployeeFilter,
  page: Page,
): Promise<Employee[]> {
  const { status, email, external_id: externalId, updated_since: since, q } = filter
  if (email !== undefined || externalId !== undefined) return listHolder(db, companyId, filter, page)
  let query = withTables(db).selectFrom('employees').select('state').where('company_id', '=', toUuid(companyId))
  if (status !== undefined) query = query.where('status', '=', status)
  if (q !== undefined) query = query.where(sql<boolean>`strpos(search_text, ${normaliseSearchText(q)}) > 0`)
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

/**
 * Lists the employee who has an email or an external id, if the rest of the filter matches. Reads the snapshots, which
 * are current as of the last commit: if two employees swap a value, one of them is found at any time.
 */
async function listHolder(db: AnyDb, companyId: string, filter: EmployeeFilter, page: Page): Promise<Employee[]> {
  const { email, external_id: externalId } = filter
  const conditions = [sql`company_id = ${toUuid(companyId)}`]
  if (email !== undefined) conditions.push(sql`email = ${email}`)
  if (externalId !== undefined) conditions.push(sql`external_id = ${externalId}`)
  const { rows } = await sql<{ state: Employee }>`
    select state from employee_snapshots where ${sql.join(conditions, sql` and `)}`.execute(db)
  return rows.map(({ state }) => state).filter((employee) => matchesFilter(employee, filter, page.after))
}

/** Whether an employee matches a filter and comes after a place. Ids and times sort like their texts. */
function matchesFilter(
  employee: Employee,
  { status, q, updated_since: since }: EmployeeFilter,
  after: EmployeePlace | null,
): boolean {
  const { id, updated_at: updatedAt } = employee
  if (status !== undefined && employee.status !== status) return false
  if (q !== undefined && !buildSearchText(employee).includes(normaliseSearchText(q))) return false
  if (since !== undefined && updatedAt < since) return false
  if (!after) return true
  return since !== undefined && updatedAt !== after.updatedAt ? updatedAt > after.updatedAt : id > after.id
}

/** Finds the employees of a company with these ids, by id. */
export async function findEmployees(db: AnyDb, companyId: string, ids: string[]): Promise<Map<string, Employee>> {
  if (ids.length === 0) return new Map()
  const rows = await withTables(db)
    .selectFrom('employees')
    .select('state')
    .where('company_id', '=', toUuid(companyId))
    .where('employee_id', '=', sql<string>`any(${ids.map(toUuid)}::uuid[])`)
    .execute()
  return new Map(rows.map(({ state }) => [state.id, state]))
}

function withTables(db: AnyDb): Kysely<EmployeeTables> {
  return db.withSchema(schemaOf(employees)).$extendTables<EmployeeTables>()
}
