import { conditionWithoutTag, findFailedCondition, type Preconditions } from '../employees/entity-tag.ts'
import type { Problem } from '../errors.ts'
import type { SentJson } from '../events.ts'
import { isSingle, rulesOf, type ManyOperation, type Operation, type SingleOperation } from '../operations.ts'
import { mapInPieces, type Pieces } from '../pieces.ts'
import type { ReadRecord } from './call-records.ts'
import { readRecord, readUpdateOf, recordOfOne, recordsOfMany, NewIds } from './call-records.ts'
import type { OffendingRecord } from './close-call.ts'
import type { RejectedBody } from './rejected-body.ts'
import { NO_TOUCHES, touchedValues, type Touches } from './touched-values.ts'

/** What a writing call asks for, with all the work done that needs no state of the company. */
export type Command = ManyCommand | UpdateOneCommand | RefusedCommand

interface CommandFacts {
  operation: Operation
  /** The number of records. */
  count: number
  touches: Touches
  /** The record that a refusal of the whole call names: that of a single update. */
  offending?: OffendingRecord
  /** The id of the call that it takes back; absent if it takes back none. */
  undoes?: string
}

/** A creation, an update, or an upsert of any number of employees. */
interface ManyCommand extends CommandFacts {
  operation: ManyOperation
  records: ReadRecord[]
  /** Null for an update. */
  newIds: NewIds | null
}

export interface UpdateOneCommand extends CommandFacts {
  operation: SingleOperation
  records: [ReadRecord]
  offending: OffendingRecord
  preconditions: Preconditions
}

/** A call that is refused as a whole, whatever the company's state: its records are neither read nor stored. */
interface RefusedCommand extends CommandFacts {
  refusal: Problem
  /** The body, if the call is refused because it could not be read. */
  body?: RejectedBody
}

/** Reads the command of a call that may have several records. */
export function* readMany(
  operation: ManyOperation,
  body: SentJson,
  maxRecords: number,
  newId: (prefix: 'emp') => string,
): Pieces<Command> {
  const form = recordsOfMany(operation, body, maxRecords)
  if (form.problem) return refusedCommand(operation, form.problem, form.count)
  const records = yield* mapInPieces(form.records, (record) => readRecord(operation, record))
  const newIds = rulesOf(operation).creates === 'none' ? null : new NewIds(newId)
  return { operation, count: records.length, touches: touchedValues(records), records, newIds }
}

/** Reads the command of `PATCH /v1/employees/{id}`. */
export function readUpdateOne(id: string, body: SentJson, preconditions: Preconditions): Command {
  const offending = { locator: { id }, record: body }
  const form = recordOfOne(body)
  if (form.problem) return refusedCommand('update_one', form.problem, 1, offending)
  const records: [ReadRecord] = [readUpdateOf(form.records[0]!, id)]
  return { operation: 'update_one', count: 1, touches: touchedValues(records), records, offending, preconditions }
}

/** The command of several employees, or its refusal if it sets a condition that their list does not meet. */
export function underPreconditions(command: Command, preconditions: Preconditions): Command {
  const failed = 'refusal' in command ? null : findFailedCondition(preconditions, null)
  return failed ? refusedCommand(command.operation, conditionWithoutTag(failed), command.count) : command
}

/** The command that takes back a call, by the records that `planUndo` made of it. */
export function undoCommand(callId: string, records: ReadRecord[]): Command {
  const touches = touchedValues(records)
  return { operation: 'undo', count: records.length, touches, records, newIds: null, undoes: callId }
}

/** The records of a command that were read. */
export function recordsOf(command: Command): ReadRecord[] {
  return 'refusal' in command ? [] : command.records
}

/** A command that is refused as a whole. `count` is the number of its records. */
export function refusedCommand(
  operation: Operation,
  refusal: Problem,
  count: number,
  offending?: OffendingRecord,
): RefusedCommand {
  return { operation, count, touches: NO_TOUCHES, refusal, ...(offending ? { offending } : {}) }
}

/** The number of records in a body that will not be read. */
export function countRecords(operation: Operation, body: SentJson): number {
  if (isSingle(operation)) return 1
  if (body === undefined) return 0
  // With a maximum of 0, the records are counted and not looked at.
  const form = recordsOfMany(operation, body, 0)
  return form.problem ? form.count : form.records.length
}
