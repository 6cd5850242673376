import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { toUuid } from '../../domain/ids.ts'
import type { Frontier, Subtree } from '../integrity/merkle.ts'
import { appendLeaves, EMPTY_FRONTIER, rootOf } from '../integrity/merkle.ts'
import { subtreesOf } from '../integrity/merkle-proofs.ts'
import type { LedgerTables } from '../tables.ts'

/*
 * The roots of complete subtrees, kept in a table so that a proof needs few rows, however long the ledger is. They are
 * derived from the leaves of the events and never written by an append. Whoever makes a proof stores first what became
 * complete since the last one.
 */

/** The smallest subtrees that are kept; smaller ones are hashed anew, from at most 255 leaves. */
const LOWEST_LEVEL = 8
const LOWEST_WIDTH = 2 ** LOWEST_LEVEL
/** Of the smallest subtrees, how many one statement stores: 4,096 leaves. */
const STORED_AT_ONCE = 16
/** How many such steps one request waits for: a million leaves. */
const MAX_STEPS = 256

/**
 * Stores the roots of all complete subtrees of the first `size` leaves that are not stored yet, from left to right. Any
 * number of processes may do it at once, and die anywhere: all of them store the same rows, and what is stored has no
 * gap. Returns false when more was missing than one request may wait for; the next one goes on from there.
 */
export async function storeSubtrees(
  db: Kysely<LedgerTables>,
  companyId: string,
  size: number,
  maxSteps = MAX_STEPS,
): Promise<boolean> {
  const wanted = Math.floor(size / LOWEST_WIDTH)
  let stored = await storedFrontier(db, companyId)
  for (let steps = 0; stored.size < wanted; steps += 1) {
    if (steps === maxSteps) return false
    const count = Math.min(STORED_AT_ONCE, wanted - stored.size)
    const leaves = await readLeaves(db, companyId, stored.size * LOWEST_WIDTH, count * LOWEST_WIDTH)
    const lowest = Array.from({ length: count }, (_, at) => {
      return rootOfLeaves(leaves.slice(at * LOWEST_WIDTH, (at + 1) * LOWEST_WIDTH))
    })
    const rows: { level: number; number: number; hash: string }[] = []
    stored = appendLeaves(stored, lowest, ({ level, number }, root) => {
      rows.push({ level: level + LOWEST_LEVEL, number, hash: root.toString('hex') })
    })
    await sql`insert into merkle_subtrees (company_id, level, number, hash)
      select ${toUuid(companyId)}::uuid, level, number, decode(hash, 'hex')
      from json_to_recordset(${JSON.stringify(rows)}) as r(level smallint, number bigint, hash text)
      on conflict do nothing`.execute(db)
  }
  return true
}

/** The tree whose leaves are the smallest subtrees that are kept, as far as it is stored. */
async function storedFrontier(db: Kysely<LedgerTables>, companyId: string): Promise<Frontier> {
  const last = await db
    .selectFrom('merkle_subtrees')
    .select('number')
    .where('company_id', '=', toUuid(companyId))
    .where('level', '=', LOWEST_LEVEL)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!last) return EMPTY_FRONTIER
  const size = last.number + 1
  const complete = subtreesOf({ from: 0, to: size }).map(({ level, number }) => ({
    level: level + LOWEST_LEVEL,
    number,
  }))
  const hashes = await readStored(db, companyId, complete)
  // Somebody took rows away: all are made again.
  return hashes.every((hash) => hash !== undefined) ? { size, hashes } : EMPTY_FRONTIER
}

/** Forgets all that is stored of a company; it is made again from the leaves. */
export async function forgetSubtrees(db: Kysely<LedgerTables>, companyId: string): Promise<void> {
  await db.deleteFrom('merkle_subtrees').where('company_id', '=', toUuid(companyId)).execute()
}

/** The roots of complete subtrees, in their order; null when one that should be stored is not. */
export async function readSubtrees(
  db: Kysely<LedgerTables>,
  companyId: string,
  subtrees: readonly Subtree[],
): Promise<Buffer[] | null> {
  const isSmall = ({ level }: Subtree) => level < LOWEST_LEVEL
  const leaves = await readLeavesOf(db, companyId, subtrees.filter(isSmall))
  const stored = await readStored(db, companyId, subtrees)
  const rootOfSmall = (subtree: Subtree) => rootOfLeaves(numbersOf(subtree).map((number) => leaves.get(number)!))
  const roots = subtrees.map((subtree, at) => (isSmall(subtree) ? rootOfSmall(subtree) : stored[at]))
  return roots.every((root) => root !== undefined) ? roots : null
}

function rootOfLeaves(leaves: readonly Buffer[]): Buffer {
  return rootOf(appendLeaves(EMPTY_FRONTIER, leaves))
}

/** The numbers of the leaves of a subtree, from 0 on. */
function numbersOf({ level, number }: Subtree): number[] {
  const width = 2 ** level
  return Array.from({ length: width }, (_, at) => number * width + at)
}

/** The leaves of small subtrees by their numbers. These stand close together: around the leaf, and at the ends of trees. */
async function readLeavesOf(
  db: Kysely<LedgerTables>,
  companyId: string,
  subtrees: readonly Subtree[],
): Promise<Map<number, Buffer>> {
  const leaves = new Map<number, Buffer>()
  const numbers = [...new Set(subtrees.flatMap(numbersOf))].toSorted((a, b) => a - b)
  for (let at = 0; at < numbers.length;) {
    const first = numbers[at]!
    let count = 1
    while (numbers[at + count] === first + count) count += 1
    const found = await readLeaves(db, companyId, first, count)
    found.forEach((leaf, offset) => leaves.set(first + offset, leaf))
    at += count
  }
  return leaves
}

/** Leaves that stand next to each other, from a number on. */
async function readLeaves(
  db: Kysely<LedgerTables>,
  companyId: string,
  first: number,
  count: number,
): Promise<Buffer[]> {
  const rows = await db
    .selectFrom('events')
    .select('leaf_hash')
    .where('company_id', '=', toUuid(companyId))
    .where('position', '>', first)
    .where('position', '<=', first + count)
    .orderBy('position')
    .execute()
  if (rows.length !== count)
    throw new Error(`events between ${first + 1} and ${first + count} of ${companyId} are missing`)
  return rows.map((row) => row.leaf_hash)
}

/** Those of the roots that are stored, in the order of the subtrees. */
async function readStored(
  db: Kysely<LedgerTables>,
  companyId: string,
  subtrees: readonly Subtree[],
): Promise<(Buffer | undefined)[]> {
  // Each by its key, whatever is known of the table: that it is small, or large.
  const { rows } = await sql<{ level: number; number: number; hash: Buffer }>`
    select wanted.level, wanted.number, found.hash
    from unnest(${subtrees.map(({ level }) => level)}::smallint[], ${subtrees.map(({ number }) => number)}::bigint[])
      as wanted(level, number)
    cross join lateral (select hash from merkle_subtrees
      where company_id = ${toUuid(companyId)} and level = wanted.level and number = wanted.number limit 1) as found`.execute(
    db,
  )
  const found = new Map(rows.map(({ level, number, hash }) => [`${level} ${number}`, hash]))
  return subtrees.map(({ level, number }) => found.get(`${level} ${number}`))
}
