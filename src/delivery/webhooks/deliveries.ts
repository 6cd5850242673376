import type { Logger } from 'pino'
import { divide } from '../../domain/divide.ts'
import { createAnnouncer } from '../../workers/announce.ts'
import { startSweep } from '../../workers/sweep.ts'
import { Dispatcher } from './dispatcher.ts'
import type { LeaseServices } from './leased-round.ts'
import { listDueWebhooks } from './progress.ts'

interface DeliveriesOptions extends LeaseServices {
  log: Logger
  /** Milliseconds between two searches for webhooks that nobody announced here, or whose next attempt is due. */
  sweepIntervalMs: number
  /** How many companies are looked up, and fail, together. Default: any number. */
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

  async function announce(companyIds: string[]): Promise<void> {
    const parts = divide(companyIds, companiesTogether)
    await Promise.all(parts.map(async (together) => dispatcher.dispatch(await listDueWebhooks(pool, together))))
  }

  const announcer = createAnnouncer(announce, (error) =>
    log.warn({ err: error }, 'could not announce webhooks; the sweep makes up for it'),
  )
  const sweeps = startSweep(
    async () => dispatcher.dispatch(await listDueWebhooks(pool)),
    sweepIntervalMs,
    (error) => log.warn({ err: error }, 'could not look for due webhooks; retrying'),
  )
  return {
    announce: announcer.announce,
    async stop() {
      await Promise.all([announcer.idle(), sweeps.stop()])
      await dispatcher.stop()
    },
  }
}
