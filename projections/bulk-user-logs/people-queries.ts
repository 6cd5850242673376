import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import { normaliseEmail } from '../../src/domain/attributes.ts'
import { isId, toUuid } from '../../src/domain/ids.ts'
import { selectHashKey, hashName, listPossibleNames } from './rejected-names.ts'
import { bulkUserLogs } from './fold.ts'
import { employees, normaliseSearchText } from '../employees/fold.ts'
import { schemaOf } from '../projection.ts'

/**
 * Filters records by person. Both fields are compared with the employee's current values, and with the exact id, email
 * or external id in refused records.
 */
export interface PersonFilter {
  /** The exact id, email (in any case) or external id of an employee. */
  employee?: string
  /** Part of the names, email, external id or employee number of an employee, in any case; or the id. */
  q?: string
}

type Condition = RawBuilder<unknown>

const SCHEMA = schemaOf(bulkUserLogs)
const RECORDS = sql.id(SCHEMA, 'records')
const REJECTED_NAMES = sql.id(SCHEMA, 'rejected_names')
const DIRECTORY = sql.id('employee_directory')
const EMPLOYEES = sql.id(schemaOf(employees), 'employees')

/** The order in which entries are read, as parts of a query. */
export interface Direction {
  /** The sort order of positions. */
  order: Condition
  /** The aggregate function for the last position in that order. */
  last: Condition
  /** The comparison for “equal or earlier in that order”. */
  isUpTo: Condition
  /** A position after all others in that order. */
  end: Condition
}

export const NEWEST_FIRST: Direction = { order: sql`desc`, last: sql`min`, isUpTo: sql`>=`, end: sql`0` }
export const OLDEST_FIRST: Direction = {
  order: sql`asc`,
  last: sql`max`,
  isUpTo: sql`<=`,
  end: sql`9223372036854775807`,
}

/**
 * A query for the positions of the first `limit` wanted entries with a record of the person. A text may match every
 * employee, so the query first reads only one entry of each employee. These entries bound the result, and only
 * employees with an entry within that bound are searched further.
 */
export function selectPositionsWithPerson(
  companyId: string,
  person: PersonFilter,
  isWanted: (position: Condition) => Condition,
  { order, last, isUpTo, end }: Direction,
  limit: number,
): Condition {
  const company = toUuid(companyId)
  const [ofRecord, ofName] = [sql.ref('r.entry_position'), sql.ref('n.entry_position')]
  // A refused call may have several records of one employee, hence "distinct" before "limit".
  return sql`
    with nearest as materialized (
      select found.employee_id, own.position from (${selectMatchingEmployees(company, person)}) as found (employee_id)
        cross join lateral (
          select r.entry_position as position from ${RECORDS} r
          where r.company_id = ${company} and r.employee_id = found.employee_id and ${isWanted(ofRecord)}
          order by position ${order} limit 1
        ) own
    ), enough as materialized (
      select case when count(*) = ${limit} then ${last}(position) else ${end} end as position
      from (select distinct position from nearest order by position ${order} limit ${limit}) top
    )
    select own.position from nearest
      cross join lateral (
        select distinct r.entry_position as position from ${RECORDS} r
        where r.company_id = ${company} and r.employee_id = nearest.employee_id
          and r.entry_position ${isUpTo} (select position from enough) and ${isWanted(ofRecord)}
        order by position ${order} limit ${limit}
      ) own
      where nearest.position ${isUpTo} (select position from enough)
    union
    select own.position from (${selectNameHashes(companyId, person)}) as found (name_hash)
      cross join lateral (
        select distinct n.entry_position as position from ${REJECTED_NAMES} n
        where n.company_id = ${company} and n.name_hash = found.name_hash and ${isWanted(ofName)}
        order by position ${order} limit ${limit}
      ) own
    order by position ${order} limit ${limit}`
}

/** A condition: the entry `e` has a record of the person. */
export function hasRecordOfPerson(companyId: string, person: PersonFilter): Condition {
  return sql`exists (select 1 from ${RECORDS} p where p.company_id = ${toUuid(companyId)} and p.entry_position = e.position
    and ${isRecordOfPerson(companyId, person, sql.ref('p.employee_id'), sql.ref('p.entry_position'), sql.ref('p.ordinal'))})`
}

/** A condition: the record with this employee, entry and ordinal is of the person. */
export function isRecordOfPerson(
  companyId: string,
  person: PersonFilter,
  employeeId: Condition,
  entryPosition: Condition,
  ordinal: Condition,
): Condition {
  const company = toUuid(companyId)
  return sql`(
    ${employeeId} in (${selectMatchingEmployees(company, person)})
    or exists (select 1 from ${REJECTED_NAMES} n where n.company_id = ${company} and n.name_hash in (${selectNameHashes(companyId, person)})
      and n.entry_position = ${entryPosition} and n.ordinal = ${ordinal}))`
}

/** A query for the ids of matching employees. */
function selectMatchingEmployees(company: string, { employee, q }: PersonFilter): Condition {
  const selects: Condition[] = []
  for (const text of [employee, q]) if (isId('emp', text)) selects.push(sql`select ${toUuid(text)}::uuid`)
  const find = (condition: Condition, table = DIRECTORY) =>
    sql`select employee_id from ${table} where company_id = ${company} and ${condition}`
  if (employee !== undefined) {
    selects.push(find(sql`email = ${normaliseEmail(employee)}`), find(sql`external_id = ${employee}`))
  }
  if (q !== undefined) selects.push(find(sql`strpos(search_text, ${normaliseSearchText(q)}) > 0`, EMPLOYEES))
  return sql.join(selects, sql` union `)
}

/** A query for the hashes of the names that the text may be. */
function selectNameHashes(companyId: string, { employee, q }: PersonFilter): Condition {
  const hashKey = selectHashKey(toUuid(companyId))
  const hashes = listPossibleNames((employee ?? q)!).map((name) => sql`(${hashName(hashKey, sql`${name}::text`)})`)
  return sql`values ${sql.join(hashes)}`
}
