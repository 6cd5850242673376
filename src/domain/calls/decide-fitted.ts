import type { Employee } from '#domain/employees/employee'
import { findFailedCondition, type Preconditions } from '#domain/employees/entity-tag'
import { problem, type Problem } from '#domain/errors'
import type { Pieces } from '#domain/pieces'
import { type CallContext, type CallDecision, locate, type EmployeeDirectory } from './call-decision.ts'
import type { ReadRecord, Locator, NewIds } from './call-records.ts'
import { refuseCall, type OffendingRecord } from './close-call.ts'
import { decideRecords } from './decide-records.ts'
import { refuseCondition } from './key-refusals.ts'
import type { WithWritable } from './writable-fields.ts'
import type { CallNote } from '#domain/call-sources'
import type { Touches } from './uniqueness.ts'

const EMPLOYEE_NOT_FOUND = problem('employee_not_found', 'No such employee exists')

/** Decides a call whose record depends on the state of its employee. */
export function* decideFitted(
  command: FittedCommand,
  directory: EmployeeDirectory,
  context: CallContext,
  writable: WithWritable | null,
): Pieces<CallDecision> {
  const { operation, offending, preconditions, newIds, status } = command
  const before = operation === 'create' ? findReturning(command, directory) : findShown(command, directory)
  const refuse = (refusal: Problem) => refuseCall(refusal, 1, context, offending)
  if (operation === 'update_one') {
    if (!before) return refuse(EMPLOYEE_NOT_FOUND)
    const failed = findFailedCondition(preconditions, before.version)
    if (failed) return refuse(refuseCondition(failed, preconditions))
  }
  const fitted = yield* command.fit(before, directory, context.country)
  if ('refusal' in fitted) return refuse(fitted.refusal)
  const isReturn = operation === 'create' && before !== undefined
  const more = isReturn ? { operation: 'upsert' as const, status: 201 } : status === undefined ? {} : { status }
  const whole = asRecordOf(fitted.record, before)
  const { record, notes } = writable?.(whole) ?? { record: whole, notes: [] }
  const told = { ...context, ...more, notes: [...fitted.notes, ...notes] }
  return yield* decideRecords([record], before ? null : newIds, directory, told)
}

function asRecordOf(record: ReadRecord, before: Employee | undefined): ReadRecord {
  return { ...record, locator: before ? { field: 'id', value: before.id } : null }
}

function findShown({ offending }: FittedCommand, directory: EmployeeDirectory) {
  const employee = offending && directory.byId(offending.locator.id)
  return employee?.deprovisioned_at === null ? employee : undefined
}

/** The one inactive employee whom a creation means; undefined if there is none, or if an active one is in the way. */
function findReturning({ finds }: FittedCommand, directory: EmployeeDirectory) {
  const named = new Set(finds.names.flatMap((name) => locate(name, directory) ?? []))
  const found = [...named]
  const holders = found.length > 0 || finds.directoryId === null ? found : directory.byDirectoryId(finds.directoryId)
  const [holder, ...others] = holders
  return holder?.status === 'inactive' && others.length === 0 ? holder : undefined
}

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
  fit(
    before: Employee | undefined,
    directory: EmployeeDirectory,
    country: string | null,
  ): Pieces<FittedRecord | { refusal: Problem }>
}
