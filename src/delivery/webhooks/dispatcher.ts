import { randomUUID } from 'node:crypto'
import { createBudget, type Budget } from '#admission/budget'
import { Runs, type StopSignals } from '#workers/runs'
import { runLeasedRound, type LeaseServices } from './leased-round.ts'
import { releaseWebhook, type DueWebhook, type Pace } from './progress.ts'

/** Rounds at once, of all companies; one company may have a quarter of them. */
const ROUNDS: Record<Pace, number> = { prompt: 32, slow: 32, failing: 64 }
const WAITING = 4_000
const MAX_WAIT_MS = 60_000

const createSlots = (total: number) => createBudget({ total, maxWaiting: WAITING, maxWaitMs: MAX_WAIT_MS })

/**
 * Delivers to many webhooks at once, each in a run of its own. A step waits for a free slot, and then delivers a round of
 * messages under a lease in the database. Receivers that failed in their last round have slots of their own, so they
 * delay only each other. So have those that were slow, and new ones until they have answered promptly. Companies take
 * turns.
 */
export class Dispatcher {
  readonly #services: LeaseServices
  readonly #slots: Record<Pace, Budget> = {
    prompt: createSlots(ROUNDS.prompt),
    slow: createSlots(ROUNDS.slow),
    failing: createSlots(ROUNDS.failing),
  }
  readonly #runs: Runs

  constructor(services: LeaseServices) {
    this.#services = services
    this.#runs = new Runs((error, { name: webhookId, companyId }) =>
      services.log.warn({ webhookId, companyId, err: error }, 'could not deliver'),
    )
  }

  /** Delivers to these webhooks when it is their turn. Returns at once. */
  dispatch(webhooks: DueWebhook[]): void {
    for (const webhook of webhooks) {
      this.#runs.wake(webhook.webhookId, webhook.companyId, () => {
        const leaseId = randomUUID()
        let { pace } = webhook
        return async (signals) => {
          const round = await this.#deliverRound(webhook, leaseId, pace, signals)
          if (round.end === 'lost') return false
          pace = round.pace
          if (round.end === 'more' && !signals.stopping.aborted) return true
          return releaseWebhook(this.#services.pool, webhook, leaseId)
        }
      })
    }
  }

  #deliverRound(webhook: DueWebhook, leaseId: string, pace: Pace, signals: StopSignals) {
    return this.#slots[pace].hold(webhook.companyId, 1, undefined, () =>
      runLeasedRound(this.#services, webhook, leaseId, signals),
    )
  }

  /** Stops: lets messages that are under way finish for some milliseconds, then cuts them off. */
  stop(finishMs?: number): Promise<void> {
    return this.#runs.stop(finishMs)
  }
}
