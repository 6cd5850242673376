import { sql, type RawBuilder } from 'kysely'
import { toUuid } from '#domain/ids'
import type { StoredCondition } from '#domain/scim/stored-condition'
import { schemaOf, type AnyDb } from '../projection.ts'
import { employees } from './fold.ts'
import { type EmployeePage, hasStatus, readPage, selectFolded, withTables } from './queries.ts'
import { EMPLOYEE_COLUMNS, type EmployeeRow } from './rows.ts'

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

/**
 * Counts them at a later position, by the events since then; null if these don't tell how many there are. `isMoved` says
 * whether an employee up to the furthest one may now be listed who was not before, or the reverse.
 */
export async function countOn(
  db: AnyDb,
  companyId: string,
  { position, all, furthest }: EmployeeCount & { furthest: string | null },
  upTo: number,
): Promise<{ count: EmployeeCount; isMoved: boolean } | null> {
  const company = toUuid(companyId)
  const { rows } = await sql<{ created: number; erased: number; moved: number; deprovisioned: number }>`
    select count(*) filter (where type = 'EmployeeCreated')::integer as created,
      count(*) filter (where type = 'EmployeeErased')::integer as erased,
      count(*) filter (where type in ('EmployeeDeprovisioned', 'EmployeeReactivated')
        or type = 'EmployeeUpdated' and position('"deprovisioned_at"' in data) > 0
        or type = 'EmployeeCreated' and stream_id < ${furthest && toUuid(furthest)})::integer as moved,
      (${countDeprovisioned(company)}) as deprovisioned
    from events where company_id = ${company} and position > ${position} and position <= ${upTo}`.execute(db)
  const { created, erased, moved, deprovisioned } = rows[0]!
  if (erased > 0) return null
  return { count: { position: Math.max(position, upTo), all: all + created, deprovisioned }, isMoved: moved > 0 }
}

const TABLE = sql.id(schemaOf(employees), 'employees')

function countDeprovisioned(company: string) {
  return sql`select count(*)::integer from ${TABLE} where company_id = ${company} and deprovisioned_at is not null`
}

/** Counts those whom no identity provider has deleted and who satisfy a condition. */
export async function countProvisioned(db: AnyDb, companyId: string, condition: StoredCondition): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::integer as count from ${TABLE}
    where company_id = ${toUuid(companyId)} and deprovisioned_at is null and ${conditionOf(condition)}`.execute(db)
  return rows[0]!.count
}

interface ProvisionedPage {
  /** The first one who may be listed, and the one behind whom the page begins. */
  from?: string | undefined
  after?: string | null
  skip?: number
  limit: number
  condition?: StoredCondition | undefined
}

/**
 * Lists the employees whom no identity provider has deleted, and who satisfy a condition, in the order of their creation:
 * from one of them on, or behind one, or behind so many. As many as are read at once.
 */
export async function listProvisioned(
  db: AnyDb,
  companyId: string,
  { from, after, skip = 0, limit, condition }: ProvisionedPage,
): Promise<EmployeePage> {
  let all = withTables(db).selectFrom('employees').where('company_id', '=', toUuid(companyId))
  // Indexes alone tell where a page begins, so that the rows before it are not read.
  const deprovisioned = all.select('employee_id').where('deprovisioned_at', 'is not', null)
  if (from !== undefined) all = all.where('employee_id', '>=', toUuid(from))
  if (after) all = all.where('employee_id', '>', toUuid(after))
  if (condition) all = all.where(conditionOf(condition))
  let query = all.select(EMPLOYEE_COLUMNS).where('deprovisioned_at', 'is', null)
  const first = all
    .select('employee_id')
    .where('employee_id', 'not in', deprovisioned)
    .orderBy('employee_id')
    .offset(skip)
    .limit(1)
  if (skip > 0) query = query.where('employee_id', '>=', first)
  return readPage(db, sql<EmployeeRow>`${query.orderBy('employee_id').limit(limit)}`, limit)
}

const SIGNS = { gt: sql`>`, ge: sql`>=`, lt: sql`<`, le: sql`<=` }

function conditionOf(condition: StoredCondition): RawBuilder<boolean> {
  switch (condition.kind) {
    case 'and':
    case 'or': {
      const joint = condition.kind === 'and' ? sql` and ` : sql` or `
      return sql<boolean>`(${sql.join(condition.of.map(conditionOf), joint)})`
    }
    case 'not':
      return sql<boolean>`not ${conditionOf(condition.of)}`
    case 'status':
      return hasStatus(condition.status)
    case 'time':
      return sql`${sql.ref(condition.of)} ${SIGNS[condition.operator]} to_timestamp(${condition.ms / 1_000}::float8)`
    case 'mentions':
      return sql<boolean>`(strpos(lower(attributes::text collate "C"), ${condition.text}) > 0
        or octet_length(attributes::text) <> char_length(attributes::text))`
  }
}
