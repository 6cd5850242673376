import { sql, type RawBuilder } from 'kysely'
import { toUuid } from '#domain/ids'
import { ENTRIES } from './live-tables.ts'
import type { AnyDb } from '../projection.ts'
import { ENTRY_COST, type Found, type Search } from './search-bounds.ts'
import { bucketOf, hashOf } from './unchanged-index.ts'

/* Finds the entries with records that changed nothing: in the blocks of the index first, then in lists of employees. */

/** Positions, both included. */
interface Range {
  first: number
  last: number
}

/** Finds the first entries with a record that changed nothing of one of these employees. */
export async function findUnchanged(
  db: AnyDb,
  companyId: string,
  employeeIds: string[],
  search: Search,
): Promise<Found> {
  const range = await readRange(db, companyId, search)
  if (!range) return { positions: [], searchedTo: null }
  const { first, last, indexedTo } = range
  const parts = [
    { find: findInBlocks, first, last: Math.min(last, indexedTo) },
    { find: findInLists, first: Math.max(first, indexedTo + 1), last },
  ]
  let positions: number[] = []
  for (const { find, ...part } of parts.toSorted((a, b) => search.direction.compare(a.first, b.first))) {
    if (part.first > part.last) continue
    const found = await find(db, companyId, employeeIds, continueAfter(positions, search), part)
    positions = [...positions, ...found.positions]
    if (found.searchedTo !== null) return { positions, searchedTo: found.searchedTo }
    if (positions.length === search.countTo) return { positions, searchedTo: positions.at(-1)! }
  }
  return { positions, searchedTo: null }
}

/** The search for what is still wanted after these entries were found. */
function continueAfter({ length }: readonly number[], search: Search): Search {
  return { ...search, limit: search.limit - length, countTo: search.countTo - length }
}

/** The first and last entry with such records, and how far the index is. */
async function readRange(
  db: AnyDb,
  companyId: string,
  { isBetween }: Search,
): Promise<(Range & { indexedTo: number }) | null> {
  const company = toUuid(companyId)
  const end = (order: RawBuilder<unknown>) => sql`(select e.position from ${ENTRIES} e
    where e.company_id = ${company} and e.no_updates > 0 and ${isBetween(sql.ref('e.position'))}
    order by e.position ${order} limit 1)`
  const { rows } = await sql<{ first: number | null; last: number; indexed_to: number }>`
    select ${end(sql`asc`)} as first, ${end(sql`desc`)} as last,
      (select coalesce(max(last_position), 0) from unchanged_records where company_id = ${company} and bucket = 0)
        as indexed_to`.execute(db)
  const { first, last, indexed_to: indexedTo } = rows[0]!
  return first === null ? null : { first, last, indexedTo }
}

/** How many blocks are read at once: few at first, because they may be enough. */
const BLOCK_READS = [16, 64, 256]
/** The most employees that a search looks up in blocks at once, so that a text that finds many ends sooner. */
const MAX_LOOK_UPS = 1_024

/** Looks the employees up in blocks, from one end of the range to the other. */
async function findInBlocks(
  db: AnyDb,
  companyId: string,
  employeeIds: string[],
  search: Search,
  range: Range,
): Promise<Found> {
  const most = Math.ceil(MAX_LOOK_UPS / employeeIds.length)
  let positions: number[] = []
  let searchedTo: number | null = null
  for (const count of BLOCK_READS.map((count) => Math.min(count, most))) {
    const next = { ...range, after: searchedTo, count }
    const read = await readBlocks(db, companyId, employeeIds, continueAfter(positions, search), next)
    positions = [...positions, ...read.positions]
    if (read.blocks < count) return { positions, searchedTo: null }
    searchedTo = read.searchedTo
    if (positions.length >= search.limit || count === most) break
  }
  const isFull = positions.length === search.countTo
  return { positions, searchedTo: isFull ? positions.at(-1)! : searchedTo }
}

/** The blocks to read: so many of those in a range that follow a position, in the order of the search. */
interface NextBlocks extends Range {
  after: number | null
  count: number
}

interface BlocksRead {
  /** How many there were. */
  blocks: number
  /** The end of the last one; null if there was none. */
  searchedTo: number | null
  positions: number[]
}

