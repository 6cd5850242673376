import { LRUCache } from 'lru-cache'
import { upTo } from '#admission/cache-size'
import { countEmployees, countOn, listProvisioned, type EmployeeCount } from '#projections/employees/provisioned'
import type { Employee } from '#domain/employees/employee'
import type { LedgerDb } from '#ledger/tables'

const MAX_COMPANIES = 10_000
/** The events that are read instead of counting everybody again, which costs about as much for so many employees. */
const MAX_EVENTS = 20_000
/** The pages of a company whose beginnings are remembered: those after the pages that were read last. */
const MAX_STARTS = 8

interface Known {
  count: EmployeeCount
  /** The ids of users, by how many users are before them. */
  starts: Map<number, string>
}

export interface UserPage {
  skip: number
  limit: number
}

/**
 * Pages of all users of a company, with their number. Everybody is counted once; from then on, the events tell who was
 * added. A page begins at the next one that is remembered before it, as long as nobody before that has come or gone.
 */
export function createUserPages() {
  const companies = new LRUCache<string, Known>(upTo(MAX_COMPANIES))

  async function count(db: LedgerDb, companyId: string, head: number) {
    const last = companies.get(companyId)
    const isNear = last !== undefined && head - last.count.position <= MAX_EVENTS
    const starts = isNear ? last.starts : new Map<number, string>()
    const furthest = [...starts.values()].reduce<string | null>(
      (one, id) => (one === null || id > one ? id : one),
      null,
    )
    const on = isNear ? await countOn(db, companyId, { ...last.count, furthest }, head) : null
    const known: Known = {
      count: on?.count ?? (await countEmployees(db, companyId)),
      starts: on?.isMoved === false ? starts : new Map(),
    }
    companies.set(companyId, known)
    return known
  }

  return {
    /** The users of a page, and the number of all users at a position, or a later one. */
    async read(db: LedgerDb, companyId: string, head: number, { skip, limit }: UserPage) {
      const { count: counted, starts } = await count(db, companyId, head)
      const total = counted.all - counted.deprovisioned
      if (limit === 0 || skip >= total) return { total, employees: [] }
      const before = [...starts.keys()].reduce((best, at) => (at <= skip && at > best ? at : best), 0)
      const from = starts.get(before)
      // One more tells where the next page begins.
      const place = { from, skip: skip - before, limit: limit + 1 }
      const { employees, isCut } = await listProvisioned(db, companyId, place)
      const shown = isCut ? employees.length - 1 : limit
      remember(starts, skip, employees[0])
      remember(starts, skip + shown, employees[shown])
      return { total, employees: employees.slice(0, shown) }
    },
  }
}

function remember(starts: Map<number, string>, at: number, employee: Employee | undefined) {
  if (!employee || at === 0) return
  starts.delete(at)
  starts.set(at, employee.id)
  if (starts.size > MAX_STARTS) starts.delete(starts.keys().next().value!)
}
