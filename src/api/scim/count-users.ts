import { LRUCache } from 'lru-cache'
import { countEmployees, countOn, type EmployeeCount } from '#projections/employees/provisioned'
import type { LedgerDb } from '#ledger/tables'

const MAX_COMPANIES = 10_000
/** The events that are read instead of counting everybody again, which costs about as much for so many employees. */
const MAX_EVENTS = 20_000

/** The number of users of each company. Everybody is counted once; from then on, the events tell who was added. */
export function createTotals() {
  const known = new LRUCache<string, EmployeeCount>({ max: MAX_COMPANIES })
  return {
    /** The number at a position, or a later one. */
    async at(db: LedgerDb, companyId: string, head: number): Promise<number> {
      const last = known.get(companyId)
      const isNear = last !== undefined && head - last.position <= MAX_EVENTS
      const counted = (isNear && (await countOn(db, companyId, last, head))) || (await countEmployees(db, companyId))
      known.set(companyId, counted)
      return counted.all - counted.deprovisioned
    },
  }
}
