import type { CompanyStanding } from './read-standings.ts'

/** The number of jobs in a queue, across all companies. */
export interface QueueDepth {
  name: string
  /** Not started, including jobs scheduled for later. */
  waiting: number
  active: number
}

/** Reports how far the projections of a company are, and resumes parked ones. Implemented by the workers. */
export interface SystemHealth {
  report(companyId: string): Promise<CompanyStanding[]>
  /** Resumes a parked company. Returns false if it was not parked or there is no such projection. */
  resume(companyId: string, projection: string): Promise<boolean>
}
