import type { Naming } from '../../domain/calls/touched-values.ts'
import type { Employee } from '../../domain/employees/employee.ts'

/** Employees of a company, by id, email and external id. */
export class EmployeeIndex {
  readonly #byId = new Map<string, Employee>()
  readonly #idByEmail = new Map<string, string>()
  readonly #idByExternalId = new Map<string, string>()

  constructor(employees: Iterable<Employee> = []) {
    for (const employee of employees) this.put(employee)
  }

  byId = (id: string): Employee | undefined => this.#byId.get(id)

  byEmail = (email: string): Employee | undefined => this.#holder(this.#idByEmail.get(email), 'email', email)

  byExternalId = (externalId: string): Employee | undefined =>
    this.#holder(this.#idByExternalId.get(externalId), 'external_id', externalId)

  all(): IterableIterator<Employee> {
    return this.#byId.values()
  }

  /** The employees with these names, each once, and the names that none of them has. */
  find({ employeeIds, emails, externalIds }: Naming): { employees: Set<Employee>; missing: Naming } {
    const employees = new Set<Employee>()
    const missing = (names: string[], holder: (name: string) => Employee | undefined) =>
      names.filter((name) => {
        const employee = holder(name)
        if (employee) employees.add(employee)
        return !employee
      })
    return {
      employees,
      missing: {
        employeeIds: missing(employeeIds, this.byId),
        emails: missing(emails, this.byEmail),
        externalIds: missing(externalIds, this.byExternalId),
      },
    }
  }

  /** Adds an employee, or replaces an earlier state. Returns that state. */
  put(employee: Employee): Employee | undefined {
    const { id, email, external_id: externalId } = employee
    const before = this.#byId.get(id)
    if (before === employee) return before
    this.#byId.set(id, employee)
    if (before && before.email !== email && this.#idByEmail.get(before.email) === id)
      this.#idByEmail.delete(before.email)
    this.#idByEmail.set(email, id)
    if (before && before.external_id !== null && before.external_id !== externalId)
      if (this.#idByExternalId.get(before.external_id) === id) this.#idByExternalId.delete(before.external_id)
    if (externalId !== null) this.#idByExternalId.set(externalId, id)
    return before
  }

  /** Removes an employee. */
  remove({ id, email, external_id: externalId }: Employee): void {
    this.#byId.delete(id)
    if (this.#idByEmail.get(email) === id) this.#idByEmail.delete(email)
    if (externalId !== null && this.#idByExternalId.get(externalId) === id) this.#idByExternalId.delete(externalId)
  }

  /** While one employee takes a value from another, an index points to the one that was put last. */
  #holder(id: string | undefined, name: 'email' | 'external_id', value: string): Employee | undefined {
    const employee = id === undefined ? undefined : this.#byId.get(id)
    return employee?.[name] === value ? employee : undefined
  }
}
