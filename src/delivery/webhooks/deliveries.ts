import type { Logger } from 'pino'
import { createAnnouncer, type Announcer } from '#workers/announce'
import { startSweep } from '#workers/sweep'
import { inCompany } from '#postgres/company-scope'
import { type LeaseServices, runLeasedRound } from './deliver-round.ts'
import { listDueWebhooks, releaseWebhook, type DueWebhook, type Pace } from './progress.ts'
import { sql } from 'kysely'
import type { Pool } from 'pg'
import { deleteInPieces } from '#postgres/delete-in-pieces'
import { randomUUID } from 'node:crypto'
import { createBudget, type Budget } from '#admission/budget'
import { Runs, type StopSignals } from '#workers/company-turns'

interface DeliveriesOptions extends LeaseServices {
  log: Logger
  /** Milliseconds between two searches for webhooks that nobody announced here, or whose next attempt is due. */
  sweepIntervalMs: number
  /** How many companies are looked up, and fail, together: one, or any number, which is the default. */
  companiesTogether?: number
}

interface Deliveries {
  /** Delivers to companies whose events were folded here. Returns at once: the sweep makes up for a failure. */
  announce(companyIds: string[]): void
  stop(): Promise<void>
}

/**
 * Starts delivering to webhooks: after each fold of this process, and by a sweep for all that are due. A lease in the
 * database keeps processes from delivering to the same webhook.
 */
export function startDeliveries(options: DeliveriesOptions): Deliveries {
  const { pool, log, sweepIntervalMs, companiesTogether = Infinity } = options
  const dispatcher = new Dispatcher(options)

  const look = async (companyIds: string[]) => dispatcher.dispatch(await listDueWebhooks(pool, companyIds))

  const onError = (error: unknown) => log.warn({ err: error }, 'could not announce webhooks; the sweep makes up for it')
  const announcer = createAnnouncer(look, onError)
  /** One for each company that is looked up now, where a machine that hangs must delay its own companies alone. */
  const announcers = new Map<string, Announcer>()
  function announceAlone(companyId: string) {
    const own =
      announcers.get(companyId) ?? createAnnouncer(() => inCompany(companyId, () => look([companyId])), onError)
    announcers.set(companyId, own)
    own.announce([companyId])
    void own.idle().then(() => announcers.delete(companyId))
  }
  const sweep = async () => dispatcher.dispatch(await listDueWebhooks(pool))
  const sweeps = startSweep(sweep, sweepIntervalMs, log, 'could not look for due webhooks; retrying')
  return {
    announce(companyIds) {
      if (companiesTogether > 1) announcer.announce(companyIds)
      else for (const companyId of companyIds) announceAlone(companyId)
    },
    async stop() {
      await Promise.all([announcer.idle(), ...[...announcers.values()].map((own) => own.idle()), sweeps.stop()])
      await dispatcher.stop()
    },
  }
}

/** How long deliveries are kept. */
const DELIVERIES_KEPT_DAYS = 30

/**
 * Deletes deliveries that are older than DELIVERIES_KEPT_DAYS, by the database's clock. Returns how many. Several
 * processes may do so at once.
 */
export function expireDeliveries(pool: Pool): Promise<number> {
  const isOld = sql`sent_at < statement_timestamp() - make_interval(days => ${DELIVERIES_KEPT_DAYS})`
  return deleteInPieces(pool, 'webhook_deliveries', ['company_id', 'webhook_id', 'delivery_id'], isOld, 'sent_at')
}

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
