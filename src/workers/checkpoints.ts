import { sql } from 'kysely'
import type { Projection } from '#projections/projection'
import { fromUuid, toUuid } from '#domain/ids'
import { bigintArray, byteaArray, uuidArray } from '#postgres/binary-arrays'
import { headsWithCheckpoints } from '#ledger/read/read-progress'
import type { LedgerDb } from '#ledger/tables'

type Version = Pick<Projection, 'name' | 'version'>

/** Consecutive failures after which a company is parked. */
const MAX_ATTEMPTS = 5
const FIRST_BACKOFF_SECONDS = 1
const SWEPT_AT_ONCE = 10_000

/** Neither parked nor backing off after a failure. */
const IS_FREE = sql<boolean>`(parked_at is null and coalesce(next_try_at <= clock_timestamp(), true))`

/** The state of a projection in a company. */
export interface ProjectionCheckpoint {
  position: number
  /** The position of the company's head. */
  head: number
  /** Consecutive failures at this position. */
  attempts: number
  isHeld: boolean
}

/**
 * Finds the checkpoint of a projection in a company, creating it at position 0 if there is none. It is held while the
 * company is parked or backs off after a failure.
 */
export async function findCheckpoint(
  db: LedgerDb,
  projection: Version,
  companyId: string,
): Promise<ProjectionCheckpoint> {
  const find = () =>
    db
      .selectFrom('checkpoints')
      .leftJoin('heads', 'heads.company_id', 'checkpoints.company_id')
      .select(['checkpoints.position', 'attempts', 'heads.position as head'])
      .select(sql<boolean>`not ${IS_FREE}`.as('is_held'))
      .where(isOf(projection, companyId))
      .executeTakeFirst()
  let row = await find()
  if (!row) {
    await db
      .insertInto('checkpoints')
      .values({
        company_id: toUuid(companyId),
        projection: projection.name,
        version: projection.version,
        position: 0,
        attempts: 0,
        next_try_at: null,
        parked_at: null,
        error: null,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    row = await find()
  }
  return { position: row!.position, head: row!.head ?? 0, attempts: row!.attempts, isHeld: row!.is_held }
}

/** The condition on the checkpoint of a projection in a company. */
export function isOf({ name, version }: Version, companyId: string) {
  return sql<boolean>`checkpoints.company_id = ${toUuid(companyId)} and projection = ${name} and version = ${version}`
}

/** Finds the checkpoints of a projection in these companies, without those that are missing or held. */
export async function findFreeCheckpoints(
  db: LedgerDb,
  projection: Version,
  companyIds: string[],
): Promise<({ companyId: string } & Pick<ProjectionCheckpoint, 'position' | 'head'>)[]> {
  const rows = await db
    .selectFrom('checkpoints')
    .leftJoin('heads', 'heads.company_id', 'checkpoints.company_id')
    .select(['checkpoints.company_id', 'checkpoints.position', 'heads.position as head'])
    .where('checkpoints.company_id', '=', sql<string>`any(${uuidArray(companyIds)}::uuid[])`)
    .where('projection', '=', projection.name)
    .where('version', '=', projection.version)
    .where(IS_FREE)
    .execute()
  return rows.map((row) => ({
    companyId: fromUuid('com', row.company_id),
    position: row.position,
    head: row.head ?? 0,
  }))
}

/**
 * Moves a checkpoint and resets its failures. Must be the first statement of the transaction that folds. Returns false
 * if another worker has moved it, or the database lacks what is expected.
 */
export async function moveCheckpoint(
  transaction: LedgerDb,
  projection: MovedVersion,
  { companyId, after, upTo, leaf, generation = null }: CheckpointMove,
) {
  const isSameGeneration = sql`generation is not distinct from ${generation}`
  const hasLeaf = sql`exists (select from events e
    where e.company_id = ${toUuid(companyId)} and e.position = ${upTo} and e.leaf_hash = ${leaf})`
  const { numAffectedRows } = await sql`
    update checkpoints set position = ${upTo}, attempts = 0, next_try_at = null, error = null
    where ${isOf(projection, companyId)} and position = ${after} and parked_at is null
      ${leaf === null ? sql`` : sql`and ${hasLeaf}`}
      ${leaf !== null && projection.takesStates ? sql`and ${isSameGeneration}` : sql``}`.execute(transaction)
  return numAffectedRows === 1n
}

type MovedVersion = Pick<Projection, 'name' | 'version' | 'takesStates'>

/** A move of a checkpoint. */
export interface CheckpointMove {
  companyId: string
  after: number
  upTo: number
  /** The leaf hash that the ledger must have at the new position; null if the events were read from the ledger. */
  leaf: Buffer | null
  /** With a leaf, the generation that the rows must have if the fold takes the states of employees as they are given. */
  generation?: string | null
}

/**
 * Moves the checkpoints of several companies, like `moveCheckpoint`, but without waiting: checkpoints that another
 * worker holds or has moved are skipped, so that no worker waits for one while it holds others. Also skips those that
 * lack what is expected. Returns the companies that were moved.
 */
export async function moveCheckpoints(
  transaction: LedgerDb,
  projection: MovedVersion,
  moves: readonly CheckpointMove[],
): Promise<Set<string>> {
  // The lateral join looks up each checkpoint by its company and then updates it by ctid; a plain join could compare
  // every pair of rows.
  const { rows } = await sql<{ company_id: string }>`
    with moving as (
      select c.row_id, m.upto
      from unnest(
        ${uuidArray(moves.map(({ companyId }) => companyId))}::uuid[],
        ${bigintArray(moves.map(({ after }) => after))}::bigint[],
        ${bigintArray(moves.map(({ upTo }) => upTo))}::bigint[],
        ${byteaArray(moves.map(({ leaf }) => leaf))}::bytea[],
        ${moves.map(({ generation = null }) => generation)}::uuid[])
        as m(company_id, after, upto, leaf, generation)
      cross join lateral (
        select c.ctid as row_id from checkpoints c
        where c.company_id = m.company_id and c.projection = ${projection.name} and c.version = ${projection.version}
          and c.position = m.after and c.parked_at is null
          and (m.leaf is null or not ${projection.takesStates === true}
            or c.generation is not distinct from m.generation)
          and (m.leaf is null
            or m.leaf = (select e.leaf_hash from events e where e.company_id = m.company_id and e.position = m.upto))
        for update skip locked) c
    )
    update checkpoints c set position = moving.upto, attempts = 0, next_try_at = null, error = null
    from moving where c.ctid = moving.row_id
    returning c.company_id`.execute(transaction)
  return new Set(rows.map((row) => fromUuid('com', row.company_id)))
}

/** The outcome of a failure: a retry with backoff, or the company is parked. */
interface FailureStanding {
  attempts: number
  isParked: boolean
  retryInSeconds: number
}

/**
 * Records a failure on the checkpoint; the last allowed failure parks the company for this projection. Counts once,
 * however many workers meet it at the same time. Returns null if another worker has counted it or moved on.
 */
export async function recordFailure(
  db: LedgerDb,
  projection: Version,
  companyId: string,
  seen: Pick<ProjectionCheckpoint, 'position' | 'attempts'>,
  message: string,
): Promise<FailureStanding | null> {
  const attempts = seen.attempts + 1
  const isParked = attempts >= MAX_ATTEMPTS
  const retryInSeconds = FIRST_BACKOFF_SECONDS * 2 ** seen.attempts
  const { numAffectedRows } = await sql`
    update checkpoints set attempts = ${attempts}, error = ${message},
      next_try_at = statement_timestamp() + make_interval(secs => ${retryInSeconds})
      ${isParked ? sql`, parked_at = statement_timestamp()` : sql``}
    where ${isOf(projection, companyId)} and position = ${seen.position} and attempts = ${seen.attempts}`.execute(db)
  return numAffectedRows === 1n ? { attempts, isParked, retryInSeconds } : null
}

/** Companies with unfolded events that are neither parked nor backing off. */
export async function findLagging(db: LedgerDb, projection: Version) {
  const { rows } = await sql<{ company_id: string }>`
    select h.company_id from ${headsWithCheckpoints(projection)}
    where h.position > coalesce(c.position, 0) and ${IS_FREE}
    limit ${SWEPT_AT_ONCE}`.execute(db)
  return rows.map((row) => fromUuid('com', row.company_id))
}

/**
 * Lets the next fold of each parked company try once more; a failure parks it again at once. Returns the number of
 * companies.
 */
export async function retryParked(db: LedgerDb, { name, version }: Version) {
  const { numAffectedRows } = await sql`
    update checkpoints set parked_at = null, attempts = ${MAX_ATTEMPTS - 1}, next_try_at = null
    where projection = ${name} and version = ${version} and parked_at is not null`.execute(db)
  return Number(numAffectedRows ?? 0n)
}

/** Resumes a parked company at its checkpoint. Returns false if it was not parked. */
export async function unpark(db: LedgerDb, projection: Version, companyId: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('checkpoints')
    .set({ parked_at: null, attempts: 0, next_try_at: null })
    .where(isOf(projection, companyId))
    .where('parked_at', 'is not', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}
