import { sql, type RawBuilder } from 'kysely'
import type { Employee } from '#domain/employees/employee'
import { toUuid } from '#domain/ids'
import { schemaOf, type AnyDb } from '../projection.ts'
import { employees } from './fold.ts'
import { selectFolded, withTables } from './queries.ts'
import { EMPLOYEE_COLUMNS, toEmployee } from './rows.ts'

/* The employees whom no identity provider has deleted: their number, and their pages. */

/** The employees of a company at a position of its ledger. */
export interface EmployeeCount {
  position: number
  /** Those whom identity providers have deleted among them. */
  all: number
  deprovisioned: number
}

/** Counts the employees of a company, by an index that has each of them. */
export async function countEmployees(db: AnyDb, companyId: string): Promise<EmployeeCount> {
  const company = toUuid(companyId)
  // A statement sees one state: the count belongs to the position.
  const { rows } = await sql<EmployeeCount>`select (${selectFolded(company)}) as position,
    (select count(*)::integer from ${TABLE} where company_id = ${company}) as all,
    (${countDeprovisioned(company)}) as deprovisioned`.execute(db)
  return { ...rows[0]!, position: rows[0]!.position ?? 0 }
}

/** Counts them at a later position, by the events since then; null if these don't tell how many there are. */
export async function countOn(
  db: AnyDb,
  companyId: string,
  { position, all }: EmployeeCount,
  upTo: number,
): Promise<EmployeeCount | null> {
  const company = toUuid(companyId)
  const { rows } = await sql<{ created: number; erased: number; deprovisioned: number }>`
    select count(*) filter (where type = 'EmployeeCreated')::integer as created,
      count(*) filter (where type = 'EmployeeErased')::integer as erased,
      (${countDeprovisioned(company)}) as deprovisioned
    from events where company_id = ${company} and position > ${position} and position <= ${upTo}`.execute(db)
  const { created, erased, deprovisioned } = rows[0]!
  return erased > 0 ? null : { position: Math.max(position, upTo), all: all + created, deprovisioned }
}

const TABLE = sql.id(schemaOf(employees), 'employees')

function countDeprovisioned(company: string): RawBuilder<unknown> {
  return sql`select count(*)::integer from ${TABLE} where company_id = ${company} and deprovisioned_at is not null`
}

interface ProvisionedPage {
  after?: string | undefined
  skip?: number
  limit: number
  mentions?: string | null
}

/**
 * Lists the employees whom no identity provider has deleted, in the order of their creation: behind one
 * of them, or behind so many. `mentions` is an ASCII text, in lower case: those whose attributes are in ASCII and don't
 * have it are left out.
 */
export async function listProvisioned(
  db: AnyDb,
  companyId: string,
  { after, skip = 0, limit, mentions = null }: ProvisionedPage,
): Promise<Employee[]> {
  const all = withTables(db).selectFrom('employees').where('company_id', '=', toUuid(companyId))
  let query = all.select(EMPLOYEE_COLUMNS).where('deprovisioned_at', 'is', null)
  if (after !== undefined) query = query.where('employee_id', '>', toUuid(after))
  if (mentions !== null)
    query = query.where(
      sql<boolean>`(strpos(lower(attributes::text collate "C"), ${mentions}) > 0
        or octet_length(attributes::text) <> char_length(attributes::text))`,
    )
  // Indexes alone tell where a page begins, so that the rows before it are not read.
  const deprovisioned = all.select('employee_id').where('deprovisioned_at', 'is not', null)
  const first = all
    .select('employee_id')
    .where('employee_id', 'not in', deprovisioned)
    .orderBy('employee_id')
    .offset(skip)
    .limit(1)
  if (skip > 0) query = query.where('employee_id', '>=', first)
  const rows = await query.orderBy('employee_id').limit(limit).execute()
  return rows.map(toEmployee)
}
