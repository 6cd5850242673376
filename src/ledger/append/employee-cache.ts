import { LRUCache } from 'lru-cache'
import type { Naming } from '../../domain/calls/touched-values.ts'
import type { Employee } from '../../domain/employees/employee.ts'
import type { Frontier } from '../integrity/merkle.ts'
import { EMPTY_FRONTIER, isSameHistory } from '../integrity/merkle.ts'
import { EmployeeIndex } from './employee-index.ts'
import { charactersIn } from './employee-size.ts'

/*
 * Employees as of the last commit of this process, by company. A call is decided on them if, under the lock, the head
 * of its company still has the same frontier: then the ledger has no event that they lack. Otherwise they are loaded.
 * So a change by another process, an erasure, or a failover that lost commits costs a round trip and no correctness.
 */

/** How long the employees of a company stay after its last call, in milliseconds. */
const KEPT_MS = 60_000
/** The part of the cache that one company may fill. */
const SHARE_OF_COMPANY = 1 / 4

/** Employees whose states are true while the head of their company has this frontier. */
export interface CachedEmployees {
  frontier: Frontier
  found: ReadonlySet<Employee>
  /** The names that nobody in the cache has; somebody in the ledger may. */
  missing: Naming
}

export interface EmployeeCache {
  find(companyId: string, naming: Naming): CachedEmployees
  /** Takes the employees that a committed transaction loaded or changed, in their states after it. */
  keep(companyId: string, range: { before: Frontier; after: Frontier }, employees: Iterable<Employee>): void
}

interface CachedCompany {
  frontier: Frontier
  employees: EmployeeIndex
  bytes: number
}

/** About what an employee takes in memory beside its texts. */
const BYTES_BESIDE_TEXTS = 600

function sizeOfEmployee(employee: Employee): number {
  return BYTES_BESIDE_TEXTS + charactersIn(employee)
}

/** Opens a cache of about so many bytes; 0 keeps nothing. */
export function openEmployeeCache(maxBytes: number, keptMs = KEPT_MS): EmployeeCache {
  const maxBytesOfCompany = Math.floor(maxBytes * SHARE_OF_COMPANY)
  const companies = new LRUCache<string, CachedCompany>({
    maxSize: Math.max(1, maxBytes),
    ttl: keptMs,
    ttlAutopurge: true,
  })
  return {
    find(companyId, naming) {
      const company = companies.get(companyId)
      return company
        ? { frontier: company.frontier, ...company.employees.find(naming) }
        : { frontier: EMPTY_FRONTIER, found: new Set(), missing: naming }
    },

    keep(companyId, { before, after }, employees) {
      const known = companies.get(companyId)
      const company =
        known && isSameHistory(known.frontier, before)
          ? { ...known, frontier: after }
          : { frontier: after, employees: new EmployeeIndex(), bytes: 0 }
      for (const employee of employees) {
        const earlier = company.employees.byId(employee.id)
        if (earlier === employee) continue
        const bytes = sizeOfEmployee(employee)
        // What is there must follow the ledger; what is not there need not come in.
        if (!earlier && company.bytes + bytes > maxBytesOfCompany) continue
        company.employees.put(employee)
        company.bytes += bytes - (earlier ? sizeOfEmployee(earlier) : 0)
      }
      companies.set(companyId, company, { size: Math.max(1, company.bytes) })
    },
  }
}