async function readBlocks(
  db: AnyDb,
  companyId: string,
  employeeIds: string[],
  { isWanted, direction, countTo }: Search,
  { first, last, after, count }: NextBlocks,
): Promise<BlocksRead> {
  const company = toUuid(companyId)
  const { order, isBeyond } = direction
  const isForward = direction.compare(1, 2) < 0
  const selectPeople = sql`
    select hashed.person, ${bucketOf(sql`hashed.person`)} as bucket
    from unnest(${employeeIds}::text[]) as listed(id)
      cross join lateral (select ${hashOf(sql`listed.id`)} as person) as hashed`

  const isNext = after === null ? sql`true` : sql`u.last_position ${isBeyond} ${after}`
  const selectBlocks = sql`
    select u.first_position, u.last_position from unchanged_records u
    where u.company_id = ${company} and u.bucket = 0
      and u.last_position >= ${first} and u.first_position <= ${last} and ${isNext}
    order by u.last_position ${order} limit ${count}`

  // The hashes are in order, so the entries of a person stand next to each other.
  const entriesOfPerson = sql`u.offsets[listed.places[1]:listed.places[cardinality(listed.places)]]`
  const selectListed = sql`
    select distinct u.last_position - part."offset" as position
    from (select min(last_position) as first, max(last_position) as last from blocks) as reach
      cross join people p
      join unchanged_records u on u.company_id = ${company} and u.bucket = p.bucket
        and u.last_position between reach.first and reach.last
      cross join lateral (select array_positions(u.people, p.person) as places) as listed
      cross join lateral unnest(${entriesOfPerson}) as part("offset")
    where u.last_position - part."offset" between ${first} and ${last}`

  const selectWanted = sql`
    select l.position from listed_positions l
      cross join lateral (select * from ${ENTRIES} e where e.company_id = ${company} and e.position = l.position) e
    where ${isWanted} order by l.position ${order} limit ${countTo}`

  const { rows } = await sql<{ blocks: number; searched_to: number | null; positions: string[] }>`
    with people as materialized (${selectPeople}),
      blocks as materialized (${selectBlocks}),
      listed_positions as materialized (${selectListed})
    select (select count(*)::integer from blocks) as blocks,
      (select ${isForward ? sql`max(last_position)` : sql`min(first_position)`} from blocks) as searched_to,
      array(${selectWanted}) as positions`.execute(db)
  const { blocks, searched_to: searchedTo, positions } = rows[0]!
  // node-postgres reads the elements of a bigint array as texts.
  return { blocks, searchedTo, positions: positions.map(Number) }
}

/** Looks for the employees in the lists of entries that are not in the index, one after the other. */
async function findInLists(
  db: AnyDb,
  companyId: string,
  employeeIds: string[],
  { isWanted, direction, countTo, budget }: Search,
  { first, last }: Range,
): Promise<Found> {
  const company = toUuid(companyId)
  const { order } = direction
  const listed = sql`(select v.data from events v where v.company_id = ${company} and v.position = s.position)`
  const { rows } = await sql<{ searched_to: number; is_cut: boolean; positions: string[] }>`
    with nearest as materialized (
      select e.position, ${isWanted} as is_wanted,
        sum(${ENTRY_COST} + e.no_updates) over (order by e.position ${order}) - e.no_updates - ${ENTRY_COST} as before
      from (
        select * from ${ENTRIES} e where e.company_id = ${company} and e.no_updates > 0
          and e.position between ${first} and ${last}
        order by e.position ${order} limit ${Math.ceil(budget / ENTRY_COST) + 1}
      ) e
    ), searched as materialized (select position, is_wanted from nearest where before < ${budget})
    select (select count(*) from nearest) > (select count(*) from searched) as is_cut,
      (select ${direction.compare(1, 2) < 0 ? sql`max` : sql`min`}(position) from searched) as searched_to,
      array(
        select s.position from searched s
        where s.is_wanted and ${listsAny(listed, employeeIds)} order by s.position ${order} limit ${countTo}
      ) as positions`.execute(db)
  const { searched_to: searchedTo, is_cut: isCut, positions } = rows[0]!
  return { positions: positions.map(Number), searchedTo: isCut ? searchedTo : null }
}

/** Whether a closing event lists one of these employees. No other text in canonical JSON looks like its list. */
function listsAny(data: RawBuilder<unknown>, employeeIds: string[]) {
  const quoted = employeeIds.map((id) => `"${id}"`)
  const list = sql`split_part(split_part(${data}, '"unchanged":[', 2), ']', 1)`
  return sql`exists (select from string_to_table(${list}, ',') as listed(id) where listed.id = any(${quoted}::text[]))`
}
