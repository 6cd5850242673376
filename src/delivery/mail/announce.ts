import type { PgBoss } from '../../workers/queues.ts'
import { insertJobs, SEND_EMAILS } from '../../workers/queues.ts'

/** A job names companies that may have messages to send. It is only a hint; the messages' rows decide. */
export interface MailJob {
  companies: string[]
}

const COMPANIES_PER_JOB = 100

/** The jobs that announce the messages of these companies. */
export function makeMailJobs(companyIds: string[]): { data: MailJob }[] {
  const jobs: { data: MailJob }[] = []
  for (let at = 0; at < companyIds.length; at += COMPANIES_PER_JOB)
    jobs.push({ data: { companies: companyIds.slice(at, at + COMPANIES_PER_JOB) } })
  return jobs
}

/** Announces messages to the workers. `idle` waits for what is under way. */
export function createAnnouncer(boss: PgBoss, onError: (error: unknown) => void) {
  const announced = new Set<string>()
  let sending: Promise<void> | undefined

  async function send(): Promise<void> {
    while (announced.size > 0) {
      const companies = [...announced]
      announced.clear()
      await insertJobs(boss, SEND_EMAILS, makeMailJobs(companies)).catch(onError)
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
