import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { Projection } from '../../projections/projection.ts'
import { forgetTraces } from '../ledger/append/event-traces.ts'
import { expireAnswers } from '../ledger/append/expire-answers.ts'
import type { RecentEvents } from '../ledger/append/recent-events.ts'
import type { LedgerDb } from '../ledger/tables.ts'
import type { OnUnreachable } from '../postgres/cluster/company-connections.ts'
import { findEverywhere, shardTargets } from '../postgres/cluster/company-connections.ts'
import { openDatabase } from '../postgres/kysely.ts'
import { inCompany } from '../postgres/cluster/company-scope.ts'
import { findLagging, recordFailure } from './checkpoints.ts'
import { completeVersion } from './complete-version.ts'
import { COMPANIES_TOGETHER, foldTogether } from './fold-together.ts'
import { foldNext, UnfoldableError } from './project.ts'
import type { PgBoss, ProjectJob } from './queues.ts'
import { deadLetterOf, DELETE_EXPIRED, insertJobs, queueOf, RETIRE_RECORDS } from './queues.ts'

interface WorkerOptions {
  db: LedgerDb
  /** Connections for looking over all companies. */
  pool: Pool
  /** The connections that fold a company, whose statements look rows up by key. */
  foldingDbOf(companyId: string): LedgerDb
  boss: PgBoss
  log: Logger
  /** Milliseconds between two comparisons of heads with checkpoints. */
  sweepIntervalMs: number
  /** Hours for which answers of idempotency keys are kept. */
  answersKeptHours: number
  projections: readonly Projection[]
  /** Events that the API in this process has just committed; undefined if there is no API. */
  recent?: RecentEvents | undefined
  /** Retires refused records that have exceeded their retention. Returns their number. */
  retireRecords(onUnreachable: OnUnreachable): Promise<number>
  /** Deletes the sessions that have ended. */
  expireSessions(onUnreachable: OnUnreachable): Promise<unknown>
  /** Called with the number of answers that expired, or of refused records that were retired. */
  onExpired?(count: number): void
  onRetired?(count: number): void
  /** Called with the companies of each job, after their events were folded. */
  onDone?(companyIds: string[]): void
  /** Called with the duration of each batch, in seconds. */
  onFolded?(projection: string, seconds: number): void
  /** Called for each batch that could not be folded. */
  onUnfoldable?(projection: string): void
  /** Called for each batch that was folded or could not be. Returns the ids of its trace for the log; never throws. */
  traceFold?: TraceFold | undefined
}

/** A batch of events that a projection has folded, or could not fold. */
export interface TracedFold {
  projection: string
  companyId: string
  /** The positions of the batch; `upTo` is null if it could not be folded. */
  after: number
  upTo: number | null
  /** `performance.now()` at the start and the end. */
  beganAt: number
  endedAt: number
  /** The error that stopped it, if any. */
  error: Error | null
}

export type TraceFold = (fold: TracedFold) => Promise<{ trace_id?: string; span_id?: string }>

interface Worker {
  /** Stops taking jobs and waits for those that are running. */
  stop(): Promise<void>
}

const JOBS_AT_ONCE = 100
const POLL_SECONDS = 2
/** The number of companies in one job of the sweep. */
const COMPANIES_PER_JOB = 100

