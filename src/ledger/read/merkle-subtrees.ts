import { sql } from 'kysely'
import { UnavailableError } from '#admission/batcher'
import { toUuid } from '#domain/ids'
import { appendLeaves, EMPTY_FRONTIER, rootOf, type Frontier, type Subtree } from '../integrity/merkle.ts'
import { subtreesOf } from '../integrity/merkle-proofs.ts'
import type { LedgerDb, Row } from '../tables.ts'

/*
 * The roots of complete subtrees, cached in a table so that a proof reads few rows, however long the ledger is. They
 * are derived from the leaf hashes. Appends do not write them: a request for a proof first stores those that have
 * become complete.
 */

/** The level of the smallest stored subtrees. Smaller ones are recomputed, from at most 255 leaves. */
const LOWEST_LEVEL = 8
const LOWEST_WIDTH = 2 ** LOWEST_LEVEL
/** The number of lowest-level subtrees that one statement stores: 4,096 leaves. */
const STORED_AT_ONCE = 16
/** The number of such statements that one request waits for: a million leaves. */
const MAX_STEPS = 256

/**
 * Stores the roots of all complete subtrees of the first `size` leaves that are not stored yet, from left to right.
 * Safe to run concurrently and to interrupt: every process stores the same rows, without gaps. Returns false if more
 * are missing than one request may wait for; the next request continues.
 */
export async function storeSubtrees(
  db: LedgerDb,
  companyId: string,
  size: number,
  maxSteps = MAX_STEPS,
): Promise<boolean> {
  const expected = Math.floor(size / LOWEST_WIDTH)
  let stored = expected === 0 ? EMPTY_FRONTIER : await storedFrontier(db, companyId, expected)
  for (let steps = 0; stored.size < expected; steps += 1) {
    if (steps === maxSteps) return false
    const count = Math.min(STORED_AT_ONCE, expected - stored.size)
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

/**
 * The stored frontier of a tree of at most `size` leaves. It is empty if nothing is stored, and not authenticated: a
 * root that somebody has signed tells whether it is right.
 */
export async function readStoredFrontier(db: LedgerDb, companyId: string, size: number): Promise<Frontier> {
  const stored = await storedFrontier(db, companyId, Math.floor(size / LOWEST_WIDTH))
  return { ...stored, size: stored.size * LOWEST_WIDTH }
}

/** The stored tree, whose leaves are the lowest-level subtrees, up to this number of them. */
async function storedFrontier(db: LedgerDb, companyId: string, most: number) {
  const last = await db
    .selectFrom('merkle_subtrees')
    .select('number')
    .where('company_id', '=', toUuid(companyId))
    .where('level', '=', LOWEST_LEVEL)
    .where('number', '<', most)
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
  // Rows are missing: rebuild all of them.
  return hashes.every((hash) => hash !== undefined) ? { size, hashes } : EMPTY_FRONTIER
}

/**
 * Reads what follows from the subtrees of the first `size` leaves, once they are stored. If `read` returns null,
 * because they are wrong, they are rebuilt once; if they still are, the ledger itself is inconsistent. Throws
 * UnavailableError if more are missing than one request may wait for.
 */
export async function readWithSubtrees<Result>(
  db: LedgerDb,
  companyId: string,
  size: number,
  read: () => Promise<Result | null>,
  maxSteps = MAX_STEPS,
): Promise<Result> {
  for (const isLastTry of [false, true]) {
    const areStored = await storeSubtrees(db, companyId, size, maxSteps)
    if (!areStored) throw new UnavailableError('subtrees are still being stored')
    const result = await read()
    if (result !== null) return result
    if (!isLastTry) await forgetSubtrees(db, companyId)
  }
  throw new Error(`the events of ${companyId} do not match the root of its head`)
}

/** Deletes the stored subtrees of a company, to be rebuilt from the leaves. */
export async function forgetSubtrees(db: LedgerDb, companyId: string) {
  await db.deleteFrom('merkle_subtrees').where('company_id', '=', toUuid(companyId)).execute()
}

/** The roots of complete subtrees, in their order; null if a required one is not stored. */
export async function readSubtrees(db: LedgerDb, companyId: string, subtrees: readonly Subtree[]) {
  const isSmall = ({ level }: Subtree) => level < LOWEST_LEVEL
  const leaves = await readLeavesOf(db, companyId, subtrees.filter(isSmall))
  const stored = await readStored(db, companyId, subtrees)
  const rootOfSmall = (subtree: Subtree) => rootOfLeaves(numbersOf(subtree).map((number) => leaves.get(number)!))
  const roots = subtrees.map((subtree, at) => (isSmall(subtree) ? rootOfSmall(subtree) : stored[at]))
  return roots.every((root) => root !== undefined) ? roots : null
}

function rootOfLeaves(leaves: readonly Buffer[]) {
  return rootOf(appendLeaves(EMPTY_FRONTIER, leaves))
}

/** The leaf numbers of a subtree. */
function numbersOf({ level, number }: Subtree) {
  const width = 2 ** level
  return Array.from({ length: width }, (_, at) => number * width + at)
}

/** The leaves of small subtrees, by number. Throws if one is missing. */
async function readLeavesOf(
  db: LedgerDb,
  companyId: string,
  subtrees: readonly Subtree[],
): Promise<Map<number, Buffer>> {
  const numbers = new Set(subtrees.flatMap(numbersOf))
  if (numbers.size === 0) return new Map()
  const rows = await db
    .selectFrom('events')
    .select(['position', 'leaf_hash'])
    .where('company_id', '=', toUuid(companyId))
    .where('position', '=', sql<number>`any(${Array.from(numbers, (number) => number + 1)}::bigint[])`)
    .execute()
  if (rows.length !== numbers.size) throw new Error(`events of ${companyId} are missing`)
  return new Map(rows.map(({ position, leaf_hash: leaf }) => [position - 1, leaf]))
}

/** Reads consecutive leaves, starting at a number. Throws if one is missing. */
export async function readLeaves(db: LedgerDb, companyId: string, first: number, count: number): Promise<Buffer[]> {
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

/** The stored roots, in the order of the subtrees. */
async function readStored(db: LedgerDb, companyId: string, subtrees: readonly Subtree[]) {
  // The lateral join with a limit looks up each row by its key, whatever the table's statistics say.
  const { rows } = await sql<Row<'merkle_subtrees', 'level' | 'number' | 'hash'>>`
    select wanted.level, wanted.number, found.hash
    from unnest(${subtrees.map(({ level }) => level)}::smallint[], ${subtrees.map(({ number }) => number)}::bigint[])
      as wanted(level, number)
    cross join lateral (select hash from merkle_subtrees
      where company_id = ${toUuid(companyId)} and level = wanted.level and number = wanted.number
        limit 1) as found`.execute(db)
  const hashes = new Map(rows.map(({ level, number, hash }) => [`${level} ${number}`, hash]))
  return subtrees.map(({ level, number }) => hashes.get(`${level} ${number}`))
}
