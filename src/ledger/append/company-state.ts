import type { EmployeeDirectory } from '../../domain/calls/call-draft.ts'
import type { Naming } from '../../domain/calls/touched-values.ts'
import type { ApiKey, KeyUsage } from '../../domain/company.ts'
import type { Employee } from '../../domain/employees/employee.ts'
import type { BoundKey } from './idempotency-keys.ts'
import type { Frontier } from '../integrity/merkle.ts'

/** The row that a company's appends lock. */
export interface Head {
  companyId: string
  frontier: Frontier
  /** The time of the last event, RFC 3339 UTC. */
  recordedAt: string
}

const IN_DIRECTORY = ['email', 'external_id', 'manager_id'] as const

/** The employees that the calls of a transaction touch, updated after each call is decided. */
export class LoadedEmployees implements EmployeeDirectory {
  readonly #byId = new Map<string, Employee>()
  readonly #idByEmail = new Map<string, string>()
  readonly #idByExternalId = new Map<string, string>()
  readonly #managers = new Map<string, string>()
  readonly #stored = new Map<string, Employee>()
  readonly #changed = new Map<string, Employee>()

  constructor(stored: Employee[]) {
    for (const employee of stored) {
      this.#stored.set(employee.id, employee)
      this.#index(employee)
    }
  }

  byId = (id: string): Employee | undefined => this.#byId.get(id)

  byEmail = (email: string): Employee | undefined => this.#holder(this.#idByEmail.get(email), 'email', email)

  byExternalId = (externalId: string): Employee | undefined =>
    this.#holder(this.#idByExternalId.get(externalId), 'external_id', externalId)

  /** The ids of all loaded employees. */
  ids(): string[] {
    return [...this.#byId.keys()]
  }

  /** The ids of the loaded employees with these names. */
  named({ employeeIds, emails, externalIds }: Naming): string[] {
    const found = [...employeeIds.map(this.byId), ...emails.map(this.byEmail), ...externalIds.map(this.byExternalId)]
    return found.flatMap((employee) => (employee ? [employee.id] : []))
  }

  /** Records the manager of an employee, who need not be loaded. */
  setManager(id: string, managerId: string): void {
    this.#managers.set(id, managerId)
  }

  managerOf = (id: string): string | null => {
    const employee = this.#byId.get(id)
    return employee ? employee.manager_id : (this.#managers.get(id) ?? null)
  }

  /** Records the state of an employee after a call. */
  put(employee: Employee): void {
    this.#changed.set(employee.id, employee)
    this.#index(employee)
  }

  /** What the directory does not have yet: new employees, and those with another email, external id or manager. */
  changes(): { moved: Employee[]; inserted: Employee[] } {
    const all = [...this.#changed.values()]
    const hasMoved = (employee: Employee) => {
      const stored = this.#stored.get(employee.id)
      return stored !== undefined && IN_DIRECTORY.some((name) => employee[name] !== stored[name])
    }
    return { moved: all.filter(hasMoved), inserted: all.filter(({ id }) => !this.#stored.has(id)) }
  }

  #index(employee: Employee): void {
    this.#byId.set(employee.id, employee)
    this.#idByEmail.set(employee.email, employee.id)
    if (employee.external_id !== null) this.#idByExternalId.set(employee.external_id, employee.id)
  }

  /** An index may still point to an employee who has given the value up. */
  #holder(id: string | undefined, name: 'email' | 'external_id', value: string): Employee | undefined {
    const employee = id === undefined ? undefined : this.#byId.get(id)
    return employee?.[name] === value ? employee : undefined
  }
}

/** A company while its head is locked. */
export interface LockedCompany {
  head: Head
  employees: LoadedEmployees
  keys: Map<string, { key: ApiKey; usage: KeyUsage }>
  /** The bound idempotency keys, by `boundName`. */
  bound: Map<string, BoundKey>
}
