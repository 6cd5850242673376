import { PROJECTIONS } from '../../projections/index.ts'
import { createAnnouncer, makeCompaniesJobs } from './announce.ts'
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
  const send = (companyIds: string[]) =>
    Promise.all(PROJECTIONS.map((projection) => boss.insert(queueOf(projection), makeCompaniesJobs(companyIds))))
  const { announce, idle } = createAnnouncer(send, onError, GATHER_MS)
  return { wake: announce, flush: idle }
}
