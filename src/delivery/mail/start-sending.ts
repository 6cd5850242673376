import { NoTurnError } from '../../admission/batcher.ts'
import { createBudget } from '../../admission/budget.ts'
import { findEverywhere, shardTargets } from '../../postgres/cluster/company-connections.ts'
import { inCompany } from '../../postgres/cluster/company-scope.ts'
import type { PgBoss } from '../../workers/queues.ts'
import { insertJobs, SEND_EMAILS } from '../../workers/queues.ts'
import { endOverdueEmails } from '../../accounts/mail/outbox.ts'
import type { MailJob } from './announce.ts'
import { makeMailJobs } from './announce.ts'
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
const FINISHING_MS = 5_000

/**
 * Starts sending messages: a pg-boss worker, and the sweep for those that are due without a job. Companies take turns, one
 * message each.
 */
export async function startSending(options: SendingOptions): Promise<Sending> {
  const { boss, pool, log, sweepIntervalMs } = options
  const slots = createBudget({ total: AT_ONCE, share: 1, maxWaiting: WAITING, maxWaitMs: LONGEST_WAIT_MS })
  const running = new Map<string, { isWokenAgain: boolean; done: Promise<void> }>()
  const stopping = new AbortController()
  const cutOff = new AbortController()

  function dispatch(companyIds: string[]): void {
    if (stopping.signal.aborted) return
    for (const companyId of companyIds) {
      const known = running.get(companyId)
      if (known) {
        known.isWokenAgain = true
        continue
      }
      const entry = { isWokenAgain: false, done: Promise.resolve() }
      running.set(companyId, entry)
      entry.done = inCompany(companyId, () => sendAll(companyId, entry))
        .catch((error: unknown) => {
          // Its turn did not come in time: the sweep finds it again.
          if (!(error instanceof NoTurnError)) log.warn({ companyId, err: error }, 'could not send messages')
        })
        .finally(() => running.delete(companyId))
    }
  }

  async function sendAll(companyId: string, entry: { isWokenAgain: boolean }): Promise<void> {
    let hasMore = true
    while (hasMore && !stopping.signal.aborted) {
      entry.isWokenAgain = false
      const hasSent = await slots.hold(companyId, 1, undefined, async () =>
        stopping.signal.aborted ? false : sendNextEmail(options, companyId, cutOff.signal),
      )
      hasMore = hasSent || entry.isWokenAgain
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
    async stop(finishMs = FINISHING_MS) {
      stopping.abort()
      clearInterval(timer)
      await Promise.all([boss.offWork(SEND_EMAILS, { wait: true }), sweeping])
      const cutting = setTimeout(() => cutOff.abort(), finishMs)
      await Promise.all([...running.values()].map(({ done }) => done))
      clearTimeout(cutting)
    },
  }
}
