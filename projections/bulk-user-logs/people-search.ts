import { sql, type RawBuilder } from 'kysely'
import { fromUuid, toUuid } from '../../src/domain/ids.ts'
import { findPeople, listNames, matchPeople, type PersonSearch, type PersonFilter } from './people-queries.ts'
import { formatId, selectHashes } from './rejected-names.ts'
import { ENTRY_COST, type Direction, type Found, type Search } from './search-bounds.ts'
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
  const employeeIds = [...person.employeeIds]
  const indexed = await readIndexed(db, companyId, { ...person, employeeIds }, search)
  if (!search.hasUnchanged || employeeIds.length === 0) return indexed
  const { countTo, direction } = search
  const { compare, isUpTo } = direction
  const end = indexed.searchedTo ?? indexed.positions[countTo - 1]
  const nearer = end === undefined ? search : within(search, (position) => sql`${position} ${isUpTo} ${end}`)
  const unchanged = await findUnchanged(db, companyId, employeeIds, nearer)
  const searchedTo = unchanged.searchedTo ?? indexed.searchedTo
  const merged = [...new Set([...indexed.positions, ...unchanged.positions])].toSorted(compare)
  return endAt(searchedTo, merged.slice(0, countTo), direction)
}

/** Leaves out what was found beyond the position up to which everything was searched: there may be more in between. */
function endAt(searchedTo: number | null, positions: number[], { compare }: Direction): Found {
  if (searchedTo === null) return { positions, searchedTo }
  return { positions: positions.filter((position) => compare(position, searchedTo) <= 0), searchedTo }
}

function within(search: Search, isWithin: (position: Condition) => Condition): Search {
  return { ...search, isBetween: (position) => sql`${search.isBetween(position)} and ${isWithin(position)}` }
}

/** The events of all employees that are read through the index, and the fewest of each. */
const MAX_INDEXED = 16_000
const MIN_OF_EACH = 4

/**
 * Reads the first entries with an event or a refused record of a person, or whose columns the text names. Each part looks
 * its entries up one by one, so that the planner can't read all of them instead. If an employee has more events than are
 * read, the search ends there.
 */
async function readIndexed(
  db: AnyDb,
  companyId: string,
  { employeeIds, names, ofEntry }: Omit<PersonSearch, 'employeeIds'> & { employeeIds: string[] },
  { isBetween, isWanted, direction, countTo, budget }: Search,
): Promise<Found> {
  const company = toUuid(companyId)
  const { order, isBeyond } = direction
  const isFound = sql`${isBetween(sql.ref('e.position'))} and ${isWanted}`
  const ofEach = Math.max(MIN_OF_EACH, Math.floor(Math.min(MAX_INDEXED, budget) / Math.max(1, employeeIds.length)))
  const entryAt = (position: Condition) =>
    sql`(select * from ${ENTRIES} e where e.company_id = ${company} and e.position >= ${position}
      order by e.position limit 1) e`
  const end = (column: Condition, from: Condition) =>
    sql`(select ${column} from ${ENTRIES} e where e.company_id = ${company} and ${isBetween(sql.ref('e.position'))}
      order by e.position ${from} limit 1)`
  const nextNamed = (nth: Condition, isNext: Condition) =>
    sql`select e.position, ${nth} as nth from ${REJECTED_NAMES} n cross join lateral ${entryAt(sql.ref('n.entry_position'))}
      where n.company_id = ${company} and n.name_hash = named.name_hash and ${isNext} and ${isWanted}
      order by n.entry_position ${order} limit 1`
  const selectOfEntry = (isNamed: Condition) =>
    sql`union (select e.position from ${ENTRIES} e where e.company_id = ${company} and ${isNamed} and ${isFound}
      order by e.position ${order} limit ${countTo})`
  // Events outside of calls, such as an erasure, are in no entry. Many employees have events in the same call.
  const { rows } = await sql<{ cut: number | null; positions: string[] }>`
    with range as materialized (
      select ${end(sql`e.first_position`, sql`asc`)} as first, ${end(sql`e.position`, sql`desc`)} as last
    ), own as materialized (
      select v.*, row_number() over (partition by found.employee_id order by v.stream_version ${order}) as nth
      from range cross join unnest(${employeeIds.map(toUuid)}::uuid[]) as found (employee_id)
        cross join lateral (
          select v.position, v.call_id, v.stream_version from events v
          where v.company_id = ${company} and v.stream_id = found.employee_id
            and v.position between range.first and range.last
          order by v.stream_version ${order} limit ${ofEach}
        ) v
    ), refused as materialized (
      select n.*, row_number() over (partition by named.name_hash order by n.entry_position ${order}) as nth
      from range cross join (${selectHashes(companyId, employeeIds.map(formatId))}) as named
        cross join lateral (
          select n.entry_position from ${REJECTED_NAMES} n
          where n.company_id = ${company} and n.name_hash = named.name_hash
            and n.entry_position between range.first and range.last
          order by n.entry_position ${order} limit ${ofEach}
        ) n
    )
    select (
        select ${direction.compare(1, 2) < 0 ? sql`min` : sql`max`}(position) from (
          select position from own where nth = ${ofEach} union all
          select entry_position from refused where nth = ${ofEach}) as ends (position)
      ) as cut,
      array(
        (select e.position from (
            select max(position) as position from own where call_id is not null group by call_id
            union select entry_position from refused
          ) as call cross join lateral ${entryAt(sql.ref('call.position'))}
          where ${isFound} order by call.position ${order} limit ${countTo})
        union (select found.position from (${selectHashes(companyId, names)}) as named
          cross join lateral (
            with recursive steps as (
              (${nextNamed(sql`1`, isBetween(sql.ref('n.entry_position')))})
              union all
              select next.* from steps cross join lateral (
                ${nextNamed(sql`steps.nth + 1`, sql`${isBetween(sql.ref('n.entry_position'))} and n.entry_position ${isBeyond} steps.position`)}
              ) next where steps.nth < ${countTo}
            ) select position from steps
            ) found)
        ${sql.join(ofEntry.map(selectOfEntry), sql` `)}
        order by position ${order} limit ${countTo}
      ) as positions`.execute(db)
  const { cut, positions } = rows[0]!
  // node-postgres reads the elements of a bigint array as texts.
  return endAt(cut, positions.map(Number), direction)
}

/** The records that are read at once: few at first, because they may be enough. */
const FIRST_READ = 4_000
const MAX_READ = 32_000

/** Reads entries one after the other, until enough are found or the budget is spent. */
async function scanEntries(db: AnyDb, companyId: string, people: PersonSearch[], search: Search): Promise<Found> {
  const { limit, budget, direction } = search
  const positions: number[] = []
  const answersOfPeople = people.map(() => new Map<string, boolean>())
  let searchedTo: number | null = null
  for (let [spent, most] = [0, FIRST_READ]; spent < budget; most = Math.min(8 * most, MAX_READ)) {
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
  const selectNamed = (person: PersonSearch, nth: number) => sql`c.of_entry[${nth + 1}::integer] or (c.failed > 0
    and (select bool_or(n.name_hash in (${selectHashes(companyId, listNames(person))})) from ${REJECTED_NAMES} n where ${ofCall('n')}))`
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
