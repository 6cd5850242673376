import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import { normalizeEmail } from '../../src/domain/attributes.ts'
import { listStoredForms, normalizeText } from '../../src/domain/normalize-text.ts'
import { RECORD_ERROR_CODES } from '../../src/domain/errors.ts'
import { fromUuid, isId, toUuid } from '../../src/domain/ids.ts'
import { readAddress } from '../../src/domain/networks.ts'
import { selectHashKey, hashName, listPossibleNames } from './rejected-names.ts'
import { employees, normalizeSearchText } from '../employees/fold.ts'
import type { EmployeeTables } from '../employees/rows.ts'
import type { AnyDb } from '../projection.ts'
import { schemaOf } from '../projection.ts'
import { NO_KEY } from './tables.ts'

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
  /** Conditions on an entry `e`, joined by OR: what else the text may name. */
  ofEntry: RawBuilder<unknown>[]
}

/** More employees are not listed: those of a call are compared with the text instead. */
const MAX_LISTED = 100
/** Of keys with the same name, only the newest are found. */
const MAX_KEYS = 20

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
        employee,
        [],
        sql`${email} union ${find(sql`external_id = any(${listStoredForms(employee)}::text[])`)}`,
      ),
    )
  }
  if (q !== undefined) {
    const isTheirs = sql`company_id = ${company} and ${hasText(q)}`
    people.push(
      await listPeople(
        db,
        q,
        await listEntryConditions(db, company, q),
        sql`select employee_id from ${EMPLOYEES} where ${isTheirs} limit ${MAX_LISTED + 1}`,
      ),
    )
  }
  return people
}

async function listEntryConditions(db: AnyDb, company: string, text: string): Promise<RawBuilder<unknown>[]> {
  const { rows } = await sql<{ api_id: string }>`select api_id from api_keys
    where company_id = ${company} and lower(name) = lower(${text}) order by api_id desc limit ${MAX_KEYS}`.execute(db)
  const keys = rows.map(({ api_id: id }) => id)
  if (isId('key', text)) keys.push(toUuid(text))
  const address = readAddress(text)
  return [
    sql`e.request_id = ${text}`,
    sql`e.error_code = ${text}`,
    ...((RECORD_ERROR_CODES as readonly string[]).includes(text) ? [hasRecordError(company, text)] : []),
    ...(isId('log', text) ? [sql`e.call_id = ${toUuid(text)}`] : []),
    ...keys.map((id) => sql`e.key_id = ${id}`),
    ...(address === null ? [] : wasSentFrom(company, address)),
  ]
}

/**
 * Whether the call of an entry `e` was sent from an address: by its key, or by a user who uploaded a file. The key and the
 * times, which indexes find, narrow the calls down: a call was requested at most an hour before it was recorded, and a
 * row's last use is written once a minute.
 */
function wasSentFrom(company: string, address: string): RawBuilder<unknown>[] {
  return [sql`c.actor_id = e.key_id`, sql`e.key_id = ${toUuid(NO_KEY)}`].map(
    (isTheirs) => sql`exists (
      select from actor_clients c join events v on v.company_id = c.company_id and v.client_id = c.client_id
      where c.company_id = ${company} and c.address = ${address} and ${isTheirs}
        and e.requested_at between c.first_at - interval '1 hour' and c.last_at + interval '2 minutes'
        and v.position = e.position)`,
  )
}

/** Whether a record of an entry `e` was refused with a code. The text is compared first, because that is faster. */
function hasRecordError(company: string, code: string): RawBuilder<unknown> {
  return sql`(e.failed > 0 and exists (
    select from events v where v.company_id = ${company} and v.position >= e.first_position and v.position < e.position
      and v.type = 'EmployeeRecordRejected' and v.data is not null and strpos(v.data, ${`"${code}"`}) > 0
      and exists (select from json_array_elements(v.data::json -> 'errors') as error where error ->> 'code' = ${code})))`
}

async function listPeople(
  db: AnyDb,
  text: string,
  ofEntry: PersonSearch['ofEntry'],
  query: RawBuilder<unknown>,
): Promise<PersonSearch> {
  const { rows } = await (query as RawBuilder<{ employee_id: string }>).execute(db)
  if (rows.length > MAX_LISTED) return { text, employeeIds: null, ofEntry }
  const employeeIds = new Set(rows.map(({ employee_id: id }) => fromUuid('emp', id)))
  if (isId('emp', text)) employeeIds.add(text)
  return { text, employeeIds, ofEntry }
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

/** A query for the hashes of the names that find a person's refused records. */
export function selectNameHashes(
  companyId: string,
  { text, employeeIds: matchingIds }: PersonSearch,
): RawBuilder<unknown> {
  const hashKey = selectHashKey(toUuid(companyId))
  const hashes = listPossibleNames(text, [...(matchingIds ?? [])]).map(
    (name) => sql`(${hashName(hashKey, sql`${name}::text`)})`,
  )
  return sql`values ${sql.join(hashes)}`
}
