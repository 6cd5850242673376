import { NoTurnError } from '#admission/batcher'
import { inCompany } from '#postgres/company-scope'

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

  async #take(run: Run, step: Step): Promise<void> {
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