/** Starts folding: one pg-boss worker per projection, and the sweep for events whose job was lost. */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { boss, log, sweepIntervalMs, projections } = options
  const stopping = new AbortController()
  for (const projection of projections) {
    const polling = { pollingIntervalSeconds: POLL_SECONDS, notifyPollingIntervalSeconds: POLL_SECONDS }
    const work = { batchSize: JOBS_AT_ONCE, burstWhenBatchFull: true, ...polling }
    await boss.work<ProjectJob>(queueOf(projection), work, async (jobs) => {
      const companies = new Set(jobs.flatMap(({ data }) => data.companies))
      const signal = AbortSignal.any([stopping.signal, ...jobs.map((job) => job.signal)])
      await foldInTurns(options, projection, new Set(companies), signal)
      options.onDone?.([...companies])
    })
  }

  await boss.work(DELETE_EXPIRED, () => deleteExpired(options))

  let sweeping: Promise<void> | undefined
  const sweep = () => {
    sweeping ??= sweepOnce(options, stopping.signal)
      .catch((error: unknown) => log.warn({ err: error }, 'the sweep failed; retrying at the next interval'))
      .finally(() => (sweeping = undefined))
  }
  sweep()
  await boss.work(RETIRE_RECORDS, async () => {
    const count = await options.retireRecords(leaveOut(log, 'could not retire refused records on a machine'))
    options.onRetired?.(count)
    if (count === 0) return
    log.info({ count }, 'retired refused records')
    // The read models have to drop them, too.
    sweep()
  })
  const timer = setInterval(sweep, sweepIntervalMs)
  return {
    async stop() {
      clearInterval(timer)
      stopping.abort()
      const queues = [...projections.map(queueOf), DELETE_EXPIRED, RETIRE_RECORDS]
      await Promise.all(queues.map((queue) => boss.offWork(queue, { wait: true })))
      // A job may have started a sweep.
      await sweeping
    },
  }
}

/** Deletes what is kept for a limited time. If one part fails, the others are still deleted. */
async function deleteExpired({ pool, log, answersKeptHours, expireSessions, onExpired }: WorkerOptions): Promise<void> {
  const answers = async () => {
    const count = await expireAnswers(pool, answersKeptHours, leaveOut(log, 'could not expire answers on a machine'))
    onExpired?.(count)
    if (count > 0) log.info({ count }, 'expired answers of idempotency keys')
  }
  const outcomes = await Promise.allSettled([
    answers(),
    forgetTraces(pool, leaveOut(log, 'could not delete old traces on a machine')),
    expireSessions(leaveOut(log, 'could not delete ended sessions on a machine')),
  ])
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  if (failures.length > 0) throw new AggregateError(failures, 'could not delete everything that has expired')
}

/**
 * Folds new events of these companies, round by round, so that a small company does not wait for a large one: first
 * several companies together, then one batch of each that has to be folded alone. A transient failure fails the job
 * after all other companies are done; pg-boss then retries it, and so does the sweep, which also continues after the
 * signal: at a stop, or when the job has expired.
 */
async function foldInTurns(
  options: WorkerOptions,
  projection: Projection,
  companies: Set<string>,
  signal: AbortSignal,
): Promise<void> {
  let [failure, failures]: [unknown, number] = [undefined, 0]
  while (companies.size > 0 && !signal.aborted) {
    for (const [foldingDb, some] of shareTransactions(options, companies)) {
      if (signal.aborted) break
      let ends = new Map<string, boolean>()
      try {
        if (some.length > 1) ends = await foldSome(options, projection, foldingDb, some)
      } catch (error) {
        failure = error
        failures += some.length
        for (const companyId of some) companies.delete(companyId)
        continue
      }
      for (const companyId of some) {
        const fold = () => foldOne(options, projection, foldingDb, companyId)
        try {
          if (ends.get(companyId) ?? (await inCompany(companyId, fold))) companies.delete(companyId)
        } catch (error) {
          failure = error
          failures += 1
          companies.delete(companyId)
        }
      }
    }
  }
  if (failures === 0) return
  options.log.warn({ projection: projection.name, companies: failures, err: failure }, 'could not fold; retrying')
  throw failure
}

/** The companies that are folded at once, with their connections. */
function* shareTransactions(options: WorkerOptions, companies: Set<string>): Generator<[LedgerDb, string[]]> {
  for (const [db, all] of Map.groupBy(companies, (companyId) => options.foldingDbOf(companyId))) {
    for (let at = 0; at < all.length; at += COMPANIES_TOGETHER) yield [db, all.slice(at, at + COMPANIES_TOGETHER)]
  }
}

