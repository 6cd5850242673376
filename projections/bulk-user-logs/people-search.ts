import { sql, type RawBuilder } from 'kysely'
import { fromUuid, toUuid } from '#domain/ids'
import { findPeople, listNames, matchPeople, type PersonSearch, type PersonFilter } from './people-queries.ts'
import { selectHashes, formatId, hashName } from './rejected-names.ts'
import { endAt, ENTRY_COST, within, type Found, type Search } from './search-bounds.ts'
import { findUnchanged } from './unchanged-search.ts'
import { ENTRIES, REJECTED_NAMES } from './live-tables.ts'
import type { AnyDb } from '#projections/projection'

/*
 * Finds the entries with a record of a person, and those that a text names in another way. Indexes find the events of an
 * employee and refused records (`indexed-search.ts`), and records that changed nothing (`unchanged-search.ts`). If a text
 * finds many employees, whole calls are read one after the other. A search reads a limited number of records, and says
 * how far it came.
 */

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
  const indexed = await findIndexed(db, companyId, { ...person, employeeIds }, search)
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

/** The records that are read at once: fewer at first, because they may be enough. */
const FIRST_READ = 16_000
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
) {
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
    and (select bool_or(n.name_hash in (${selectHashes(companyId, listNames(person))}))
      from ${REJECTED_NAMES} n where ${ofCall('n')}))`
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
          select n.employee_id from ${REJECTED_NAMES} n
          where c.failed > 0 and ${ofCall('n')} and n.employee_id is not null
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
export function readUnchanged(closing: string | null) {
  return closing === null ? [] : (JSON.parse(closing) as { unchanged: string[] }).unchanged
}

/*
 * Finds the entries of listed people through indexes. The search reads the first events and refused records of each
 * person. A person may have more beyond the last one that was read, so the search ends there.
 */

type Condition = RawBuilder<unknown>

/** What a text names, if the employees are few enough to be listed. */
interface ListedPeople extends Pick<PersonSearch, 'names' | 'ofEntry'> {
  employeeIds: string[]
}

/** The most events that one statement reads, divided among the employees, and the fewest for each of them. */
const MAX_EVENTS = 4_000
const MIN_OF_EACH = 4
/** The most calls for which one statement looks up entries. */
const MAX_CALLS = 2_000

/**
 * Finds the first entries with an event or a refused record of a person, or whose columns the text names. People who
 * change often can end the search before the page is full. If they are at most half of the people, the search reads more
 * of their events, once.
 */
async function findIndexed(db: AnyDb, companyId: string, people: ListedPeople, search: Search): Promise<Found> {
  const { direction, limit } = search
  const { compare, isUpTo } = direction
  const endAtFirst = (places: (number | null)[], positions: number[]) =>
    endAt(places.filter((place) => place !== null).toSorted(compare)[0] ?? null, positions, direction)
  const placesOf = ({ ends, callsEnd }: Indexed) => [...ends.map(({ position }) => position), callsEnd]
  const first = await readIndexed(db, companyId, people, search)
  const found = endAtFirst(placesOf(first), first.positions)
  const enough = first.positions[limit - 1]
  if (enough === undefined || found.positions.length >= limit) return found
  const early = new Set(first.ends.filter(({ position }) => compare(position, enough) < 0).map(({ id }) => id))
  if (early.size === 0 || 2 * early.size > people.employeeIds.length) return found
  const often = { employeeIds: [...early], names: [], ofEntry: [] }
  const nearer = within(search, (position) => sql`${position} ${isUpTo} ${enough}`)
  const more = await readIndexed(db, companyId, often, nearer)
  const all = [...new Set([...first.positions, ...more.positions])].toSorted(compare)
  return endAtFirst([...placesOf(more), first.callsEnd, enough], all)
}

/** The last event or refused record that was read for an employee who may have more. */
interface EndOfEmployee {
  id: string
  position: number
}

interface Indexed {
  /** The positions of the first entries, in order. */
  positions: number[]
  ends: EndOfEmployee[]
  /** The position of the last call that was looked up, if there may be more. */
  callsEnd: number | null
}

/** Each part looks its entries up one by one, so that the planner can't read all of them instead. */
async function readIndexed(
  db: AnyDb,
  companyId: string,
  { employeeIds, names, ofEntry }: ListedPeople,
  { isBetween, isWanted, hasChanges, direction, countTo, budget }: Search,
): Promise<Indexed> {
  const company = toUuid(companyId)
  const { order, isBeyond } = direction
  const isForward = direction.compare(1, 2) < 0
  const last = isForward ? sql`max` : sql`min`
  const isFound = sql`${isBetween(sql.ref('e.position'))} and ${isWanted}`
  const ofEach = Math.max(MIN_OF_EACH, Math.floor(Math.min(MAX_EVENTS, budget) / Math.max(1, employeeIds.length)))
  // With a single call, a search that goes forward would not advance.
  const mostCalls = Math.max(MIN_OF_EACH, Math.min(MAX_CALLS, budget))
  const entryAt = (position: Condition) =>
    sql`(select * from ${ENTRIES} e where e.company_id = ${company} and e.position >= ${position}
      order by e.position limit 1) e`
  const end = (column: Condition, from: Condition) =>
    sql`(select ${column} from ${ENTRIES} e where e.company_id = ${company} and ${isBetween(sql.ref('e.position'))}
      order by e.position ${from} limit 1)`
  const nextNamed = (nth: Condition, isNext: Condition) =>
    sql`select e.position, ${nth} as nth from ${REJECTED_NAMES} n
      cross join lateral ${entryAt(sql.ref('n.entry_position'))}
      where n.company_id = ${company} and n.name_hash = named.name_hash and ${isNext} and ${isWanted}
      order by n.entry_position ${order} limit 1`
  const selectOfEntry = (isNamed: Condition) =>
    sql`union (select e.position from ${ENTRIES} e where e.company_id = ${company} and ${isNamed} and ${isFound}
      order by e.position ${order} limit ${countTo})`
  // An event outside a call, such as an erasure, is in no entry. Several employees can have events in one call. The limit
  // for each employee comes before the far end of the range, so that PostgreSQL reads no events beyond it.
  const { rows } = await sql<{ ends: [number, number][]; calls_end: number | null; positions: string[] }>`
    with range as materialized (
      select ${end(sql`e.first_position`, sql`asc`)} as first, ${end(sql`e.position`, sql`desc`)} as last
    ), people as materialized (
      select nth, employee_id, ${hashName(sql`c.hash_key`, sql`found_by`)} as name_hash
      from companies c cross join unnest(${employeeIds.map(toUuid)}::uuid[], ${employeeIds.map(formatId)}::text[])
        with ordinality as listed (employee_id, found_by, nth)
      where c.company_id = ${company}
    ), own as materialized (
      select p.nth, v.position, v.call_id
      from range cross join people p cross join lateral (
        select v.position, v.call_id from events v
        where ${hasChanges} and v.company_id = ${company} and v.stream_id = p.employee_id
          and ${isForward ? sql`v.position >= range.first` : sql`v.position <= range.last`}
        order by v.stream_version ${order} limit ${ofEach}
      ) v
    ), refused as materialized (
      select p.nth, n.position
      from range cross join people p cross join lateral (
        select n.entry_position as position from ${REJECTED_NAMES} n
        where n.company_id = ${company} and n.name_hash = p.name_hash
          and n.entry_position between range.first and range.last
        order by n.entry_position ${order} limit ${ofEach}
      ) n
    ), calls as materialized (
      select position from (
        select max(position) as position from range cross join own
        where position between range.first and range.last and call_id is not null group by call_id
        union select position from refused
      ) call order by position ${order} limit ${mostCalls}
    )
    select (
        select coalesce(json_agg(json_build_array(nth, position)), '[]') from (
          select nth, ${last}(position) as position from own group by nth having count(*) = ${ofEach}
          union all select nth, ${last}(position) from refused group by nth having count(*) = ${ofEach}
        ) read cross join range where position between range.first and range.last
      ) as ends,
      (select ${last}(position) from calls having count(*) = ${mostCalls}) as calls_end,
      array(
        (select e.position from (select position from calls order by position ${order}) as call
            cross join lateral ${entryAt(sql.ref('call.position'))}
          where ${isFound} order by call.position ${order} limit ${countTo})
        union (select found.position from (${selectHashes(companyId, names)}) as named
          cross join lateral (
            with recursive steps as (
              (${nextNamed(sql`1`, isBetween(sql.ref('n.entry_position')))})
              union all
              select next.* from steps cross join lateral (
                ${nextNamed(
                  sql`steps.nth + 1`,
                  sql`${isBetween(sql.ref('n.entry_position'))} and n.entry_position ${isBeyond} steps.position`,
                )}
              ) next where steps.nth < ${countTo}
            ) select position from steps
            ) found)
        ${sql.join(ofEntry.map(selectOfEntry), sql` `)}
        order by position ${order} limit ${countTo}
      ) as positions`.execute(db)
  const { ends, calls_end: callsEnd, positions } = rows[0]!
  // node-postgres reads the elements of a bigint array as texts.
  return {
    positions: positions.map(Number),
    ends: ends.map(([nth, position]) => ({ id: employeeIds[nth - 1]!, position })),
    callsEnd,
  }
}
