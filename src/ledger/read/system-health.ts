import type { CompanyStanding } from './read-standings.ts'

/** The number of jobs in a queue, across all companies. */
export interface QueueDepth {
  name: string
  /** Not started, including jobs scheduled for later. */
  waiting: number
  active: number
}

export interface HealthReport {
  projections: CompanyStanding[]
  queues: QueueDepth[]
  /** Versions by component name: `PostgreSQL` → `18.4`. */
  versions: Record<string, string>
}

/** Reports the state of the system and resumes parked companies. Implemented by the workers, which know the queues. */
export interface SystemHealth {
  /** The report for one company; it identifies no other company. */
  report(companyId: string): Promise<HealthReport>
  /** Resumes a parked company. Returns false if it was not parked or there is no such projection. */
  resume(companyId: string, projection: string): Promise<boolean>
}
