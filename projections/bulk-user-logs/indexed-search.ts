import { sql, type RawBuilder } from 'kysely'
import { toUuid } from '#domain/ids'
import { ENTRIES, REJECTED_NAMES } from './live-tables.ts'
import type { AnyDb } from '../projection.ts'
import type { PersonSearch } from './people-queries.ts'
import { formatId, hashName, selectHashes } from './rejected-names.ts'
import { endAt, within, type Found, type Search } from './search-bounds.ts'

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
export async function findIndexed(db: AnyDb, companyId: string, people: ListedPeople, search: Search): Promise<Found> {
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
                ${nextNamed(sql`steps.nth + 1`, sql`${isBetween(sql.ref('n.entry_position'))} and n.entry_position ${isBeyond} steps.position`)}
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
