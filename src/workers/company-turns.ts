import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { createBudget } from '#admission/budget'
import type { CompaniesJob } from './announce.ts'
import { POLLING, type PgBoss } from './queues.ts'
import { Runs, type StopSignals } from './runs.ts'
import { startSweep } from './sweep.ts'

interface TurnsOptions {
  boss: PgBoss
  pool: Pool
  log: Logger
  /** The queue whose jobs announce companies. */
  queue: string
  /** What is done in turns, for the log: 'send messages'. */
  what: string
  /** The companies that have their turn at once, one turn each. */
  atOnce: number
  /** Milliseconds between two searches for companies that no job announced, or that are due again. */
  sweepIntervalMs: number
  /** Lists companies that have something to do now. */
  listDue(pool: Pool): Promise<string[]>
  /** Does the next thing for a company. Returns false if there is none. */
  takeTurn(companyId: string, signals: StopSignals): Promise<boolean>
}

export interface CompanyTurns {
  /** Stops: lets turns that are under way finish for some seconds, then aborts them. */
  stop(): Promise<void>
}

const JOBS_AT_ONCE = 100
/** Companies that may wait for their turn; the sweep finds the others again. */
const WAITING = 4_000
const MAX_WAIT_MS = 60_000

/** Works for companies in turns, one thing each: a pg-boss worker, and the sweep for those that are due without a job. */
export async function startTurns(options: TurnsOptions): Promise<CompanyTurns> {
  const { boss, pool, log, queue, what, atOnce, sweepIntervalMs } = options
  const slots = createBudget({ total: atOnce, share: 1, maxWaiting: WAITING, maxWaitMs: MAX_WAIT_MS })
  const runs = new Runs((error, { companyId }) => log.warn({ companyId, err: error }, `could not ${what}`))

  function dispatch(companyIds: string[]): void {
    for (const companyId of companyIds) {
      runs.wake(
        companyId,
        companyId,
        () => (signals) =>
          slots.hold(companyId, 1, undefined, async () =>
            signals.stopping.aborted ? false : options.takeTurn(companyId, signals),
          ),
      )
    }
  }

  await boss.work<CompaniesJob>(queue, { batchSize: JOBS_AT_ONCE, ...POLLING }, async (jobs) => {
    dispatch([...new Set(jobs.flatMap(({ data }) => data.companies))])
  })

  const sweeps = startSweep(
    async () => dispatch(await options.listDue(pool)),
    sweepIntervalMs,
    (error) => log.warn({ err: error }, `could not look for companies to ${what}; retrying`),
  )
  return {
    async stop() {
      await Promise.all([runs.stop(), boss.offWork(queue, { wait: true }), sweeps.stop()])
    },
  }
}
