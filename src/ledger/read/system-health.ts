import type { CompanyStanding } from './read-standings.ts'

/** Jobs of one queue, of all companies. */
export interface QueueDepth {
  name: string
  /** Not begun, those for later included. */
  waiting: number
  active: number
}

export interface HealthReport {
  projections: CompanyStanding[]
  queues: QueueDepth[]
  /** What runs, by name: `PostgreSQL` → `18.4`. */
  versions: Record<string, string>
}

/** What tells how the system is, and lets a parked company go on. Made where the queues are known. */
export interface SystemHealth {
  /** The report as a company may see it: nothing in it names another one. */
  report(companyId: string): Promise<HealthReport>
  /** Lets a parked company go on. Returns false when it was not parked, or there is no such projection. */
  resume(companyId: string, projection: string): Promise<boolean>
}
