import type { Pool } from 'pg'
import { addBlocks } from '#projections/bulk-user-logs/unchanged-index'
import type { Projection } from '#projections/projection'
import { trackWork } from '#ledger/background/failing-work'
import { openDatabase } from '#postgres/kysely'
import { announceCompanies, type CompaniesJob } from './announce.ts'
import { findLagging, retryParked } from './checkpoints.ts'
import { completeVersion } from './copies.ts'
import { foldInTurns, type TurnOptions } from './fold-in-turns.ts'
import { retireRecords } from './retire-records.ts'
import { INDEX_UNCHANGED, POLLING, queueOf, RETIRE_RECORDS } from './queues.ts'
import { startSweep } from './sweep.ts'

interface WorkerOptions extends TurnOptions {
  /** Connections for looking over all companies. */
  pool: Pool
  /** Milliseconds between two comparisons of heads with checkpoints. */
  sweepIntervalMs: number
  /** Days for which refused records and the names of files are kept; 0: forever. */
  rejectedRecordsKeptDays: number
  projections: readonly Projection[]
  /** Milliseconds after which a job leaves what is unfinished to the next one. Default: 200. */
  turnMs?: number
  /** What the other scheduled jobs do, by their queues, until the signal ends them. */
  scheduled: Readonly<Record<string, (signal: AbortSignal) => Promise<void>>>
  /** Called with the number of refused records that were retired. */
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
  for (const [queue, task] of Object.entries(options.scheduled)) await work(queue, () => task(stopping.signal))

  await work(INDEX_UNCHANGED, async () => {
    const count = await addBlocks(openDatabase(options.pool))
    if (count > 0) log.info({ blocks: count }, 'indexed records that changed nothing')
  })

  await retryAllParked(options)
  const incomplete = new Set(projections)
  const sweeps = startSweep(
    () => sweepOnce(options, incomplete, stopping.signal),
    sweepIntervalMs,
    log,
    'the sweep failed; retrying at the next interval',
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
