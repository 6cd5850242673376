import { sql, type RawBuilder } from 'kysely'
import { ENTRIES } from './live-tables.ts'
import type { AnyDb } from '../projection.ts'

/*
 * A record that changed nothing has no event: its employee is only in the list of the event that closes its call. This
 * index finds them. A scheduled job adds a block once there are enough new records, so that the calls themselves don't
 * pay for it. A search (`unchanged-search.ts`) reads the lists of newer entries one after the other.
 *
 * A block is split into buckets by a hash of the employee, so that a search reads a sixteenth of it. All its buckets begin
 * and end at the same positions. The row of a bucket lists the hashes of employees in order, and beside each the position
 * of an entry that has such a record, as the distance from the block's end. Closing events never change and are never
 * erased, so neither is a block.
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

async function findCompleteBlocks(db: AnyDb, size: BlockSize) {
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
async function addBlock(db: AnyDb, { company_id: company, first_position: first, last_position: last }: Block) {
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
export const hashOf = (id: RawBuilder<unknown>) => sql`('x' || left(md5(${id}), 16))::bit(64)::bigint`
/** The bucket of an employee, by the hash of its id. */
export const bucketOf = (person: RawBuilder<unknown>) => sql`(${person} & ${BUCKETS - 1})::smallint`
