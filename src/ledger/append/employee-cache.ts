import { LRUCache } from 'lru-cache'
import type { Naming } from '#domain/calls/uniqueness'
import type { Employee } from '#domain/employees/employee'
import { isSameHistory } from '../integrity/merkle.ts'
import type { Head } from './company-state.ts'
import { EmployeeIndex } from './employee-index.ts'

/*
 * Employees as of the last commit of this process, by company. A call is decided on them if, under the lock, the head
 * of its company still has the same frontier, so that the ledger has no event that they lack, and no rebuild has
 * replaced the rows that they were loaded from. Otherwise they are loaded. So a change by another process, an erasure,
 * a rebuild, or a failover that lost commits costs a round trip and no correctness.
 */

/** How long the employees of a company stay after its last call, in milliseconds. */
const KEPT_MS = 60_000
/** The part of the cache that one company may fill. */
const SHARE_OF_COMPANY = 1 / 4

/** What the states of employees follow from: the events up to a frontier, and the rows that a rebuild wrote. */
export type Basis = Pick<Head, 'frontier' | 'generation'>

/** Whether states that follow from one of these follow from the other as well. */
function isSameBasis(one: Basis, other: Basis) {
  return one.generation === other.generation && isSameHistory(one.frontier, other.frontier)
}

export interface CachedEmployees {
  employees: ReadonlySet<Employee>
  /** The names that nobody in the cache has; somebody in the ledger may. */
  missing: Naming
  /** Whether the states of these employees follow from the locked head of their company. */
  areCurrent(head: Basis): boolean
}

export interface EmployeeCache {
  find(companyId: string, naming: Naming): CachedEmployees
  /** Takes the employees that a committed transaction loaded or changed, in their states after it. */
  keep(companyId: string, range: { before: Basis; after: Basis }, employees: Iterable<Employee>): void
}

interface CachedCompany {
  basis: Basis
  employees: EmployeeIndex
  bytes: number
}

/** About what an employee takes in memory beside its texts. */
const BYTES_BESIDE_TEXTS = 600

function sizeOfEmployee(employee: Employee) {
  return BYTES_BESIDE_TEXTS + charactersIn(employee)
}

/** Opens a cache of about so many bytes; 0 keeps nothing. */
export function createEmployeeCache(maxBytes: number): EmployeeCache {
  const maxBytesOfCompany = Math.floor(maxBytes * SHARE_OF_COMPANY)
  const companies = new LRUCache<string, CachedCompany>({
    maxSize: Math.max(1, maxBytes),
    ttl: KEPT_MS,
    ttlAutopurge: true,
  })
  return {
    find(companyId, naming) {
      const company = companies.get(companyId)
      if (!company) return { employees: new Set(), missing: naming, areCurrent: () => true }
      const { basis } = company
      const { employees, missing } = company.employees.find(naming)
      return { employees, missing, areCurrent: (head) => employees.size === 0 || isSameBasis(basis, head) }
    },

    keep(companyId, { before, after }, employees) {
      const cachedCompany = companies.get(companyId)
      const company =
        cachedCompany && isSameBasis(cachedCompany.basis, before)
          ? { ...cachedCompany, basis: after }
          : { basis: after, employees: new EmployeeIndex(), bytes: 0 }
      for (const employee of employees) {
        const earlier = company.employees.byId(employee.id)
        if (earlier === employee) continue
        if (earlier) company.bytes -= sizeOfEmployee(earlier)
        const bytes = sizeOfEmployee(employee)
        if (company.bytes + bytes <= maxBytesOfCompany) {
          company.employees.put(employee)
          company.bytes += bytes
        } else if (earlier) company.employees.remove(earlier)
      }
      companies.set(companyId, company, { size: Math.max(1, company.bytes) })
    },
  }
}

/** What a custom attribute takes beside its name and value: objects with other names have their own layout. */
const BESIDE_CUSTOM = 64

/** About the number of characters of the values of an employee; a string may be shared with an event. */
export function charactersIn(employee: Employee) {
  let characters = 0
  // Neither has a prototype with anything to list, and this lists without making a list.
  // oxlint-disable-next-line guard-for-in
  for (const name in employee) characters += lengthOf(employee[name as keyof Employee])
  const custom = employee.custom_attributes
  // oxlint-disable-next-line guard-for-in
  for (const key in custom) characters += BESIDE_CUSTOM + key.length + lengthOf(custom[key])
  return characters
}

function lengthOf(value: unknown) {
  return typeof value === 'string' ? value.length : 8
}
