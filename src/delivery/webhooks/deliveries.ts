import type { Logger } from 'pino'
import { createAnnouncer, type Announcer } from '#workers/announce'
import { startSweep } from '#workers/sweep'
import { inCompany } from '#postgres/company-scope'
import { Dispatcher } from './dispatcher.ts'
import type { LeaseServices } from './leased-round.ts'
import { listDueWebhooks } from './progress.ts'
import { sql } from 'kysely'
import type { Pool } from 'pg'
import { deleteInPieces } from '#postgres/delete-in-pieces'

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
  function announceAlone(companyId: string): void {
    const own =
      announcers.get(companyId) ?? createAnnouncer(() => inCompany(companyId, () => look([companyId])), onError)
    announcers.set(companyId, own)
    own.announce([companyId])
    void own.idle().then(() => announcers.delete(companyId))
  }
  const sweeps = startSweep(
    async () => dispatcher.dispatch(await listDueWebhooks(pool)),
    sweepIntervalMs,
    (error) => log.warn({ err: error }, 'could not look for due webhooks; retrying'),
  )
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
