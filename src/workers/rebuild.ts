import { setTimeout as pause } from 'node:timers/promises'
import { sql, type Kysely } from 'kysely'
import { schemaOf, type Projection } from '#projections/projection'
import { fromUuid } from '#domain/ids'
import { NO_COMPANY } from '#ledger/read/read-head'
import { headsWithCheckpoints, isComplete } from '#ledger/read/read-progress'
import type { LedgerDb } from '#ledger/tables'
import { isLockFailure } from '#postgres/database-errors'
import { findSchemaOid, shadowOf } from './copies.ts'
import { foldNext, UnfoldableError } from './project.ts'
import { beginShadow, completeShadow, dropReplaced, switchToShadow, dropSchema, forgetCheckpoints } from './shadow.ts'

/** More than a worker folds at once, because nobody waits for the next event here. */
export const REBUILD_BATCH_EVENTS = 10_000
const COMPANIES_AT_ONCE = 2
const COMPANIES_PER_PAGE = 500
/** The number of rounds before a switch that keeps failing is given up. */
const MAX_ROUNDS = 200
const BUSY_PAUSE_MS = 100
const DROP_TRIES = 5

export interface RebuildOptions {
  /** Connected as the database's owner; commits need not wait for the disk. */
  db: LedgerDb
  /** Prepares the new tables of a schema for the service. */
  handOver(db: Kysely<unknown>, schema: string): Promise<void>
  /** Discards an earlier rebuild instead of continuing it. */
  restart: boolean
  /** Stops after the current batch. */
  signal: AbortSignal
  /** Called at the start with the number of events to fold. */
  onBegun(events: number, isResumed: boolean): void
  /** Called with the number of further events folded. */
  onFolded(events: number): void
}

/** A company whose events cannot be folded. */
interface StuckCompany {
  companyId: string
  reason: string
}

/**
 * Either switched, by this process or another one, or stopped because of stuck companies. Old tables that are in use
 * stay for a while.
 */
export type RebuildOutcome = { isSwitched: true; areOldDropped: boolean } | { isSwitched: false; stuck: StuckCompany[] }

/** The rebuild did not finish. Its tables stay, and the next rebuild continues with them. */
export class RebuildError extends Error {
  override name = 'RebuildError'
}

/**
 * Fills new tables of a projection beside the live ones, creates their indexes, catches up with the heads, switches,
 * and drops the old tables. Any number of processes may do this at once and die at any point: each batch is a
 * transaction with its checkpoint, from which the next rebuild continues. Does not switch while a company is stuck.
 */
export async function rebuild(projection: Projection, options: RebuildOptions): Promise<RebuildOutcome> {
  const { db, signal } = options
  if (!(await dropReplacedWithRetries(db, projection))) {
    throw new RebuildError('the tables that an earlier rebuild replaced are still being read: try again later')
  }
  const { oid, isResumed } = await beginShadow(db, projection, options)
  options.onBegun(await countEventsToFold(db, shadowOf(projection)), isResumed)
  let isComplete = false
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const stuck = await fillOrNotice(projection, oid, options)
    signal.throwIfAborted()
    if (stuck.length > 0) return { isSwitched: false, stuck }
    if (!isComplete) {
      await completeWhenFree(projection, oid, options)
      isComplete = true
      // New events have arrived meanwhile.
      continue
    }
    const result = await switchToShadow(db, projection, oid)
    if (result === 'switched' || (result === 'gone' && (await isLive(db, projection, oid)))) {
      return { isSwitched: true, areOldDropped: await dropReplacedWithRetries(db, projection) }
    }
    if (result === 'gone') throw new RebuildError('another process has discarded this rebuild')
    if (result === 'busy') await pause(BUSY_PAUSE_MS * (1 + Math.random()))
  }
  throw new RebuildError(`the rebuild did not catch up with the live tables in ${MAX_ROUNDS} rounds`)
}

async function isLive(db: LedgerDb, projection: Projection, oid: number) {
  return (await findSchemaOid(db, schemaOf(projection))) === oid
}

async function dropReplacedWithRetries(db: LedgerDb, projection: Projection) {
  for (let tries = 0; tries < DROP_TRIES; tries += 1) if (await dropReplaced(db, projection)) return true
  return false
}

async function countEventsToFold(db: LedgerDb, shadow: Projection) {
  const { rows } = await sql<{ events: number }>`
    select coalesce(sum(h.position - coalesce(c.position, 0)), 0)::bigint as events
    from ${headsWithCheckpoints(shadow)}`.execute(db)
  return rows[0]!.events
}

/** Fills the shadow, and ignores failures caused by another process that has switched meanwhile. */
async function fillOrNotice(projection: Projection, oid: number, options: RebuildOptions) {
  const shadow = shadowOf(projection)
  const isOurs = async () => (await findSchemaOid(options.db, schemaOf(shadow))) === oid
  try {
    const stuck = await fillShadow(shadow, options)
    return stuck.length > 0 && !(await isOurs()) ? [] : stuck
  } catch (error) {
    // Another process is creating the indexes; continue in the next round.
    if (isLockFailure(error)) return []
    if (options.signal.aborted || (await isOurs())) throw error
    return []
  }
}

