import { sql } from 'kysely'
import { fromUuid, toUuid } from '#domain/ids'
import { findIndexed } from './indexed-search.ts'
import { findPeople, listNames, matchPeople, type PersonSearch, type PersonFilter } from './people-queries.ts'
import { selectHashes } from './rejected-names.ts'
import { endAt, ENTRY_COST, within, type Found, type Search } from './search-bounds.ts'
import { findUnchanged } from './unchanged-search.ts'
import { ENTRIES, REJECTED_NAMES } from './live-tables.ts'
import type { AnyDb } from '../projection.ts'

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
