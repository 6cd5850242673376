import { sql, type RawBuilder } from 'kysely'
import { foldUserName, listStoredAddresses } from '#domain/attributes'
import { listStoredForms, normalizeEmail, normalizeText } from '#text/normalize-text'
import { fromUuid, isId, toUuid } from '#domain/ids'
import { readAddress } from '#domain/networks'
import { FORMER_IDS, selectFormer } from './former-queries.ts'
import { formatCode, formatId, listPossibleNames, type FoundBy } from './rejected-names.ts'
import { employees } from '../employees/fold.ts'
import { matchesText } from '../employees/queries.ts'
import type { EmployeeTables } from '../employees/rows.ts'
import { schemaOf, type AnyDb } from '../projection.ts'
import { NO_KEY } from './tables.ts'
import { buildTimeConditions, joinConditions } from './time-conditions.ts'

/**
 * Filters records by person. Both fields are compared with the employee's values, and with the exact id, email or
 * external id in refused records.
 */
export interface PersonFilter {
  /** The exact id, email or user name (in any case) or external id of an employee; a former one if nobody has it now. */
  employee?: string
  /**
   * Part of the names, email, user name, external ids or employee number of an employee, in any case; or exactly what one of these
   * was before; or the id. Also finds entries by exactly their id, request id, the error code of the call or of a record,
   * the id or name (in any case) of their key, or the address that the call was sent from.
   */
  q?: string
}

/** A text that a filter searches for, and the employees that it finds. */
export interface PersonSearch {
  text: string
  /** The ids of the employees; null if they are too many to list. */
  employeeIds: ReadonlySet<string> | null
  /** What the text may be in refused records. */
  names: readonly FoundBy[]
  /** Conditions on an entry `e`, joined by OR: what else the text may name. */
  ofEntry: RawBuilder<unknown>[]
}

/** More employees are not listed: those of a call are compared with the text instead. */
const MAX_LISTED = 1_000
/** Of keys with the same name, only the newest are found; of those used from one address, the last used ones. */
const MAX_KEYS = 20
const MAX_SENDERS = 100

const EMPLOYEES = sql.id(schemaOf(employees), 'employees')
/** Has the unique indexes on email and external id. */
const DIRECTORY = sql.id('employee_directory')

/** Finds the employees of each given field of a filter, and what else it may name, with a statement for each field. */
export async function findPeople(db: AnyDb, companyId: string, { employee, q }: PersonFilter): Promise<PersonSearch[]> {
  const company = toUuid(companyId)
  const people: PersonSearch[] = []
  if (employee !== undefined) {
    const find = (isTheirs: RawBuilder<unknown>) =>
      sql`select employee_id from ${DIRECTORY} where company_id = ${company} and ${isTheirs}`
    const { rows } = await sql<{ employee_id: string }>`
      ${find(sql`email = any(${listStoredAddresses(normalizeEmail(normalizeText(employee)))}::text[])`)}
      union ${find(sql`external_id = any(${listStoredForms(employee)}::text[])`)}
      union ${find(sql`user_name = ${foldUserName(normalizeText(employee))}`)}
      union ${find(sql`directory_external_id = ${normalizeText(employee)}`)}`.execute(db)
    const current = rows.map(({ employee_id: id }) => id)
    const ids = current.length > 0 ? current : await findFormerIds(db, companyId, employee)
    people.push({
      text: employee,
      employeeIds: listIds(employee, ids),
      names: listPossibleNames(employee),
      ofEntry: [],
    })
  }
  if (q !== undefined) {
    const address = readAddress(q)
    const { rows } = await sql<Named>`
      (select 'employee' as kind, employee_id as id, null::timestamptz as first_at, null::timestamptz as last_at
        from ${EMPLOYEES}
        where company_id = ${company} and ${matchesText(q)} limit ${MAX_LISTED + 1})
      union all (select 'former', f.id, null, null from (${selectFormer(companyId, q)}) f)
      union all (select 'key', api_id, null, null from api_keys
        where company_id = ${company} and lower(name) = lower(${q}) order by api_id desc limit ${MAX_KEYS})
      union all (select 'sender', coalesce(k.api_id, ${toUuid(NO_KEY)}), min(c.first_at), max(c.last_at)
        from actor_clients c
          left join api_keys k on k.company_id = c.company_id and k.api_id = c.actor_id
        where c.company_id = ${company} and c.address = ${address} group by 2 order by 4 desc
          limit ${MAX_SENDERS})`.execute(db)
    const idsOf = (wanted: Named['kind']) => rows.filter(({ kind }) => kind === wanted).map(({ id }) => id)
    const names = [...listPossibleNames(q), formatCode(q)]
    people.push({
      text: q,
      employeeIds: listIds(q, idsOf('employee'), idsOf('former')),
      names,
      ofEntry: listEntryConditions(company, q, address, rows),
    })
  }
  return people
}

