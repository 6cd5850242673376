import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { createBudget } from '#admission/budget'
import type { CompaniesJob } from './announce.ts'
import { POLLING, type PgBoss } from './queues.ts'
import { startSweep } from './sweep.ts'
import { NoTurnError } from '#admission/batcher'
import { inCompany } from '#postgres/company-scope'

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

  function dispatch(companyIds: string[]) {
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
    log,
    `could not look for companies to ${what}; retrying`,
  )
  return {
    async stop() {
      await Promise.all([runs.stop(), boss.offWork(queue, { wait: true }), sweeps.stop()])
    },
  }
}

/** Aborted when the process stops: `stopping` at once, `cutOff` when what is under way has had time to finish. */
export interface StopSignals {
  stopping: AbortSignal
  cutOff: AbortSignal
}

/** Sends the next part of what is due. Returns whether more may be due. */
type Step = (signals: StopSignals) => Promise<boolean>

type OnError = (error: unknown, run: { name: string; companyId: string }) => void

interface Run {
  /** Whether it was woken during its step, which may have looked too early. */
  isWokenAgain: boolean
  done: Promise<void>
}

const FINISHING_MS = 5_000

/**
 * Runs of this process, one at most under each name:
 *
 *     running   takes one step after the other, until nothing more is due
 *     woken     was woken during a step, so it takes another one
 *     ended     forgotten; the next wake starts a new run
 */
export class Runs {
  readonly #runs = new Map<string, Run>()
  readonly #stopping = new AbortController()
  readonly #cutOff = new AbortController()
  readonly #onError: OnError

  /** `onError` is called when a run ends with an error other than a turn that did not come in time. */
  constructor(onError: OnError) {
    this.#onError = onError
  }

  /** Starts a run of a company, or lets the one of this name take another step. */
  wake(name: string, companyId: string, createStep: () => Step): void {
    if (this.#stopping.signal.aborted) return
    const running = this.#runs.get(name)
    if (running) {
      running.isWokenAgain = true
      return
    }
    const run: Run = { isWokenAgain: false, done: Promise.resolve() }
    this.#runs.set(name, run)
    run.done = inCompany(companyId, () => this.#take(run, createStep()))
      .catch((error: unknown) => {
        // A sweep finds it again if its turn did not come in time.
        if (!(error instanceof NoTurnError)) this.#onError(error, { name, companyId })
      })
      .finally(() => this.#runs.delete(name))
  }

  async #take(run: Run, step: Step) {
    const signals = { stopping: this.#stopping.signal, cutOff: this.#cutOff.signal }
    let isDue = true
    while (isDue && !signals.stopping.aborted) {
      run.isWokenAgain = false
      isDue = (await step(signals)) || run.isWokenAgain
    }
  }

  /** Stops: lets steps that are under way finish for some milliseconds, then cuts them off. */
  async stop(finishMs = FINISHING_MS): Promise<void> {
    this.#stopping.abort()
    const timer = setTimeout(() => this.#cutOff.abort(), finishMs)
    await Promise.all([...this.#runs.values()].map(({ done }) => done))
    clearTimeout(timer)
  }
}
