import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import { fromUuid, toUuid } from '../../src/domain/ids.ts'
import type { PersonSearch, PersonFilter } from './people-queries.ts'
import { findPeople, matchPeople } from './people-queries.ts'
import { selectHashes } from './rejected-names.ts'
import type { Found, Search } from './search-bounds.ts'
import { ENTRY_COST } from './search-bounds.ts'
import { findUnchanged } from './unchanged-index.ts'
import { ENTRIES, REJECTED_NAMES } from './live-tables.ts'
import type { AnyDb } from '../projection.ts'

/*
 * Finds the entries with a record of a person, and those that a text names in another way. Indexes find the events of an
 * employee, refused records, and records that changed nothing (`unchanged-index.ts`). If a text finds many employees,
 * whole calls are read one after the other. A search reads a limited number of records, and says how far it came.
 */

type Condition = RawBuilder<unknown>

/** Finds the first entries with a record of each person of the filter. */
export async function searchEntries(
  db: AnyDb,
  companyId: string,
  filter: PersonFilter,
  search: Search,
): Promise<Found> {
  const people = await findPeople(db, companyId, filter)
  const [person, another] = people
  if (another || !person?.employeeIds) return scanEntries(db, companyId, people, search)
  const indexed = await readIndexed(db, companyId, person, search)
  if (!search.hasUnchanged || person.employeeIds.size === 0) return { positions: indexed, searchedTo: null }
  const { limit, direction } = search
  const { compare, isUpTo } = direction
  const last = indexed[limit - 1]
  const nearer = last === undefined ? search : within(search, (position) => sql`${position} ${isUpTo} ${last}`)
  const { positions, searchedTo } = await findUnchanged(db, companyId, [...person.employeeIds], nearer)
  const searched = searchedTo === null ? indexed : indexed.filter((position) => compare(position, searchedTo) <= 0)
  const merged = [...new Set([...searched, ...positions])].toSorted(compare)
  return { positions: merged.slice(0, limit), searchedTo }
}

function within(search: Search, isWithin: (position: Condition) => Condition): Search {
  return { ...search, isBetween: (position) => sql`${search.isBetween(position)} and ${isWithin(position)}` }
}

/** Reads the first entries with an event or a refused record of a person, or whose columns the text names. */
async function readIndexed(db: AnyDb, companyId: string, person: PersonSearch, search: Search): Promise<number[]> {
  const company = toUuid(companyId)
  const { isBetween, isWanted, direction, limit } = search
  const isFound = sql`${isBetween(sql.ref('e.position'))} and ${isWanted}`
  const ids = [...person.employeeIds!].map(toUuid)
  const selectOfEntry = (isNamed: Condition) =>
    sql`union (select e.position from ${ENTRIES} e where e.company_id = ${company} and ${isNamed} and ${isFound}
      order by e.position ${direction.order} limit ${limit})`
  // A call has at most two events of an employee. Events outside of calls, such as an erasure, are in no entry.
  const { rows } = await sql<{ position: number }>`
    select own.position from unnest(${ids}::uuid[]) as found (employee_id)
      cross join lateral (
        select e.position from events v
          cross join lateral (
            select * from ${ENTRIES} e where e.company_id = ${company} and e.position >= v.position
            order by e.position limit 1
          ) e
        where v.company_id = ${company} and v.stream_id = found.employee_id and e.first_position <= v.position
          and ${isFound}
        order by v.stream_version ${direction.order} limit ${2 * limit}
      ) own
    union
    select own.position from (${selectHashes(companyId, person.names)}) as named
      cross join lateral (
        select e.position from (
            select distinct n.entry_position from ${REJECTED_NAMES} n
            where n.company_id = ${company} and n.name_hash = named.name_hash and ${isBetween(sql.ref('n.entry_position'))}
          ) n
          join ${ENTRIES} e on e.company_id = ${company} and e.position = n.entry_position
        where ${isWanted}
        order by n.entry_position ${direction.order} limit ${limit}
      ) own
    ${sql.join(person.ofEntry.map(selectOfEntry), sql` `)}
    order by position ${direction.order} limit ${limit}`.execute(db)
  return rows.map(({ position }) => position)
}

/** The records that are read at once: few at first, because they may be enough. */
const FIRST_READ = 1_000
const MAX_READ = 16_000

