import { randomUUID } from 'node:crypto'
import { NoTurnError } from '../../admission/batcher.ts'
import type { Budget } from '../../admission/budget.ts'
import { createBudget } from '../../admission/budget.ts'
import { inCompany } from '../../postgres/cluster/company-scope.ts'
import type { LeaseServices } from './leased-round.ts'
import { runLeasedRound } from './leased-round.ts'
import type { DueWebhook, Pace } from './progress.ts'
import { releaseWebhook } from './progress.ts'

export interface Dispatcher {
  /** Delivers to these webhooks when it is their turn. Returns at once. */
  dispatch(webhooks: DueWebhook[]): void
  /** Stops: lets messages that are under way finish for some milliseconds, then cuts them off. */
  stop(finishMs?: number): Promise<void>
}

/** Rounds at once, of all companies; one company may have a quarter of them. */
const ROUNDS: Record<Pace, number> = { prompt: 32, slow: 32, failing: 64 }
const WAITING = 4_000
const LONGEST_WAIT_MS = 60_000
const FINISHING_MS = 5_000

/**
 * A webhook that was announced, until nothing is left to send:
 *
 *     waiting     for a free slot of its pace
 *     delivering  a round of messages, under a lease in the database. Then: waiting again, if more is due; released, if
 *                 not, or if another process has the lease
 *     released    forgotten, unless it was announced in the meantime: then waiting again
 */
interface Run {
  /** Whether the webhook was announced during its round. */
  isWokenAgain: boolean
  done: Promise<void>
}

/**
 * Delivers to many webhooks at once. Receivers that failed in their last round have slots of their own, so they delay
 * only each other. So have those that were slow, and new ones until they have answered promptly. Companies take turns.
 */
export function createDispatcher(options: LeaseServices): Dispatcher {
  const { pool, log } = options
  const createSlots = (total: number) => createBudget({ total, maxWaiting: WAITING, maxWaitMs: LONGEST_WAIT_MS })
  const slots: Record<Pace, Budget> = {
    prompt: createSlots(ROUNDS.prompt),
    slow: createSlots(ROUNDS.slow),
    failing: createSlots(ROUNDS.failing),
  }
  const running = new Map<string, Run>()
  const stopping = new AbortController()
  const cutOff = new AbortController()

  function start(webhook: DueWebhook): void {
    const run = running.get(webhook.webhookId)
    if (run) {
      run.isWokenAgain = true
      return
    }
    const entry: Run = { isWokenAgain: false, done: Promise.resolve() }
    running.set(webhook.webhookId, entry)
    entry.done = inCompany(webhook.companyId, () => deliverAll(webhook, entry))
      .catch((error: unknown) => {
        // Its turn did not come in time: the sweep finds it again.
        if (error instanceof NoTurnError) return
        log.warn({ webhookId: webhook.webhookId, companyId: webhook.companyId, err: error }, 'could not deliver')
      })
      .finally(() => running.delete(webhook.webhookId))
  }

  async function deliverAll(webhook: DueWebhook, entry: Run): Promise<void> {
    const leaseId = randomUUID()
    let { pace } = webhook
    const takeRound = () =>
      runLeasedRound(options, webhook, leaseId, { stopping: stopping.signal, cutOff: cutOff.signal })
    while (!stopping.signal.aborted) {
      entry.isWokenAgain = false
      const round = await slots[pace].hold(webhook.companyId, 1, undefined, takeRound)
      if (round.end !== 'lost') pace = round.pace
      if (round.end === 'more') continue
      const isDue = round.end !== 'lost' && (await releaseWebhook(pool, webhook, leaseId))
      if (!isDue && !entry.isWokenAgain) return
    }
    await releaseWebhook(pool, webhook, leaseId)
  }

  return {
    dispatch(webhooks) {
      if (!stopping.signal.aborted) for (const webhook of webhooks) start(webhook)
    },
    async stop(finishMs = FINISHING_MS) {
      stopping.abort()
      const timer = setTimeout(() => cutOff.abort(), finishMs)
      await Promise.all([...running.values()].map(({ done }) => done))
      clearTimeout(timer)
    },
  }
}