/** Folds several companies at once. Returns, for those that were folded, whether they are done. */
async function foldSome(
  options: WorkerOptions,
  projection: Projection,
  foldingDb: LedgerDb,
  companyIds: string[],
): Promise<Map<string, boolean>> {
  const beganAt = performance.now()
  const folded = await foldTogether(foldingDb, projection, companyIds, options.recent)
  const endedAt = performance.now()
  options.onFolded?.(projection.name, (endedAt - beganAt) / 1_000)
  for (const { companyId, after, upTo } of folded) {
    if (upTo > after)
      await options.traceFold?.({ projection: projection.name, companyId, after, upTo, beganAt, endedAt, error: null })
  }
  return new Map(folded.map(({ companyId, isEnd }) => [companyId, isEnd]))
}

/**
 * Folds a batch of one company. Returns whether the company is done. One that cannot be folded is retried later, alone,
 * or parked.
 */
async function foldOne(
  options: WorkerOptions,
  projection: Projection,
  foldingDb: LedgerDb,
  companyId: string,
): Promise<boolean> {
  const { db, boss, log } = options
  const beganAt = performance.now()
  const batch = { projection: projection.name, companyId, beganAt }
  try {
    const { after, position, isDone } = await foldNext(foldingDb, projection, companyId, { recent: options.recent })
    const endedAt = performance.now()
    options.onFolded?.(projection.name, (endedAt - beganAt) / 1_000)
    if (position > after) await options.traceFold?.({ ...batch, after, upTo: position, endedAt, error: null })
    return isDone
  } catch (error) {
    if (!(error instanceof UnfoldableError) || !error.checkpoint) throw error
    options.onUnfoldable?.(projection.name)
    const standing = await recordFailure(db, projection, companyId, error.checkpoint, error.message)
    // Another worker has counted this failure or has moved on.
    if (!standing) return true
    const failed = { ...batch, after: error.checkpoint.position, upTo: null, endedAt: performance.now(), error }
    const traceIds = await options.traceFold?.(failed)
    const facts = { projection: projection.name, companyId, attempts: standing.attempts, err: error, ...traceIds }
    const job = { companies: [companyId] }
    if (standing.isParked) {
      log.error(facts, 'parked a company for a projection: its events cannot be folded')
      await boss.send(deadLetterOf(projection), job)
    } else {
      log.warn(facts, 'could not fold events; retrying')
      await boss.send(queueOf(projection), job, { startAfter: Math.ceil(standing.retryInSeconds) })
    }
    return true
  }
}

/** Says in the log which machine is left out. */
function leaveOut(log: Logger, message: string): OnUnreachable {
  return (machine, error) => log.warn({ err: error, machine }, message)
}

async function sweepOnce(options: WorkerOptions, signal: AbortSignal): Promise<void> {
  const { db, boss, log, projections } = options
  for (const projection of projections) {
    const lagging = await findEverywhere(
      shardTargets(options.pool),
      ({ pool }) => findLagging(openDatabase(pool), projection),
      leaveOut(log, 'could not look for lagging companies on a machine'),
    )
    const jobs: { data: ProjectJob }[] = []
    for (let at = 0; at < lagging.length; at += COMPANIES_PER_JOB) {
      jobs.push({ data: { companies: lagging.slice(at, at + COMPANIES_PER_JOB) } })
    }
    if (jobs.length > 0) {
      try {
        await insertJobs(boss, queueOf(projection), jobs)
      } catch (error) {
        log.warn({ err: error }, 'could not reach the job queue; folding without it')
        // What fails is in the log, and keeps no other projection waiting.
        await foldInTurns(options, projection, new Set(lagging), signal).catch(() => undefined)
        options.onDone?.(lagging)
      }
    }
  }
  // Last, because the versions are on one machine, which may not answer.
  for (const projection of projections) {
    if (await completeVersion(db, projection))
      log.info({ projection: projection.name, version: projection.version }, 'this version of a projection is complete')
  }
}
