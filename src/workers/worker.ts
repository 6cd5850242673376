import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { PROJECTIONS } from '../../projections/index.ts'
import type { Projection } from '../../projections/projection.ts'
import { expireAnswers } from '../ledger/expire-answers.ts'
import type { LedgerTables } from '../ledger/tables.ts'
import { findLagging, recordFailure } from './checkpoints.ts'
import { catchUp, UnfoldableError } from './project.ts'
import type { PgBoss, ProjectJob } from './queues.ts'
import { deadLetterOf, EXPIRE_ANSWERS, queueOf } from './queues.ts'

export interface WorkerOptions {
  db: Kysely<LedgerTables>
  boss: PgBoss
  log: Logger
  /** How often heads are compared with checkpoints, in milliseconds. */
  sweepIntervalMs: number
  /** How long the answers of idempotency keys are kept, in hours. */
  answersKeptHours: number
}

export interface Worker {
  /** Stops taking jobs and waits for those under way. */
  stop(): Promise<void>
}

const JOBS_AT_ONCE = 100
const POLL_SECONDS = 2
/** Companies in one job of the sweep. */
const COMPANIES_PER_JOB = 100

/** Starts folding: one pg-boss worker for each projection, and the sweep for what a crash forgot. */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { boss, log, sweepIntervalMs } = options
  for (const projection of PROJECTIONS) {
    const polling = { pollingIntervalSeconds: POLL_SECONDS, notifyPollingIntervalSeconds: POLL_SECONDS }
    const work = { batchSize: JOBS_AT_ONCE, burstWhenBatchFull: true, ...polling }
    await boss.work<ProjectJob>(queueOf(projection), work, async (jobs) => {
      const companies = new Set(jobs.flatMap(({ data }) => data.companies))
      for (const companyId of companies) await fold(options, projection, companyId)
    })
  }

  await boss.work(EXPIRE_ANSWERS, async () => {
    const count = await expireAnswers(options.db, options.answersKeptHours)
    if (count > 0) log.info({ count }, 'answers of idempotency keys have expired')
  })

  let sweeping: Promise<void> | undefined
  const sweep = () => {
    sweeping ??= sweepOnce(options)
      .catch((error: unknown) => log.warn({ err: error }, 'the sweep failed; the next one follows'))
      .finally(() => (sweeping = undefined))
  }
  sweep()
  const timer = setInterval(sweep, sweepIntervalMs)
  return {
    async stop() {
      clearInterval(timer)
      await sweeping
      const queues = [...PROJECTIONS.map(queueOf), EXPIRE_ANSWERS]
      await Promise.all(queues.map((queue) => boss.offWork(queue, { wait: true })))
    },
  }
}

/** A company that fails must not hold up the others of its job: it gets a job of its own, later, or is parked. */
async function fold({ db, boss, log }: WorkerOptions, projection: Projection, companyId: string): Promise<void> {
  try {
    await catchUp(db, projection, companyId)
  } catch (error) {
    if (!(error instanceof UnfoldableError)) throw error
    const standing = await recordFailure(db, projection, companyId, error.message)
    const facts = { projection: projection.name, companyId, attempts: standing.attempts, err: error }
    const job = { companies: [companyId] }
    if (standing.isParked) {
      log.error(facts, 'a company is parked for a projection: its events cannot be folded')
      await boss.send(deadLetterOf(projection), job)
    } else {
      log.warn(facts, 'events could not be folded; they are tried again')
      await boss.send(queueOf(projection), job, { startAfter: Math.ceil(standing.retryInSeconds) })
    }
  }
}

async function sweepOnce({ db, boss }: WorkerOptions): Promise<void> {
  for (const projection of PROJECTIONS) {
    const lagging = await findLagging(db, projection)
    const jobs: { data: ProjectJob }[] = []
    for (let at = 0; at < lagging.length; at += COMPANIES_PER_JOB) {
      jobs.push({ data: { companies: lagging.slice(at, at + COMPANIES_PER_JOB) } })
    }
    if (jobs.length > 0) await boss.insert(queueOf(projection), jobs)
  }
}
