import { sql, type RawBuilder } from 'kysely'
import { toUuid } from '../../src/domain/ids.ts'
import { ENTRIES } from './live-tables.ts'
import type { AnyDb } from '../projection.ts'
import { ENTRY_COST, type Found, type Search } from './search-bounds.ts'

/*
 * A record that changed nothing has no event: its employee is only in the list of the event that closes its call. This
 * index finds them. A scheduled job adds a block once there are enough new records, so that the calls themselves don't
 * pay for it. A search reads the lists of newer entries one after the other.
 *
 * The rows of a block are split by a hash of the employee, so that a search reads a sixteenth of it. Closing events never
 * change and are never erased, so neither is a block.
 */

/** A block ends after so many entries, or with the entry that reaches so many records. */
interface BlockSize {
  entries: number
  records: number
}
const BLOCK_SIZE: BlockSize = { entries: 4_096, records: 131_072 }
/** Companies take turns: each gets one block at a time, and those with the shortest index come first. */
const BLOCKS_AT_ONCE = 100
const BLOCKS_PER_RUN = 250

/**
 * Adds the blocks that are complete, of all companies of a database, up to 250 in one run. Returns how many. Several
 * processes may do so at once.
 */
export async function addBlocks(db: AnyDb, size: BlockSize = BLOCK_SIZE): Promise<number> {
  let added = 0
  for (let tried = 0; tried < BLOCKS_PER_RUN;) {
    const blocks = await findCompleteBlocks(db, size)
    if (blocks.length === 0) break
    for (const block of blocks) if (await addBlock(db, block)) added += 1
    tried += blocks.length
  }
  return added
}

interface Block {
  company_id: string
  first_position: number
  last_position: number
}

async function findCompleteBlocks(db: AnyDb, size: BlockSize): Promise<Block[]> {
  const { rows } = await sql<Block>`
    select h.company_id, b.indexed_to + 1 as first_position, next.last_position
    from heads h
      cross join lateral (
        select coalesce(max(u.last_position), 0) as indexed_to from unchanged_records u
        where u.company_id = h.company_id and u.bucket = 0
      ) b
      cross join lateral (
        select count(*) as entries, sum(no_updates) as records,
          max(position) filter (where before < ${size.records}) as last_position
        from (
          select position, no_updates, sum(no_updates) over (order by position) - no_updates as before
          from (
            select e.position, e.no_updates from ${ENTRIES} e
            where e.company_id = h.company_id and e.position > b.indexed_to and e.no_updates > 0
            order by e.position limit ${size.entries}
          ) nearest
        ) counted
      ) next
    where next.entries = ${size.entries} or next.records >= ${size.records}
    order by b.indexed_to limit ${BLOCKS_AT_ONCE}`.execute(db)
  return rows
}

/** Returns false if another process has added it. */
async function addBlock(
  db: AnyDb,
  { company_id: company, first_position: first, last_position: last }: Block,
): Promise<boolean> {
  // Every bucket gets a row, so that any of them tells how far the index is.
  const { numAffectedRows } = await sql`
    insert into unchanged_records (company_id, bucket, last_position, first_position, people, offsets)
    select ${company}, b.bucket, ${last}, ${first},
      coalesce(array_agg(r.person order by r.person, r."offset") filter (where r.person is not null), '{}'),
      coalesce(array_agg(r."offset" order by r.person, r."offset") filter (where r.person is not null), '{}')
    from generate_series(0, ${BUCKETS - 1}) as b(bucket)
      left join (
        select ${bucketOf(sql`hashed.person`)} as bucket, hashed.person, (${last} - e.position)::integer as "offset"
        from ${ENTRIES} e
          join events v on v.company_id = e.company_id and v.position = e.position
          cross join lateral json_array_elements_text(v.data::json -> 'unchanged') as listed(id)
          cross join lateral (select ${hashOf(sql`listed.id`)} as person) as hashed
        where e.company_id = ${company} and e.position between ${first} and ${last} and e.no_updates > 0
      ) r on r.bucket = b.bucket
    group by b.bucket
    on conflict do nothing`.execute(db)
  return numAffectedRows === BigInt(BUCKETS)
}

const BUCKETS = 16

/** 64 bits of a hash of an id. With a million employees, two have the same with a probability of 1 to 30 million. */
const hashOf = (id: RawBuilder<unknown>) => sql`('x' || left(md5(${id}), 16))::bit(64)::bigint`
const bucketOf = (person: RawBuilder<unknown>) => sql`(${person} & ${BUCKETS - 1})::smallint`

