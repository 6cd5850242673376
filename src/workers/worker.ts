import type { Pool } from 'pg'
import { addBlocks } from '#projections/bulk-user-logs/unchanged-index'
import type { Projection } from '#projections/projection'
import { deleteOldClients, forgetTraces } from '#ledger/append/actor-clients'
import { expireAnswers } from '#ledger/append/expire-answers'
import { trackWork } from '#ledger/background/failing-work'
import { openDatabase } from '#postgres/kysely'
import { announceCompanies, type CompaniesJob } from './announce.ts'
import { findLagging, retryParked } from './checkpoints.ts'
import { completeVersion } from './copies.ts'
import { foldInTurns, type TurnOptions } from './fold-in-turns.ts'
import { retireRecords } from './retire-records.ts'
import {
  CHECK_ATTENTION,
  DELETE_EXPIRED,
  INDEX_UNCHANGED,
  POLLING,
  PUBLISH_CHECKPOINTS,
  queueOf,
  RECORD_SIGN_INS,
  RETIRE_RECORDS,
} from './queues.ts'
import { startSweep } from './sweep.ts'

interface WorkerOptions extends TurnOptions {
  /** Connections for looking over all companies. */
  pool: Pool
  /** Milliseconds between two comparisons of heads with checkpoints. */
  sweepIntervalMs: number
  /** Hours for which answers of idempotency keys are kept. */
  answersKeptHours: number
  /** Days for which the addresses that requests came from are kept. */
  addressesKeptDays: number
  /** Days for which refused records and the names of files are kept; 0: forever. */
  rejectedRecordsKeptDays: number
  projections: readonly Projection[]
  /** Milliseconds after which a job leaves what is unfinished to the next one. Default: 200. */
  turnMs?: number
  /** Tells people and webhooks what begins or stops needing attention. */
  checkAttention(): Promise<void>
  /** Appends sign-ins to the ledger that are not in it yet. */
  recordSignIns(): Promise<void>
  /** Publishes checkpoints to witnesses, until the signal ends it. */
  publishCheckpoints(signal: AbortSignal): Promise<void>
  /** Deletes what else is kept for a limited time. */
  expirations: readonly (() => Promise<unknown>)[]
  /** Called with the number of answers that expired, or of refused records that were retired. */
  onExpired?(count: number): void
  onRetired?(count: number): void
  /** Called with the companies of each job, after it has folded all or some of their events. */
  onDone?(companyIds: string[]): void
}

interface Worker {
  /** Stops taking jobs and waits for those that are running. */
  stop(): Promise<void>
}

const JOBS_AT_ONCE = 100
/**
 * Milliseconds after which a job leaves what is unfinished to the next one. So a company with a long backlog does not
 * hold up those that are announced later.
 */
const TURN_MS = 200

