import type { PgBoss } from './queues.ts'
import { insertJobs } from './queues.ts'

/** A job names companies that may have something to do. It is only a hint; their rows decide. */
export interface CompaniesJob {
  companies: string[]
}

const COMPANIES_PER_JOB = 100

/** The jobs that announce these companies. */
export function makeCompaniesJobs(companyIds: string[]): { data: CompaniesJob }[] {
  const jobs: { data: CompaniesJob }[] = []
  for (let at = 0; at < companyIds.length; at += COMPANIES_PER_JOB)
    jobs.push({ data: { companies: companyIds.slice(at, at + COMPANIES_PER_JOB) } })
  return jobs
}

/** Announces companies to the workers of a queue. `idle` waits for what is under way. */
export function createAnnouncer(boss: PgBoss, queue: string, onError: (error: unknown) => void) {
  const announced = new Set<string>()
  let sending: Promise<void> | undefined

  async function send(): Promise<void> {
    while (announced.size > 0) {
      const companies = [...announced]
      announced.clear()
      await insertJobs(boss, queue, makeCompaniesJobs(companies)).catch(onError)
    }
  }

  return {
    /** Returns at once; companies that are announced meanwhile go together. */
    announce(companyIds: string[]): void {
      for (const id of companyIds) announced.add(id)
      sending ??= send().finally(() => (sending = undefined))
    },
    idle: async (): Promise<void> => sending,
  }
}
