import { setTimeout as pause } from 'node:timers/promises'
import { divide } from '../domain/divide.ts'
import { insertJobs, type PgBoss } from './queues.ts'

/** A job names companies that may have something to do. It is only a hint; their rows decide. */
export interface CompaniesJob {
  companies: string[]
}

const COMPANIES_PER_JOB = 1_000

/** The jobs that announce these companies. */
export function makeCompaniesJobs(companyIds: string[]): { data: CompaniesJob }[] {
  return divide(companyIds, COMPANIES_PER_JOB).map((companies) => ({ data: { companies } }))
}

/** Announces companies to the workers of a queue. Rejects if the queue does not answer. */
export function announceCompanies(boss: PgBoss, queue: string, companyIds: string[]): Promise<void> {
  return insertJobs(boss, queue, makeCompaniesJobs(companyIds))
}

/**
 * Announces companies in the background, one batch after another, and at most one in `gatherMs`. `idle` waits for what
 * is under way.
 */
export function createAnnouncer(
  send: (companyIds: string[]) => Promise<unknown>,
  onError: (error: unknown) => void,
  gatherMs = 0,
) {
  const announced = new Set<string>()
  let sending: Promise<void> | undefined

  async function sendAnnounced(): Promise<void> {
    while (announced.size > 0) {
      const companies = [...announced]
      announced.clear()
      await Promise.all([send(companies).catch(onError), gatherMs > 0 && pause(gatherMs)])
    }
    // At once, so that whoever announces next starts again.
    sending = undefined
  }

  return {
    /** Returns at once; companies that are announced meanwhile go together. */
    announce(companyIds: string[]): void {
      for (const id of companyIds) announced.add(id)
      if (announced.size > 0) sending ??= sendAnnounced()
    },
    idle: async (): Promise<void> => sending,
  }
}