/**
 * Creates the indexes, waiting for other processes that work on the same tables. If one of them switches meanwhile, it
 * has created them.
 */
async function completeWhenFree(projection: Projection, oid: number, { db, signal }: RebuildOptions) {
  for (let tries = 1; ; tries += 1) {
    signal.throwIfAborted()
    try {
      return await completeShadow(db, projection, oid)
    } catch (error) {
      if (isLockFailure(error) && tries < MAX_ROUNDS) continue
      if ((await findSchemaOid(db, schemaOf(shadowOf(projection)))) === oid) throw error
      return
    }
  }
}

/** Brings every company of the shadow up to its current head, a few in parallel. Returns the stuck companies. */
async function fillShadow(shadow: Projection, options: RebuildOptions) {
  const companies = companiesBehind(options.db, shadow)
  const stuck: StuckCompany[] = []
  async function fillTheNext() {
    for await (const company of companies) {
      if (options.signal.aborted) return
      try {
        await fillCompany(shadow, company, options)
      } catch (error) {
        if (!(error instanceof UnfoldableError)) throw error
        stuck.push({ companyId: company.id, reason: error.message })
      }
    }
  }
  await Promise.all(Array.from({ length: COMPANIES_AT_ONCE }, fillTheNext))
  return stuck
}

interface CompanyBehind {
  id: string
  reached: number
  head: number
}

/** Folds up to the head as it was at the start, so that a busy company does not hold up the others. */
async function fillCompany(shadow: Projection, company: CompanyBehind, { db, signal, onFolded }: RebuildOptions) {
  for (let { reached } = company; reached < company.head && !signal.aborted;) {
    const { position, isDone } = await foldNext(db, shadow, company.id, { batchEvents: REBUILD_BATCH_EVENTS })
    onFolded(position - reached)
    reached = position
    if (isDone) return
  }
}

/** Companies with unfolded events, starting at a random one so that concurrent processes seldom meet. */
async function* companiesBehind(db: LedgerDb, shadow: Projection): AsyncGenerator<CompanyBehind> {
  const start = await sql<{ company_id: string }>`select company_id from heads order by random() limit 1`.execute(db)
  const from = start.rows[0]?.company_id ?? NO_COMPANY
  for (const range of [sql`h.company_id >= ${from}`, sql`h.company_id < ${from}`]) {
    for (let after = NO_COMPANY; ;) {
      const { rows } = await sql<{ company_id: string; reached: number; head: number }>`
        select h.company_id, coalesce(c.position, 0) as reached, h.position as head from ${headsWithCheckpoints(shadow)}
        where h.position > coalesce(c.position, 0) and h.company_id > ${after} and ${range}
        order by h.company_id limit ${COMPANIES_PER_PAGE}`.execute(db)
      for (const { company_id: company, reached, head } of rows) yield { id: fromUuid('com', company), reached, head }
      if (rows.length < COMPANIES_PER_PAGE) break
      after = rows.at(-1)!.company_id
    }
  }
}

/** An older version of a projection, and whether its tables were dropped or are still in use. */
interface PrunedVersion {
  projection: string
  version: number
  isDropped: boolean
}

/**
 * Drops the tables of older versions of a projection, and leftovers of their rebuilds, once the current version may be
 * read. Run as the owner, after all processes of older versions have stopped: their tables are gone afterwards.
 */
export async function pruneVersions(db: LedgerDb, projection: Projection): Promise<PrunedVersion[]> {
  await dropReplaced(db, projection)
  if (!(await isComplete(db, projection))) return []
  const pruned: PrunedVersion[] = []
  for (const version of await listOlderVersions(db, projection)) {
    const old = { ...projection, version }
    let isDropped = await dropReplaced(db, old)
    for (const { name } of [shadowOf(old), old])
      isDropped = (await dropSchema(db, schemaOf({ name, version }))) && isDropped
    if (isDropped) await forgetVersion(db, old)
    pruned.push({ projection: projection.name, version, isDropped })
  }
  return pruned
}

/** Older versions with tables, or with rows left by an interrupted run. */
async function listOlderVersions(db: LedgerDb, { name, version }: Projection) {
  const prefix = schemaOf({ name, version: 0 }).slice(0, -1)
  const { rows } = await sql<{ version: number }>`
    select version from (
      select substr(nspname, ${prefix.length + 1}::integer)::integer as version from pg_namespace
        where starts_with(nspname, ${prefix}) and substr(nspname, ${prefix.length + 1}::integer) ~ '^[0-9]{1,6}$'
      union select version from checkpoints where projection = ${name}
      union select version from projection_versions where projection = ${name}
    ) as known (version) where version < ${version} order by version`.execute(db)
  return rows.map((row) => row.version)
}

async function forgetVersion(db: LedgerDb, projection: Projection) {
  const { name, version } = projection
  await db.transaction().execute(async (transaction) => {
    await forgetCheckpoints(transaction, projection)
    await forgetCheckpoints(transaction, shadowOf(projection))
    await transaction
      .deleteFrom('projection_versions')
      .where('projection', '=', name)
      .where('version', '=', version)
      .execute()
  })
}
