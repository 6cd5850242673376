import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { toUuid } from '../domain/ids.ts'
import type { Frontier, Subtree } from './merkle.ts'
import { appendLeaves, EMPTY_FRONTIER, rootOf } from './merkle.ts'
import { subtreesOf } from './merkle-proofs.ts'
import type { LedgerTables } from './tables.ts'

/*
 * The roots of complete subtrees, kept in a table so that a proof needs few rows, however long the ledger is. They are
 * derived from the leaves of the events and never written by an append. Whoever makes a proof stores first what became
 * complete since the last one.
 */

/** The smallest subtrees that are kept; smaller ones are hashed anew, from at most 255 leaves. */
export const LOWEST_LEVEL = 8
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
export async function storeSubtrees(db: Kysely<LedgerTables>, companyId: string, size: number): Promise<boolean> {
  const wanted = Math.floor(size / LOWEST_WIDTH)
  let stored = await storedFrontier(db, companyId)
  for (let steps = 0; stored.size < wanted; steps += 1) {
    if (steps === MAX_STEPS) return false
    const count = Math.min(STORED_AT_ONCE, wanted - stored.size)
    const leaves = await readLeaves(db, companyId, stored.size * LOWEST_WIDTH, count * LOWEST_WIDTH)
    const lowest = Array.from({ length: count }, (_, at) => rootOfLeaves(leaves.slice(at * LOWEST_WIDTH, (at + 1) * LOWEST_WIDTH)))
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
  const complete = subtreesOf({ from: 0, to: size }).map(({ level, number }) => ({ level: level + LOWEST_LEVEL, number }))
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
  const small = subtrees.filter(({ level }) => level < LOWEST_LEVEL)
  const leaves = await readLeavesAt(db, companyId, small)
  const stored = await readStored(db, companyId, subtrees)
  const roots = subtrees.map((subtree, at) => (subtree.level < LOWEST_LEVEL ? rootOfLeaves(positionsOf(subtree).map((position) => leaves.get(position)!)) : stored[at]))
  return roots.every((root) => root !== undefined) ? roots : null
}

function rootOfLeaves(leaves: readonly Buffer[]): Buffer {
  return rootOf(appendLeaves(EMPTY_FRONTIER, leaves))
}

function positionsOf({ level, number }: Subtree): number[] {
  const width = 2 ** level
  return Array.from({ length: width }, (_, at) => number * width + at + 1)
}

async function readLeaves(db: Kysely<LedgerTables>, companyId: string, after: number, count: number): Promise<Buffer[]> {
  const rows = await db
    .selectFrom('events')
    .select('leaf_hash')
    .where('company_id', '=', toUuid(companyId))
    .where('position', '>', after)
    .where('position', '<=', after + count)
    .orderBy('position')
    .execute()
  if (rows.length !== count) throw new Error(`events between ${after + 1} and ${after + count} of ${companyId} are missing`)
  return rows.map((row) => row.leaf_hash)
}

async function readLeavesAt(
  db: Kysely<LedgerTables>,
  companyId: string,
  subtrees: readonly Subtree[],
): Promise<Map<number, Buffer>> {
  const positions = [...new Set(subtrees.flatMap(positionsOf))]
  const rows = await db
    .selectFrom('events')
    .select(['position', 'leaf_hash'])
    .where('company_id', '=', toUuid(companyId))
    .where('position', '=', sql<number>`any(${positions}::bigint[])`)
    .execute()
  if (rows.length !== positions.length) throw new Error(`of ${positions.length} events of ${companyId} some are missing`)
  return new Map(rows.map(({ position, leaf_hash: leaf }) => [position, leaf]))
}

/** Those of the roots that are stored, in the order of the subtrees. */
async function readStored(
  db: Kysely<LedgerTables>,
  companyId: string,
  subtrees: readonly Subtree[],
): Promise<(Buffer | undefined)[]> {
  const { rows } = await sql<{ level: number; number: number; hash: Buffer }>`
    select s.level, s.number, s.hash
    from unnest(${subtrees.map(({ level }) => level)}::smallint[], ${subtrees.map(({ number }) => number)}::bigint[])
      as wanted(level, number)
    join merkle_subtrees s on s.company_id = ${toUuid(companyId)} and s.level = wanted.level and s.number = wanted.number`.execute(db)
  const found = new Map(rows.map(({ level, number, hash }) => [`${level} ${number}`, hash]))
  return subtrees.map(({ level, number }) => found.get(`${level} ${number}`))
}
