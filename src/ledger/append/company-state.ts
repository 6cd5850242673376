import type { ClientBase } from 'pg'
import type { ReadRecord } from '../../domain/calls/call-records.ts'
import type { EmployeeDirectory } from '../../domain/calls/call-draft.ts'
import type { ApiKey } from '../../domain/accounts/api-key.ts'
import type { KeyUsage } from '../../domain/accounts/quota.ts'
import type { Role } from '../../domain/accounts/roles.ts'
import type { Employee } from '../../domain/employees/employee.ts'
import { toUuid } from '../../domain/ids.ts'
import { EmployeeIndex } from './employee-index.ts'
import type { BoundKey } from './idempotency-keys.ts'
import type { Frontier } from '../integrity/merkle.ts'
import type { QueryClient } from '../../postgres/query-client.ts'

/** The row that a company's appends lock. */
export interface Head {
  companyId: string
  frontier: Frontier
  /** The time of the last event, RFC 3339 UTC. */
  recordedAt: string
  /** The rebuild that last wrote the company's employee states; null if there was none. */
  generation: string | null
}

/** Creates the head of a new company, at position 0. Does nothing if the company has one. */
export async function insertHead(client: ClientBase, companyId: string): Promise<void> {
  await client.query(
    `insert into heads (company_id, position, frontier, recorded_at) values ($1, 0, '', clock_timestamp())
     on conflict (company_id) do nothing`,
    [toUuid(companyId)],
  )
}

const IN_DIRECTORY = ['email', 'external_id', 'manager_id'] as const

/** The employees that the calls of a transaction touch, updated after each call is decided. */
export class LoadedEmployees extends EmployeeIndex implements EmployeeDirectory {
  readonly #managers = new Map<string, string>()
  knowsManagers = true
  /** The records that change nothing, with the ids of their employees, as digests show. */
  readonly unchanged = new Map<ReadRecord, string>()
  /** The employees who get a digest if a record changes nothing about them. */
  readonly awaitingDigest = new Set<string>()
  /** The states before the transaction of the employees that it changes; undefined for new employees. */
  readonly #before = new Map<string, Employee | undefined>()

  /** Records the manager of an employee, who need not be loaded. */
  setManager(id: string, managerId: string): void {
    this.#managers.set(id, managerId)
  }

  unchangedBy = (record: ReadRecord): string | undefined => this.unchanged.get(record)

  managerOf = (id: string): string | null => {
    const employee = this.byId(id)
    return employee ? employee.manager_id : (this.#managers.get(id) ?? null)
  }

  /** Records the state of an employee after a call. */
  change(employee: Employee): void {
    const before = this.put(employee)
    if (!this.#before.has(employee.id)) this.#before.set(employee.id, before)
  }

  /** What the directory does not have yet: new employees, and those with another email, external id or manager. */
  changes(): { moved: Employee[]; inserted: Employee[] } {
    const changed = [...this.#before].map(([id, before]) => ({ before, after: this.byId(id)! }))
    const hasMoved = ({ before, after }: (typeof changed)[number]) =>
      before !== undefined && IN_DIRECTORY.some((name) => after[name] !== before[name])
    return {
      moved: changed.filter(hasMoved).map(({ after }) => after),
      inserted: changed.filter(({ before }) => !before).map(({ after }) => after),
    }
  }
}

/** Sends statements to where the companies are. */
export type Ask = <Result>(send: (client: QueryClient) => Promise<Result>) => Promise<Result>

/** A company while its head is locked. */
export interface LockedCompany {
  head: Head
  /** The position of the last event that was decided. */
  position: number
  employees: LoadedEmployees
  keys: Map<string, { key: ApiKey; usage: KeyUsage }>
  /** The roles of the users who make calls, by user id; those who were removed have none. */
  roles: Map<string, Role>
  /** The bound idempotency keys, by `boundName`. */
  bound: Map<string, BoundKey>
}
