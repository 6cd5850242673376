import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import { normalizeEmail } from '../../src/domain/attributes.ts'
import { listStoredForms, normalizeText } from '../../src/domain/normalize-text.ts'
import { fromUuid, isId, toUuid } from '../../src/domain/ids.ts'
import { readAddress } from '../../src/domain/networks.ts'
import type { FoundBy } from './rejected-names.ts'
import { formatCode, listPossibleNames } from './rejected-names.ts'
import { employees, normalizeSearchText } from '../employees/fold.ts'
import type { EmployeeTables } from '../employees/rows.ts'
import type { AnyDb } from '../projection.ts'
import { schemaOf } from '../projection.ts'
import { NO_KEY } from './tables.ts'
import { buildTimeConditions, joinConditions } from './time-conditions.ts'

/**
 * Filters records by person. Both fields are compared with the employee's current values, and with the exact id, email
 * or external id in refused records.
 */
export interface PersonFilter {
  /** The exact id, email (in any case) or external id of an employee. */
  employee?: string
  /**
   * Part of the names, email, external id or employee number of an employee, in any case; or the id. Also finds entries
   * by exactly their id, request id, the error code of the call or of a record, the id or name (in any case) of their key, or the
   * address that the call was sent from.
   */
  q?: string
}

/** A text that a filter searches for, and the employees that it finds. */
export interface PersonSearch {
  text: string
  /** The ids of the employees; null if they are too many to list. */
  employeeIds: ReadonlySet<string> | null
  /** What finds their refused records, and those that the text finds in another way. */
  names: readonly FoundBy[]
  /** Conditions on an entry `e`, joined by OR: what else the text may name. */
  ofEntry: RawBuilder<unknown>[]
}

/** More employees are not listed: those of a call are compared with the text instead. */
const MAX_LISTED = 100
/** Of keys with the same name, only the newest are found; of those used from one address, the last used ones. */
const MAX_KEYS = 20
const MAX_SENDERS = 100

const EMPLOYEES = sql.id(schemaOf(employees), 'employees')
/** Has the unique indexes on email and external id. */
const DIRECTORY = sql.id('employee_directory')

/** Finds the employees of each given field of a filter. */
export async function findPeople(db: AnyDb, companyId: string, { employee, q }: PersonFilter): Promise<PersonSearch[]> {
  const company = toUuid(companyId)
  const people: PersonSearch[] = []
  if (employee !== undefined) {
    const find = (isTheirs: RawBuilder<unknown>) =>
      sql`select employee_id from ${DIRECTORY} where company_id = ${company} and ${isTheirs}`
    const email = find(sql`email = ${normalizeEmail(normalizeText(employee))}`)
    people.push(
      await listPeople(
        db,
        { text: employee, names: [], ofEntry: [] },
        sql`${email} union ${find(sql`external_id = any(${listStoredForms(employee)}::text[])`)}`,
      ),
    )
  }
  if (q !== undefined) {
    const isTheirs = sql`company_id = ${company} and ${hasText(q)}`
    people.push(
      await listPeople(
        db,
        { text: q, names: [formatCode(q)], ofEntry: await listEntryConditions(db, company, q) },
        sql`select employee_id from ${EMPLOYEES} where ${isTheirs} limit ${MAX_LISTED + 1}`,
      ),
    )
  }
  return people
}

async function listEntryConditions(db: AnyDb, company: string, text: string): Promise<RawBuilder<unknown>[]> {
  const address = readAddress(text)
  const { rows } = await sql<NamedKey>`(
      select api_id, null as first_at, null as last_at from api_keys
      where company_id = ${company} and lower(name) = lower(${text}) order by api_id desc limit ${MAX_KEYS}
    ) union all (
      select coalesce(k.api_id, ${toUuid(NO_KEY)}), min(c.first_at), max(c.last_at) from actor_clients c
        left join api_keys k on k.company_id = c.company_id and k.api_id = c.actor_id
      where c.company_id = ${company} and c.address = ${address} group by 1 order by 3 desc limit ${MAX_SENDERS}
    )`.execute(db)
  return [
    sql`e.request_id = ${text}`,
    sql`e.error_code = ${text}`,
    ...(isId('log', text) ? [sql`e.call_id = ${toUuid(text)}`] : []),
    ...(isId('key', text) ? [sql`e.key_id = ${toUuid(text)}`] : []),
    ...rows.map((key) => (key.last_at === null ? sql`e.key_id = ${key.api_id}` : wasSentFrom(company, key, address!))),
  ]
}

/** A key with a name, or one whose calls were sent from an address, and when that was. */
interface NamedKey {
  api_id: string
  first_at: string | null
  last_at: string | null
}

/** A call was requested at most an hour before it was recorded, and the last use of an address is written once a minute. */
const [RECORDED_LATE_MS, USED_LATER_MS] = [3_600_000, 120_000]

/**
 * Whether the call of an entry `e` was sent from an address with a key, which narrows the entries down with the times. No
 * join takes the place of the look-up for each entry, whatever the planner knows of the tables.
 */
function wasSentFrom(company: string, key: NamedKey, address: string): RawBuilder<unknown> {
  const at = (instant: string | null, laterMs: number) => new Date(Date.parse(instant!) + laterMs).toISOString()
  const times = { from: at(key.first_at, -RECORDED_LATE_MS), to: at(key.last_at, USED_LATER_MS) }
  return sql`(${joinConditions([sql`e.key_id = ${key.api_id}`, ...buildTimeConditions(company, times, sql.ref('e.position'))])}
    and exists (
      select from events v join actor_clients c on c.company_id = v.company_id and c.client_id = v.client_id
      where v.company_id = ${company} and v.position = e.position and c.address = ${address} offset 0))`
}

async function listPeople(
  db: AnyDb,
  { text, names, ofEntry }: Omit<PersonSearch, 'employeeIds'>,
  query: RawBuilder<unknown>,
): Promise<PersonSearch> {
  const { rows } = await (query as RawBuilder<{ employee_id: string }>).execute(db)
  const employeeIds = new Set(rows.map(({ employee_id: id }) => fromUuid('emp', id)))
  const isListed = rows.length <= MAX_LISTED
  if (isListed && isId('emp', text)) employeeIds.add(text)
  const possible = listPossibleNames(text, isListed ? employeeIds : [])
  return { text, employeeIds: isListed ? employeeIds : null, names: [...possible, ...names], ofEntry }
}

/** Returns those of these employees that a text finds. */
export async function matchPeople(
  db: AnyDb,
  companyId: string,
  { text, employeeIds: matchingIds }: PersonSearch,
  ids: ReadonlySet<string>,
): Promise<Set<string>> {
  if (matchingIds) return new Set([...ids].filter((id) => matchingIds.has(id)))
  const { rows } = await sql<Pick<EmployeeTables['employees'], 'employee_id'>>`select employee_id from ${EMPLOYEES}
    where company_id = ${toUuid(companyId)} and employee_id = any(${[...ids].map(toUuid)}::uuid[]) and ${hasText(text)}`.execute(
    db,
  )
  return new Set(rows.map(({ employee_id: id }) => fromUuid('emp', id)))
}

function hasText(text: string): RawBuilder<unknown> {
  return sql`strpos(search_text, ${normalizeSearchText(text)}) > 0`
}
