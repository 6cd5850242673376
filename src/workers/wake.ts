import { PROJECTIONS } from '../../projections/index.ts'
import { makeCompaniesJobs } from './announce.ts'
import { queueOf, type PgBoss } from './queues.ts'

/**
 * Milliseconds for which newly committed companies are batched into a job. A job is expensive compared with folding an
 * event, so batching pays off under load; after a pause, a job is sent at once.
 */
const GATHER_MS = 50

export interface Waker {
  /**
   * Announces new events of companies. Returns at once: a lost wake-up only costs time, because the sweep makes up for
   * it.
   */
  wake(companyIds: string[]): void
  /** Sends the current batch and waits for it. */
  flush(): Promise<void>
}

/** Wakes the projections for companies with new events: one job per projection, at most one per batching interval. */
export function createWaker(boss: PgBoss, onError: (error: unknown) => void): Waker {
  const dirty = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<unknown> = Promise.resolve()

  /** Sends a job now; companies that arrive within the next interval are sent together at its end. */
  function send(): void {
    const companies = [...dirty]
    dirty.clear()
    const jobs = PROJECTIONS.map((projection) => boss.insert(queueOf(projection), makeCompaniesJobs(companies)))
    sending = Promise.all([sending, ...jobs]).catch(onError)
    timer = setTimeout(() => void sendNext(), GATHER_MS)
  }

  /** Jobs are sent one after another, so that a queue that hangs does not pile them up. */
  async function sendNext(): Promise<void> {
    await sending
    timer = undefined
    if (dirty.size > 0) send()
  }

  return {
    wake(companyIds) {
      for (const id of companyIds) dirty.add(id)
      if (!timer && dirty.size > 0) send()
    },
    async flush() {
      clearTimeout(timer)
      timer = undefined
      if (dirty.size > 0) send()
      await sending
    },
  }
}
