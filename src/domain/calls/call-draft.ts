import type { Locator, Need, ReadRecord } from './call-records.ts'
import type { Employee, PatchEffect } from '../employees/employee.ts'
import type { NewEvent } from '../events.ts'
import type { FieldError, RecordErrors } from '../record-faults.ts'

/** What is known about an employee about whom a record changes nothing. */
export type UnchangedEmployee = Pick<Employee, 'id' | 'status'>

/** The employees that a call involves, in their state before the call. */
export interface EmployeeDirectory {
  byId(id: string): Employee | undefined
  byEmail(email: string): Employee | undefined
  byExternalId(externalId: string): Employee | undefined
  /** By the folded form. */
  byUserName(userName: string): Employee | undefined
  /** Those who are loaded, as all are whom a call names by it. */
  byDirectoryId(directoryId: string): Employee[]
  /** The employee about whom a record is known to change nothing, if that is known without their state. */
  unchangedBy(record: ReadRecord): UnchangedEmployee | undefined
  /** The manager of an employee above one that the call names; null if none. */
  managerOf(id: string): string | null
  /** Whether `managerOf` knows everybody above; false if a reporting line is too long to be loaded. */
  readonly knowsManagers: boolean
}

/** Finds the employee whom a record or a reference to a manager identifies. */
export function locate(
  { field, value, asStored }: Locator,
  directory: Pick<EmployeeDirectory, 'byId' | 'byEmail' | 'byExternalId' | 'byUserName'>,
): Employee | undefined {
  switch (field) {
    case 'id':
      return directory.byId(value)
    case 'external_id':
      return (asStored === undefined ? undefined : directory.byExternalId(asStored)) ?? directory.byExternalId(value)
    case 'email':
      return directory.byEmail(value) ?? (asStored === undefined ? undefined : directory.byEmail(asStored))
    case 'user_name':
      return directory.byUserName(value)
  }
}

/**
 * Finds the employee of a record. With `linksByEmail`, an external id that nobody has also finds the employee who has the
 * record's email address, if they can be linked.
 */
export function locateEmployee(
  { locator, patch }: Pick<ReadRecord, 'locator' | 'patch'>,
  directory: Pick<EmployeeDirectory, 'byId' | 'byEmail' | 'byExternalId' | 'byUserName'>,
  linksByEmail: boolean,
): Employee | undefined {
  if (!locator) return undefined
  const found = locate(locator, directory)
  if (found || !linksByEmail || locator.field !== 'external_id' || typeof patch.email !== 'string') return found
  const holder = directory.byEmail(patch.email)
  return holder && isLinkable(holder) ? holder : undefined
}

/** Whether somebody can get an external id because a record has their email address. */
export function isLinkable({ status, external_id: externalId }: Employee): boolean {
  return status === 'active' && externalId === null
}

/** A record during the decision. */
export interface Draft {
  record: ReadRecord
  /** The employee before the call; undefined for a creation or if not found. */
  before: Employee | undefined
  after: Employee | undefined
  effect: PatchEffect | undefined
  events: NewEvent[]
  errors: RecordErrors
  /** How many of the errors it has only beside other records of the call. */
  collisions: number
  needs: readonly Need[]
}

/** Adds an error that a record has only beside other records of the call. */
export function addCollision(draft: Draft, { path, fault }: FieldError): void {
  draft.errors.add(path, fault)
  draft.collisions += 1
}
