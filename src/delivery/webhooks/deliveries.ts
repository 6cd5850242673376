import type { Logger } from 'pino'
import { trackWork } from '../../ledger/background/failing-work.ts'
import { divide } from '../../domain/divide.ts'
import { createAnnouncer } from '../../workers/announce.ts'
import { DELIVER_WEBHOOKS, EXPIRE_DELIVERIES, insertJobs, type PgBoss, POLLING } from '../../workers/queues.ts'
import { startSweep } from '../../workers/sweep.ts'
import { Dispatcher } from './dispatcher.ts'
import { expireDeliveries } from './expire-deliveries.ts'
import type { LeaseServices } from './leased-round.ts'
import { type DueWebhook, listDueWebhooks } from './progress.ts'

interface DeliveriesOptions extends LeaseServices {
  boss: PgBoss
  log: Logger
  /** Milliseconds between two searches for webhooks that no job announced, or whose next attempt is due. */
  sweepIntervalMs: number
  /** How many companies are looked up, and fail, together. Default: any number. */
  companiesTogether?: number
}

/** A job names webhooks that may have undelivered events. It is only a hint; the checkpoint decides. */
interface DeliverJob {
  webhooks: DueWebhook[]
}

interface Deliveries {
  /** Announces companies with new events. Returns at once: the sweep makes up for a lost announcement. */
  announce(companyIds: string[]): void
  stop(): Promise<void>
}

const JOBS_AT_ONCE = 100
const WEBHOOKS_PER_JOB = 100

/** Starts delivering to webhooks: a pg-boss worker, and the sweep for those that are due without a job. */
export async function startDeliveries(options: DeliveriesOptions): Promise<Deliveries> {
  const { boss, pool, log, sweepIntervalMs, companiesTogether = Infinity } = options
  const dispatcher = new Dispatcher(options)
  await boss.work<DeliverJob>(DELIVER_WEBHOOKS, { batchSize: JOBS_AT_ONCE, ...POLLING }, async (jobs) => {
    dispatcher.dispatch(jobs.flatMap(({ data }) => data.webhooks))
  })

  await boss.work(EXPIRE_DELIVERIES, POLLING, () =>
    trackWork(pool, { companyId: null, work: 'jobs', subject: EXPIRE_DELIVERIES }, async () => {
      const count = await expireDeliveries(pool)
      if (count > 0) log.info({ count }, 'deleted old deliveries of webhooks')
    }),
  )

  async function announce(companyIds: string[]): Promise<void> {
    const parts = divide(companyIds, companiesTogether)
    await Promise.all(parts.map(async (together) => send(await listDueWebhooks(pool, together))))
  }

  async function send(due: DueWebhook[]): Promise<void> {
    const jobs = divide(due, WEBHOOKS_PER_JOB).map((webhooks): { data: DeliverJob } => ({ data: { webhooks } }))
    try {
      await insertJobs(boss, DELIVER_WEBHOOKS, jobs)
    } catch (error) {
      log.warn({ err: error }, 'could not reach the job queue; delivering without it')
      dispatcher.dispatch(due)
    }
  }

  const announcer = createAnnouncer(announce, (error) =>
    log.warn({ err: error }, 'could not announce webhooks; the sweep makes up for it'),
  )
  const sweeps = startSweep(
    async () => send(await listDueWebhooks(pool)),
    sweepIntervalMs,
    (error) => log.warn({ err: error }, 'could not look for due webhooks; retrying'),
  )
  return {
    announce: announcer.announce,
    async stop() {
      const queues = [DELIVER_WEBHOOKS, EXPIRE_DELIVERIES]
      await Promise.all([
        ...queues.map((queue) => boss.offWork(queue, { wait: true })),
        announcer.idle(),
        sweeps.stop(),
      ])
      await dispatcher.stop()
    },
  }
}
