import { conditionWithoutTag, findFailedCondition, type Preconditions } from '../employees/entity-tag.ts'
import type { Problem } from '../errors.ts'
import type { Operation, SentJson } from '../events.ts'
import { mapInPieces, type Pieces } from '../pieces.ts'
import type { CallRecords, ReadRecord } from './call-records.ts'
import {
  readCreation,
  readUpdate,
  readUpdateOf,
  readUpsert,
  recordOfOne,
  recordsOfCreate,
  recordsOfMany,
  NewIds,
} from './call-records.ts'
import type { OffendingRecord } from './close-call.ts'
import type { RejectedBody } from './rejected-body.ts'
import { NO_TOUCHES, touchedValues, type Touches } from './touched-values.ts'

/** What a writing call asks for, with all the work done that needs no state of the company. */
export type Command = CreateCommand | UpdateManyCommand | UpdateOneCommand | UpsertCommand | RefusedCommand

interface CommandFacts {
  operation: Operation
  /** The number of records. */
  count: number
  touches: Touches
  /** The record that a refusal of the whole call names: that of a single update. */
  offending?: OffendingRecord
}

interface CreateCommand extends CommandFacts {
  operation: 'create'
  records: ReadRecord[]
  newIds: NewIds
}

interface UpdateManyCommand extends CommandFacts {
  operation: 'update_many'
  records: ReadRecord[]
}

interface UpsertCommand extends CommandFacts {
  operation: 'upsert'
  records: ReadRecord[]
  newIds: NewIds
}

export interface UpdateOneCommand extends CommandFacts {
  operation: 'update_one'
  record: ReadRecord
  offending: OffendingRecord
  preconditions: Preconditions
}

/** A call that is refused as a whole, whatever the company's state: its records are neither read nor stored. */
interface RefusedCommand extends CommandFacts {
  refusal: Problem
  /** The body, if the call is refused because it could not be read. */
  body?: RejectedBody
}

/** Reads the command of `POST /v1/employees`, which creates one or more employees, all or none. */
export function* readCreate(body: SentJson, maxRecords: number, newId: (prefix: 'emp') => string): Pieces<Command> {
  const form = recordsOfCreate(body, maxRecords)
  if (form.problem) return refusedCommand('create', form.problem, form.count)
  const records = yield* mapInPieces(form.records, readCreation)
  return {
    operation: 'create',
    count: records.length,
    touches: touchedValues(records),
    records,
    newIds: new NewIds(newId),
  }
}

/** Reads the command of `PATCH /v1/employees`, which updates several employees, all or none. */
export function* readUpdateMany(body: SentJson, maxRecords: number): Pieces<Command> {
  const form = recordsOfMany(body, maxRecords)
  if (form.problem) return refusedCommand('update_many', form.problem, form.count)
  const records = yield* mapInPieces(form.records, readUpdate)
  return { operation: 'update_many', count: records.length, touches: touchedValues(records), records }
}

/** Reads the command of `PUT /v1/employees`, which creates or updates several employees, all or none. */
export function* readUpsertMany(body: SentJson, maxRecords: number, newId: (prefix: 'emp') => string): Pieces<Command> {
  const form = recordsOfMany(body, maxRecords)
  if (form.problem) return refusedCommand('upsert', form.problem, form.count)
  const records = yield* mapInPieces(form.records, readUpsert)
  return {
    operation: 'upsert',
    count: records.length,
    touches: touchedValues(records),
    records,
    newIds: new NewIds(newId),
  }
}

/** Reads the command of `PATCH /v1/employees/{id}`. */
export function readUpdateOne(id: string, body: SentJson, preconditions: Preconditions): Command {
  const offending = { locator: { id }, record: body }
  const form = recordOfOne(body)
  if (form.problem) return refusedCommand('update_one', form.problem, 1, offending)
  const record = readUpdateOf(form.records[0]!, id)
  return { operation: 'update_one', count: 1, touches: touchedValues([record]), record, offending, preconditions }
}

/** The command of several employees, or its refusal if it sets a condition that their list does not meet. */
export function underPreconditions(command: Command, preconditions: Preconditions): Command {
  const failed = 'refusal' in command ? null : findFailedCondition(preconditions, null)
  return failed ? refusedCommand(command.operation, conditionWithoutTag(failed), command.count) : command
}

/** The records of a command that were read. */
export function recordsOf(command: Command): ReadRecord[] {
  if ('refusal' in command) return []
  return command.operation === 'update_one' ? [command.record] : command.records
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
  if (operation === 'update_one') return 1
  if (body === undefined) return 0
  // With a maximum of 0, the records are counted and not looked at.
  const form: CallRecords = operation === 'create' ? recordsOfCreate(body, 0) : recordsOfMany(body, 0)
  return form.problem ? form.count : form.records.length
}
