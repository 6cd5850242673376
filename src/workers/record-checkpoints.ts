import { sql } from 'kysely'
import { setTimeout as pause } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { isId } from '#domain/ids'
import { isTransient } from '#postgres/database-errors'
import { pageHeads } from '#ledger/read/read-head'
import { storeSubtrees } from '#ledger/read/merkle-subtrees'
import { RefusedToSignError, explainRefusal, type CheckpointSigner } from '#ledger/audit/sign-checkpoint'
import { trackWork } from '#ledger/background/failing-work'
import type { LedgerDb, LedgerTables } from '#ledger/tables'
import { inCompany } from '#postgres/company-scope'
import { openDatabase } from '#postgres/kysely'
import { startSweep } from './sweep.ts'

interface RecorderOptions {
  /** A pool of one connection, which holds the lock. */
  lockDb: LedgerDb
  pool: Pool
  signer: CheckpointSigner
  log: Logger
  /** Milliseconds between rounds. */
  intervalMs: number
  /** Called after each round with the number of companies whose checkpoint could not be recorded. */
  onRound?(failures: number): void
}

interface Recorder {
  /** Stops after the current company. */
  stop(): Promise<void>
}

/** An arbitrary advisory lock key, unique in this database. */
const LOCK = 5_062_026_962
/** Unexpected failures after which the cause is probably not the companies: the rest waits for the next round. */
const MAX_FAULTS = 20
/** The number of steps that one round prepares for proofs: 65,536 leaves per company. */
const SUBTREE_STEPS = 16
/** Not a size: nothing is known to be recorded, or more work remains. */
const NO_SIZE = -1

/**
 * Appends a checkpoint of every changed company to its external file, round by round. Only the process that holds an
 * advisory lock does this; if it dies, the database releases the lock for another one.
 */
export function startRecorder(options: RecorderOptions): Recorder {
  const { lockDb, log, intervalMs } = options
  const stopped = new AbortController()
  async function holdLock(connection: LedgerDb) {
    const { rows } = await sql<{ held: boolean }>`select pg_try_advisory_lock(${LOCK}) as held`.execute(connection)
    if (!rows[0]!.held) return
    try {
      // Valid while this process holds the lock. Companies with notes are known from the start.
      const recorded = new Map<string, number>()
      for (const companyId of await options.signer.files.companies()) {
        if (isId('com', companyId)) recorded.set(companyId, NO_SIZE)
      }
      while (!stopped.signal.aborted) {
        // Without the connection there is no lock.
        await sql`select 1`.execute(connection)
        await recordRound(options, recorded, stopped.signal)
        await pause(intervalMs, undefined, { signal: stopped.signal }).catch(() => undefined)
      }
    } finally {
      // If the connection is gone, so is the lock.
      await sql`select pg_advisory_unlock(${LOCK})`.execute(connection).catch(() => undefined)
    }
  }

  const sweeps = startSweep(
    () => lockDb.connection().execute(holdLock),
    intervalMs,
    log,
    'could not record checkpoints; retrying in the next round',
  )
  return {
    async stop() {
      stopped.abort()
      await sweeps.stop()
    },
  }
}

/** One round over all companies. `recorded` holds the sizes known to be recorded. */
async function recordRound(options: RecorderOptions, recorded: Map<string, number>, stopped: AbortSignal) {
  let [faults, refusals] = [0, 0]
  const db = openDatabase<LedgerTables>(options.pool)
  for await (const companyId of companiesDue(db, recorded)) {
    if (stopped.aborted) return
    if (faults === MAX_FAULTS) break
    try {
      recorded.set(companyId, await inCompany(companyId, () => recordCompany({ ...options, db }, companyId)))
    } catch (error) {
      if (isTransient(error)) throw error
      if (error instanceof RefusedToSignError) refusals += 1
      else faults += 1
      options.log.error({ companyId, err: error }, 'could not record the checkpoint of a company')
    }
  }
  options.onRound?.(faults + refusals)
}

/** Companies whose size differs from the recorded one, and companies that have notes but no longer exist. */
async function* companiesDue(db: LedgerDb, recorded: ReadonlyMap<string, number>): AsyncGenerator<string> {
  const missing = new Set(recorded.keys())
  for await (const { companyId, position } of pageHeads(db)) {
    missing.delete(companyId)
    if (position !== recorded.get(companyId)) yield companyId
  }
  yield* missing
}

/**
 * Records a company's checkpoint unless the last one has the same size. Returns the recorded size, or NO_SIZE if the
 * next round has to continue with the company.
 */
async function recordCompany(
  { db, pool, signer, log }: Pick<RecorderOptions, 'pool' | 'signer' | 'log'> & { db: LedgerDb },
  companyId: string,
) {
  const { size, note, last } = await trackWork(
    pool,
    { companyId, work: 'signing' },
    () => signer.sign(db, companyId),
    // Administrators see it.
    (error) => explainRefusal(error) ?? 'The service failed. Its log says why',
  )
  if (last?.size !== size)
    await trackWork(pool, { companyId, work: 'checkpoints' }, () => signer.files.append(companyId, note))
  // Stored subtrees only save the next proof some time, and the next signature after a restart.
  const areStored = await storeSubtrees(db, companyId, size, SUBTREE_STEPS).catch((error: unknown) => {
    log.warn({ companyId, err: error }, 'could not store Merkle subtrees')
    return true
  })
  return areStored ? size : NO_SIZE
}
