import { createBudget } from '../../admission/budget.ts'
import { findEverywhere, shardTargets } from '../../postgres/cluster/company-connections.ts'
import type { PgBoss } from '../../workers/queues.ts'
import { insertJobs, SEND_EMAILS } from '../../workers/queues.ts'
import { endOverdueEmails } from '../../accounts/mail/outbox.ts'
import type { MailJob } from './announce.ts'
import { makeMailJobs } from './announce.ts'
import { Runs } from '../runs.ts'
import { listCompaniesWithMail } from './claims.ts'
import type { SendingServices } from './send-next.ts'
import { sendNextEmail } from './send-next.ts'

interface SendingOptions extends SendingServices {
  boss: PgBoss
  /** Milliseconds between two searches for messages that no job announced, or whose next attempt is due. */
  sweepIntervalMs: number
}

interface Sending {
  /** Stops: lets messages that are under way finish for some milliseconds, then closes their connections. */
  stop(finishMs?: number): Promise<void>
}

const JOBS_AT_ONCE = 100
const POLL_SECONDS = 2
/** Messages at once, each of another company. */
const AT_ONCE = 8
/** Companies that may wait for their turn; the sweep finds the others again. */
const WAITING = 4_000
const LONGEST_WAIT_MS = 60_000

/**
 * Starts sending messages: a pg-boss worker, and the sweep for those that are due without a job. Companies take turns, one
 * message each.
 */
export async function startSending(options: SendingOptions): Promise<Sending> {
  const { boss, pool, log, sweepIntervalMs } = options
  const slots = createBudget({ total: AT_ONCE, share: 1, maxWaiting: WAITING, maxWaitMs: LONGEST_WAIT_MS })
  const runs = new Runs((error, { companyId }) => log.warn({ companyId, err: error }, 'could not send messages'))

  function dispatch(companyIds: string[]): void {
    for (const companyId of companyIds) {
      runs.wake(
        companyId,
        companyId,
        () =>
          ({ stopping, cutOff }) =>
            slots.hold(companyId, 1, undefined, async () =>
              stopping.aborted ? false : sendNextEmail(options, companyId, cutOff),
            ),
      )
    }
  }

  const polling = { pollingIntervalSeconds: POLL_SECONDS, notifyPollingIntervalSeconds: POLL_SECONDS }
  await boss.work<MailJob>(SEND_EMAILS, { batchSize: JOBS_AT_ONCE, ...polling }, async (jobs) => {
    dispatch([...new Set(jobs.flatMap(({ data }) => data.companies))])
  })

  async function sweepOnce(): Promise<void> {
    const leaveOut = (machine: string, error: unknown) =>
      log.warn({ err: error, machine }, 'could not look for messages on a machine')
    await endOverdueEmails(pool, leaveOut)
    const due = await findEverywhere(shardTargets(pool), (place) => listCompaniesWithMail(place.pool), leaveOut)
    try {
      await insertJobs(boss, SEND_EMAILS, makeMailJobs(due))
    } catch (error) {
      log.warn({ err: error }, 'could not reach the job queue; sending without it')
      dispatch(due)
    }
  }

  let sweeping: Promise<void> | undefined
  const sweep = () => {
    sweeping ??= sweepOnce()
      .catch((error: unknown) => log.warn({ err: error }, 'could not look for messages; retrying'))
      .finally(() => (sweeping = undefined))
  }
  sweep()
  const timer = setInterval(sweep, sweepIntervalMs)
  return {
    async stop(finishMs) {
      clearInterval(timer)
      const stopped = runs.stop(finishMs)
      await Promise.all([boss.offWork(SEND_EMAILS, { wait: true }), sweeping])
      await stopped
    },
  }
}