/**
 * Starts folding, with one pg-boss worker per projection and a sweep for events whose job was lost, and the workers of
 * scheduled jobs.
 */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { boss, log, sweepIntervalMs, projections, turnMs = TURN_MS } = options
  const stopping = new AbortController()
  for (const projection of projections) {
    const work = { batchSize: JOBS_AT_ONCE, burstWhenBatchFull: true, ...POLLING }
    /** What the last turn left unfinished, in the order of the next one. */
    let left: string[] = []
    let workerId = ''
    workerId = await boss.work<CompaniesJob>(queueOf(projection), work, async (jobs) => {
      const companies = new Set(jobs.flatMap(({ data }) => data.companies))
      const unfinished = new Set([...left.filter((id) => companies.has(id)), ...companies])
      const signal = AbortSignal.any([stopping.signal, ...jobs.map((job) => job.signal)])
      try {
        await foldInTurns(options, projection, unfinished, { signal, endsAt: performance.now() + turnMs })
      } finally {
        left = [...unfinished]
        options.onDone?.([...companies])
        // Companies that were announced meanwhile get their turn beside these.
        await announceCompanies(boss, queueOf(projection), left)
        // Where it can't listen, it would first pause.
        if (left.length > 0) boss.notifyWorker(workerId)
      }
    })
  }

  const queues = projections.map(queueOf)
  const work = (queue: string, task: () => Promise<void>) => {
    queues.push(queue)
    return boss.work(queue, POLLING, () =>
      trackWork(options.pool, { companyId: null, work: 'jobs', subject: queue }, task),
    )
  }
  await work(DELETE_EXPIRED, () => deleteExpired(options))
  await work(CHECK_ATTENTION, () => options.checkAttention())

  await work(INDEX_UNCHANGED, async () => {
    const count = await addBlocks(openDatabase(options.pool))
    if (count > 0) log.info({ blocks: count }, 'indexed records that changed nothing')
  })

  await work(RECORD_SIGN_INS, () => options.recordSignIns())

  await work(PUBLISH_CHECKPOINTS, () => options.publishCheckpoints(stopping.signal))

  await retryAllParked(options)
  const incomplete = new Set(projections)
  const sweeps = startSweep(
    () => sweepOnce(options, incomplete, stopping.signal),
    sweepIntervalMs,
    (error) => log.warn({ err: error }, 'the sweep failed; retrying at the next interval'),
  )
  await work(RETIRE_RECORDS, async () => {
    const count = await retireRecords(options.pool, options.rejectedRecordsKeptDays)
    options.onRetired?.(count)
    if (count === 0) return
    log.info({ count }, 'retired refused records')
    // The read models have to drop them, too.
    sweeps.sweep()
  })
  return {
    async stop() {
      stopping.abort()
      await Promise.all(queues.map((queue) => boss.offWork(queue, { wait: true })))
      // Last, because a job may have started a sweep.
      await sweeps.stop()
    },
  }
}

/** Deletes what is kept for a limited time. If one part fails, the others are still deleted. */
async function deleteExpired(options: WorkerOptions) {
  const { pool, log, answersKeptHours, addressesKeptDays, expirations, onExpired } = options
  const answers = async () => {
    const count = await expireAnswers(pool, answersKeptHours)
    onExpired?.(count)
    if (count > 0) log.info({ count }, 'expired answers of idempotency keys')
  }
  const outcomes = await Promise.allSettled([
    answers(),
    deleteOldClients(pool, addressesKeptDays),
    forgetTraces(pool),
    ...expirations.map((expire) => expire()),
  ])
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  if (failures.length > 0) throw new AggregateError(failures, 'could not delete everything that has expired')
}

/** A new version may be able to fold what stopped the one before, such as events of types that are new. */
async function retryAllParked({ db, log, projections }: WorkerOptions) {
  for (const projection of projections) {
    const count = await retryParked(db, projection)
    if (count > 0) log.info({ projection: projection.name, count }, 'parked companies are tried once more')
  }
}

/** Removes from `incomplete` the projections whose version is complete, which is for good. */
async function sweepOnce(options: WorkerOptions, incomplete: Set<Projection>, signal: AbortSignal) {
  const { db, boss, log, projections } = options
  for (const projection of projections) {
    const lagging = await findLagging(db, projection)
    try {
      await announceCompanies(boss, queueOf(projection), lagging)
    } catch (error) {
      log.warn({ err: error }, 'could not reach the job queue; folding without it')
      // What fails is in the log, and keeps no other projection waiting.
      const endsAt = performance.now() + options.sweepIntervalMs
      await foldInTurns(options, projection, new Set(lagging), { signal, endsAt }).catch(() => undefined)
      options.onDone?.(lagging)
    }
  }
  for (const projection of incomplete) {
    const outcome = await completeVersion(db, projection)
    if (outcome === 'behind') continue
    incomplete.delete(projection)
    if (outcome === 'completed')
      log.info({ projection: projection.name, version: projection.version }, 'this version of a projection is complete')
  }
}