/** How many blocks are read at once: few at first, because they may be enough. */
const BLOCK_READS = [16, 64, 256]
/** The most employees that a search looks up in blocks at once, so that a text that finds many ends sooner. */
const MAX_LOOK_UPS = 1_024

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
  const positions: number[] = []
  const parts = [
    { find: findInBlocks, first, last: Math.min(last, indexedTo) },
    { find: findInLists, first: Math.max(first, indexedTo + 1), last },
  ].toSorted((a, b) => search.direction.compare(a.first, b.first))
  for (const { find, ...part } of parts) {
    if (part.first > part.last) continue
    const { limit, countTo } = search
    const rest = { ...search, limit: limit - positions.length, countTo: countTo - positions.length }
    const matches = await find(db, companyId, employeeIds, rest, part)
    for (const position of matches.positions) positions.push(position)
    if (positions.length === countTo || matches.searchedTo !== null)
      return { positions, searchedTo: matches.searchedTo ?? positions.at(-1)! }
  }
  return { positions, searchedTo: null }
}

/** Positions, both included. */
interface Range {
  first: number
  last: number
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

/** Looks the employees up in blocks, from one end to the other. */
async function findInBlocks(
  db: AnyDb,
  companyId: string,
  employeeIds: string[],
  { isWanted, direction, limit, countTo }: Search,
  { first, last }: Range,
): Promise<Found> {
  const company = toUuid(companyId)
  const { order, isBeyond } = direction
  const isForward = direction.compare(1, 2) < 0
  const end = isForward ? sql`b.last_position` : sql`b.first_position`
  const positions: number[] = []
  let searchedTo: number | null = null
  const most = Math.ceil(MAX_LOOK_UPS / employeeIds.length)
  for (const blocks of BLOCK_READS.map((count) => Math.min(count, most))) {
    const isNext: RawBuilder<unknown> = searchedTo === null ? sql`true` : sql`u.last_position ${isBeyond} ${searchedTo}`
    const { rows } = await sql<{ searched_to: number | null; blocks: number; positions: string[] }>`
      with people as materialized (
        select hashed.person, ${bucketOf(sql`hashed.person`)} as bucket
        from unnest(${employeeIds}::text[]) as listed(id)
          cross join lateral (select ${hashOf(sql`listed.id`)} as person) as hashed
      ), ends as materialized (
        select u.first_position, u.last_position from unchanged_records u
        where u.company_id = ${company} and u.bucket = 0 and u.last_position >= ${first} and u.first_position <= ${last}
          and ${isNext}
        order by u.last_position ${order} limit ${blocks}
      ), candidates as materialized (
        select distinct u.last_position - part."offset" as position
        from (select min(last_position) as first, max(last_position) as last from ends) as reach
          cross join people p
          join unchanged_records u on u.company_id = ${company} and u.bucket = p.bucket
            and u.last_position between reach.first and reach.last
          cross join lateral (select array_positions(u.people, p.person) as places) as listed
          cross join lateral unnest(u.offsets[listed.places[1]:listed.places[cardinality(listed.places)]]) as part("offset")
        where u.last_position - part."offset" between ${first} and ${last}
      )
      select (select count(*)::integer from ends) as blocks,
        (select ${end} from ends b order by b.last_position ${isForward ? sql`desc` : sql`asc`} limit 1) as searched_to,
        array(
          select c.position from candidates c
            cross join lateral (select * from ${ENTRIES} e where e.company_id = ${company} and e.position = c.position) e
          where ${isWanted} order by c.position ${order} limit ${countTo - positions.length}
        ) as positions`.execute(db)
    const read = rows[0]!
    // node-postgres reads the elements of a bigint array as texts.
    for (const position of read.positions) positions.push(Number(position))
    if (read.blocks < blocks) return { positions, searchedTo: null }
    searchedTo = read.searched_to!
    if (positions.length >= limit || blocks === most) break
  }
  return { positions, searchedTo: positions.length === countTo ? positions.at(-1)! : searchedTo }
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
function listsAny(data: RawBuilder<unknown>, employeeIds: string[]): RawBuilder<unknown> {
  const quoted = employeeIds.map((id) => `"${id}"`)
  const list = sql`split_part(split_part(${data}, '"unchanged":[', 2), ']', 1)`
  return sql`exists (select from string_to_table(${list}, ',') as listed(id) where listed.id = any(${quoted}::text[]))`
}
