import { setTimeout as pause } from 'node:timers/promises'
import { divide } from '#domain/pieces'
import { type PgBoss, queueOf } from './queues.ts'
import { PROJECTIONS } from '#projections/index'

/** A job names companies that may have something to do. It is only a hint; their rows decide. */
export interface CompaniesJob {
  companies: string[]
}

const COMPANIES_PER_JOB = 1_000

/** The queue is on one machine, which may hang. */
const INSERTS_WITHIN_MS = 5_000

/** Announces companies to the workers of a queue. Rejects if the queue does not answer. */
export async function announceCompanies(boss: PgBoss, queue: string, companyIds: string[]) {
  const jobs = divide(companyIds, COMPANIES_PER_JOB).map((companies): { data: CompaniesJob } => ({
    data: { companies },
  }))
  if (jobs.length === 0) return
  const over = pause(INSERTS_WITHIN_MS, undefined, { ref: false }).then(() => {
    throw new Error('the job queue does not answer')
  })
  over.catch(() => undefined)
  await Promise.race([boss.insert(queue, jobs), over])
}

export interface Announcer {
  /** Returns at once; companies that are announced meanwhile go together. */
  announce(companyIds: string[]): void
  /** Waits for what is under way. */
  idle(): Promise<void>
}

/** Announces companies to the workers of queues, as `createAnnouncer` does. A sweep makes up for what is lost. */
export function announceTo(
  boss: PgBoss,
  queues: string[],
  onError: (error: unknown) => void,
  gatherMs?: number,
): Announcer {
  const send = (companyIds: string[]) => Promise.all(queues.map((queue) => announceCompanies(boss, queue, companyIds)))
  return createAnnouncer(send, onError, gatherMs)
}

/** Announces companies in the background, one batch after another, and at most one in `gatherMs`. */
export function createAnnouncer(
  send: (companyIds: string[]) => Promise<unknown>,
  onError: (error: unknown) => void,
  gatherMs = 0,
): Announcer {
  const announced = new Set<string>()
  let sending: Promise<void> | undefined

  async function sendAnnounced() {
    while (announced.size > 0) {
      const companies = [...announced]
      announced.clear()
      await Promise.all([send(companies).catch(onError), gatherMs > 0 && pause(gatherMs)])
    }
    // At once, so that whoever announces next starts again.
    sending = undefined
  }

  return {
    announce(companyIds) {
      for (const id of companyIds) announced.add(id)
      if (announced.size > 0) sending ??= sendAnnounced()
    },
    idle: async () => sending,
  }
}

/**
 * Milliseconds for which newly committed companies are batched into a job. A job is expensive compared with folding an
 * event, so batching pays off under load; after a pause, a job is sent at once.
 */
const GATHER_MS = 50

/** Wakes the projections for companies with new events: one job per projection, at most one per batching interval. */
export function createWaker(boss: PgBoss, onError: (error: unknown) => void): Announcer {
  return announceTo(boss, PROJECTIONS.map(queueOf), onError, GATHER_MS)
}