async function findFormerIds(db: AnyDb, companyId: string, employee: string) {
  const { rows } = await selectFormer(companyId, employee, FORMER_IDS).execute(db)
  return rows.map(({ id }) => id)
}

/**
 * An employee found by what they have now or by a former value, a key with a name, or one whose calls were sent from an
 * address, and when that was.
 */
interface Named {
  kind: 'employee' | 'former' | 'key' | 'sender'
  id: string
  first_at: string | null
  last_at: string | null
}

/** Returns null if more are found by what they have now than are listed. */
function listIds(text: string, found: readonly string[], former: readonly string[] = []) {
  if (found.length > MAX_LISTED) return null
  const ids = [...found, ...former].map((id) => fromUuid('emp', id))
  return new Set(isId('emp', text) ? [...ids, text] : ids)
}

function listEntryConditions(company: string, text: string, address: string | null, rows: readonly Named[]) {
  return [
    sql`e.request_id = ${text}`,
    sql`e.error_code = ${text}`,
    ...(isId('log', text) ? [sql`e.call_id = ${toUuid(text)}`] : []),
    ...(isId('key', text) ? [sql`e.key_id = ${toUuid(text)}`] : []),
    ...rows.filter(({ kind }) => kind === 'key').map(({ id }) => sql`e.key_id = ${id}`),
    ...rows.filter(({ kind }) => kind === 'sender').map((key) => wasSentFrom(company, key, address!)),
  ]
}

/** A call was requested at most an hour before it was recorded, and the last use of an address is written once a minute. */
const [RECORDED_LATE_MS, USED_LATER_MS] = [3_600_000, 120_000]

/**
 * Whether the call of an entry `e` was sent from an address with a key, which narrows the entries down with the times. No
 * join takes the place of the look-up for each entry, whatever the planner knows of the tables.
 */
function wasSentFrom(company: string, key: Named, address: string) {
  const at = (instant: string | null, laterMs: number) => new Date(Date.parse(instant!) + laterMs).toISOString()
  const times = { from: at(key.first_at, -RECORDED_LATE_MS), to: at(key.last_at, USED_LATER_MS) }
  const inTimes = buildTimeConditions(company, times, sql.ref('e.position'))
  return sql`(${joinConditions([sql`e.key_id = ${key.id}`, ...inTimes])}
    and exists (
      select from events v join actor_clients c on c.company_id = v.company_id and c.client_id = v.client_id
      where v.company_id = ${company} and v.position = e.position and c.address = ${address} offset 0))`
}

/** Everything that finds a person's refused records. */
export function listNames({ names, employeeIds }: PersonSearch): FoundBy[] {
  return [...names, ...Array.from(employeeIds ?? [], formatId)]
}

/** Returns those of these employees that a text finds. */
export async function matchPeople(
  db: AnyDb,
  companyId: string,
  { text, employeeIds: matchingIds }: PersonSearch,
  ids: ReadonlySet<string>,
) {
  if (matchingIds) return new Set([...ids].filter((id) => matchingIds.has(id)))
  const { rows } = await sql<Pick<EmployeeTables['employees'], 'employee_id'>>`select employee_id from ${EMPLOYEES}
    where company_id = ${toUuid(companyId)}
      and employee_id = any(${[...ids].map(toUuid)}::uuid[]) and ${matchesText(text)}`.execute(db)
  return new Set(rows.map(({ employee_id: id }) => fromUuid('emp', id)))
}
