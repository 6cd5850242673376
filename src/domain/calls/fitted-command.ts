import type { CallNote } from '../call-notes.ts'
import type { Employee } from '../employees/employee.ts'
import type { Preconditions } from '../employees/entity-tag.ts'
import type { Pieces } from '../pieces.ts'
import type { EmployeeDirectory } from './call-draft.ts'
import type { Locator, NewIds, ReadRecord } from './call-records.ts'
import type { OffendingRecord } from './close-call.ts'
import type { Touches } from './touched-values.ts'

/** A record as it fits the state of its employee, with what had to be ignored. */
export interface FittedRecord {
  record: ReadRecord
  notes: CallNote[]
}

/**
 * A call with one record, of which the state of the employee says what it sets. Whom identity providers have deleted is
 * hidden from it.
 */
export interface FittedCommand {
  operation: 'create' | 'update_one'
  count: 1
  touches: Touches
  /** What the call sets at most, whoever it is about: what deciding it may look up. */
  records: [ReadRecord]
  /** Whom a creation brings back instead, if one inactive employee has one of these names, or else this one. */
  finds: { names: Locator[]; directoryId: string | null }
  newIds: NewIds
  /** The employee whom an update is about. */
  offending?: OffendingRecord
  preconditions: Preconditions
  undoes?: undefined
  /** The status of the answer, if it is not the usual one. */
  status?: number
  fit(before: Employee | undefined, directory: EmployeeDirectory, country: string | null): Pieces<FittedRecord>
}
