import type { ReadRecord } from './call-records.ts'
import type { Employee, PatchEffect } from '../employees/employee.ts'
import type { NewEvent } from '../events.ts'
import type { RecordFaults } from '../record-faults.ts'

/** The company's employees as they are before the call, as far as the call touches them. */
export interface EmployeeDirectory {
  byId(id: string): Employee | undefined
  byEmail(email: string): Employee | undefined
  byExternalId(externalId: string): Employee | undefined
  /** The manager of an employee who stands above one of those that the call names; null where there is none. */
  managerOf(id: string): string | null
}

/** One record on its way through the decision. */
export interface Draft {
  record: ReadRecord
  /** The employee before the call; undefined for a creation and where none was found. */
  before: Employee | undefined
  after: Employee | undefined
  effect: PatchEffect | undefined
  events: NewEvent[]
  faults: RecordFaults
}