/** Reads entries one after the other, until enough are found or the budget is spent. */
async function scanEntries(db: AnyDb, companyId: string, people: PersonSearch[], search: Search): Promise<Found> {
  const { limit, budget, direction } = search
  const positions: number[] = []
  const answersOfPeople = people.map(() => new Map<string, boolean>())
  let searchedTo: number | null = null
  for (let [spent, most] = [0, FIRST_READ]; spent < budget; most = Math.min(2 * most, MAX_READ)) {
    const after: number | null = searchedTo
    const next = after === null ? search : within(search, (position) => sql`${position} ${direction.isBeyond} ${after}`)
    const entries = await readScanned(db, companyId, people, next, Math.min(most, budget - spent))
    if (entries.length === 0) return { positions, searchedTo: null }
    for (const [nth, person] of people.entries()) await learn(db, companyId, person, entries, answersOfPeople[nth]!)
    for (const { position, cost, employeeIds, named } of entries) {
      if (answersOfPeople.every((finds, nth) => named[nth] || employeeIds.some((id) => finds.get(id))))
        positions.push(position)
      searchedTo = position
      spent += cost
      if (positions.length === limit) return { positions, searchedTo }
    }
  }
  return { positions, searchedTo }
}

/** Finds out which employees of these entries a text finds, if that is not known yet. */
async function learn(
  db: AnyDb,
  companyId: string,
  person: PersonSearch,
  entries: ScannedEntry[],
  answers: Map<string, boolean>,
): Promise<void> {
  const unknown = new Set<string>()
  for (const { employeeIds } of entries) for (const id of employeeIds) if (!answers.has(id)) unknown.add(id)
  if (unknown.size === 0) return
  const matched = await matchPeople(db, companyId, person, unknown)
  for (const id of unknown) answers.set(id, matched.has(id))
}

interface ScannedEntry {
  position: number
  cost: number
  employeeIds: string[]
  /** For each person: whether a refused record has a name of theirs, or the entry is named in another way. */
  named: boolean[]
}

/** Reads the next entries with the employees of their records. */
async function readScanned(
  db: AnyDb,
  companyId: string,
  people: PersonSearch[],
  { isBetween, isWanted, direction }: Search,
  atMost: number,
): Promise<ScannedEntry[]> {
  const company = toUuid(companyId)
  const order = sql`order by position ${direction.order}`
  const ofCall = (alias: string) =>
    sql`${sql.ref(`${alias}.company_id`)} = ${company} and ${sql.ref(`${alias}.position`)} >= c.first_position
      and ${sql.ref(`${alias}.position`)} < c.position`
  // As a column, so that the hashes are made once, and not for each entry.
  const selectNamed = ({ names }: PersonSearch, nth: number) => sql`c.of_entry[${nth + 1}::integer] or (c.failed > 0
    and (select bool_or(n.name_hash in (${selectHashes(companyId, names)})) from ${REJECTED_NAMES} n where ${ofCall('n')}))`
  const isOfEntry = ({ ofEntry }: PersonSearch) => sql.join([sql`false`, ...ofEntry], sql` or `)
  // The conditions are columns here, so that unwanted entries also come to an end.
  const { rows } = await sql<ScannedRow>`
    select c.position, c.cost,
      case when c.is_wanted and c.no_updates > 0 then
        (select v.data from events v where v.company_id = ${company} and v.position = c.position) end as closing,
      case when c.is_wanted then array(
          select v.stream_id from events v where c.status = 'Completed' and ${ofCall('v')}
            and v.type <> 'EmployeeRecordRejected'
          union
          select n.employee_id from ${REJECTED_NAMES} n where c.failed > 0 and ${ofCall('n')} and n.employee_id is not null
        ) end as employees,
      case when c.is_wanted then array[${sql.join(people.map(selectNamed))}] end as named
    from (
      select *, sum(cost) over (${order} rows unbounded preceding) - cost as before from (
        select e.position, e.first_position, e.status, e.no_updates, e.failed, ${isWanted} as is_wanted,
          array[${sql.join(people.map(isOfEntry))}] as of_entry,
          ${ENTRY_COST}::integer + case when ${isWanted} then e.total else 0 end as cost
        from ${ENTRIES} e where e.company_id = ${company} and ${isBetween(sql.ref('e.position'))}
        ${order} limit ${Math.ceil(atMost / ENTRY_COST)}
      ) nearest
    ) c
    where c.before < ${atMost} ${order}`.execute(db)
  return rows.map(({ position, cost, closing, employees, named }) => {
    const changed = (employees ?? []).map((id) => fromUuid('emp', id))
    return { position, cost, employeeIds: [...readUnchanged(closing), ...changed], named: named ?? [] }
  })
}

interface ScannedRow {
  position: number
  cost: number
  closing: string | null
  employees: string[] | null
  named: boolean[] | null
}

/** The employees of the records that changed nothing, from the data of the closing event. */
export function readUnchanged(closing: string | null): string[] {
  return closing === null ? [] : (JSON.parse(closing) as { unchanged: string[] }).unchanged
}
