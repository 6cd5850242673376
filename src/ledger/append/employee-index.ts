import { foldUserName, UNIQUE_NAMES, uniqueForm, type UniqueName } from '#domain/attributes'
import type { ReadRecord } from '#domain/calls/call-records'
import type { EmployeeDirectory, UnchangedEmployee } from '#domain/calls/call-decision'
import type { Naming } from '#domain/calls/uniqueness'
import type { Employee } from '#domain/employees/employee'

/** The attributes that the maps look employees up by. */
const INDEXED = [...UNIQUE_NAMES, 'directory_external_id'] as const

/** So many names are put into the maps in about a millisecond. */
const MOST_UNNAMED = 2_000

/** Employees of a company, by what names them. */
export class EmployeeIndex {
  readonly #byId = new Map<string, Employee>()
  /** The ids of those whose names are not in the maps below yet: nobody has asked for a name since they were put. */
  #unnamed: string[] = []
  readonly #idByEmail = new Map<string, string>()
  readonly #idByExternalId = new Map<string, string>()
  readonly #idByUserName = new Map<string, string>()
  readonly #idsByDirectoryId = new Map<string, Set<string>>()

  constructor(employees: Iterable<Employee> = []) {
    for (const employee of employees) this.put(employee)
  }

  byId = (id: string) => this.#byId.get(id)

  byEmail = (email: string) => this.#holder(this.#nameAll().#idByEmail.get(email), 'email', email)

  byExternalId = (externalId: string) =>
    this.#holder(this.#nameAll().#idByExternalId.get(externalId), 'external_id', externalId)

  byUserName = (userName: string) => this.#holder(this.#nameAll().#idByUserName.get(userName), 'user_name', userName)

  byDirectoryId = (directoryId: string) =>
    [...(this.#nameAll().#idsByDirectoryId.get(directoryId) ?? [])].map((id) => this.#byId.get(id)!)

  all(): IterableIterator<Employee> {
    return this.#byId.values()
  }

  /** The employees with these names, each once, and the names that none of them has. */
  find({ employeeIds, emails, externalIds, userNames, directoryIds }: Naming): {
    employees: Set<Employee>
    missing: Naming
  } {
    const employees = new Set<Employee>()
    const collect = (names: string[], lookUp: (name: string) => Employee | undefined) =>
      names.filter((name) => {
        const employee = lookUp(name)
        if (employee) employees.add(employee)
        return !employee
      })
    return {
      employees,
      missing: {
        employeeIds: collect(employeeIds, this.byId),
        emails: collect(emails, this.byEmail),
        externalIds: collect(externalIds, this.byExternalId),
        userNames: collect(userNames, this.byUserName),
        // Several may have one, and those who are here need not be all.
        directoryIds,
      },
    }
  }

  /** Adds an employee, or replaces an earlier state. Returns that state. */
  put(employee: Employee): Employee | undefined {
    const { id } = employee
    const before = this.#byId.get(id)
    if (before === employee) return before
    this.#byId.set(id, employee)
    if (before) {
      if (INDEXED.every((name) => before[name] === employee[name])) return before
      this.#removeNames(before)
    }
    this.#unnamed.push(id)
    if (this.#unnamed.length > MOST_UNNAMED) this.#nameAll()
    return before
  }

  /** Brings the maps of names up to date. */
  #nameAll() {
    for (const id of this.#unnamed) {
      const employee = this.#byId.get(id)
      if (employee) this.#addNames(employee)
    }
    if (this.#unnamed.length > 0) this.#unnamed = []
    return this
  }

  #addNames(employee: Employee) {
    const { id, email, external_id: externalId, user_name: userName, directory_external_id: directoryId } = employee
    if (email !== null) this.#idByEmail.set(email, id)
    if (externalId !== null) this.#idByExternalId.set(externalId, id)
    if (userName !== null) this.#idByUserName.set(foldUserName(userName), id)
    if (directoryId === null) return
    const ids = this.#idsByDirectoryId.get(directoryId)
    if (ids) ids.add(id)
    else this.#idsByDirectoryId.set(directoryId, new Set([id]))
  }

  /** Removes an employee. */
  remove(employee: Employee): void {
    this.#byId.delete(employee.id)
    this.#removeNames(employee)
  }

  #removeNames(employee: Employee) {
    const { id, email, external_id: externalId, user_name: userName, directory_external_id: directoryId } = employee
    if (email !== null && this.#idByEmail.get(email) === id) this.#idByEmail.delete(email)
    if (externalId !== null && this.#idByExternalId.get(externalId) === id) this.#idByExternalId.delete(externalId)
    const folded = userName === null ? null : foldUserName(userName)
    if (folded !== null && this.#idByUserName.get(folded) === id) this.#idByUserName.delete(folded)
    const ids = directoryId === null ? undefined : this.#idsByDirectoryId.get(directoryId)
    ids?.delete(id)
    if (ids?.size === 0) this.#idsByDirectoryId.delete(directoryId!)
  }

  /** While one employee takes a value from another, an index points to the one that was put last. */
  #holder(id: string | undefined, name: UniqueName, value: string) {
    const employee = id === undefined ? undefined : this.#byId.get(id)
    return uniqueForm(name, employee?.[name]) === value ? employee : undefined
  }
}

const IN_DIRECTORY = [...INDEXED, 'manager_id'] as const

/** The employees that the calls of a transaction touch, updated after each call is decided. */
export class LoadedEmployees extends EmployeeIndex implements EmployeeDirectory {
  readonly #managers = new Map<string, string>()
  knowsManagers = true
  /** The records that change nothing, with their employees, as digests show. */
  readonly unchanged = new Map<ReadRecord, UnchangedEmployee>()
  /** The employees who get a digest if a record changes nothing about them. */
  readonly awaitingDigest = new Set<string>()
  /** The employees that the transaction changes, before it and now; undefined before for new employees. */
  readonly #changed = new Map<string, { before: Employee | undefined; after: Employee }>()

  /** Records the manager of an employee, who need not be loaded. */
  setManager(id: string, managerId: string): void {
    this.#managers.set(id, managerId)
  }

  unchangedBy = (record: ReadRecord) => this.unchanged.get(record)

  managerOf = (id: string) => {
    const employee = this.byId(id)
    return employee ? employee.manager_id : (this.#managers.get(id) ?? null)
  }

  /** Records the state of an employee after a call. */
  change(employee: Employee): void {
    const before = this.put(employee)
    const changed = this.#changed.get(employee.id)
    if (changed) changed.after = employee
    else this.#changed.set(employee.id, { before, after: employee })
  }

  /** Whether the transaction creates this employee. */
  isNew(id: string): boolean {
    const changed = this.#changed.get(id)
    return changed !== undefined && changed.before === undefined
  }

  /** What the directory does not have yet: new employees, and those with another value that it has. */
  changes(): { moved: Employee[]; inserted: Employee[] } {
    const [moved, inserted]: [Employee[], Employee[]] = [[], []]
    for (const { before, after } of this.#changed.values()) {
      if (!before) inserted.push(after)
      else if (IN_DIRECTORY.some((name) => after[name] !== before[name])) moved.push(after)
    }
    return { moved, inserted }
  }
}
