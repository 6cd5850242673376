import { conditionWithoutTag, findFailedCondition, type Preconditions } from '#domain/employees/entity-tag'
import type { Problem } from '#domain/errors'
import type { SentJson } from '#domain/events'
import { isSingle, rulesOf, type ManyOperation, type Operation, type SingleOperation } from '#domain/operations'
import { mapInPieces, type Pieces } from '#domain/pieces'
import { type ReadRecord, readRecord, readUpdateOf, recordOfOne, recordsOfMany, NewIds } from './call-records.ts'
import type { OffendingRecord } from './close-call.ts'
import type { FittedCommand } from './decide-fitted.ts'
import type { RejectedBody } from './rejected-body.ts'
import { NO_TOUCHES, touchedValues, type Touches } from './uniqueness.ts'
import type { CallProtocol } from './call-decision.ts'
import type { Caller } from './callers.ts'

/** What a writing call asks for, with all the work done that needs no state of the company. */
export type Command = ManyCommand | UpdateOneCommand | FittedCommand | RefusedCommand

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
  const records = yield* mapInPieces(form.records, (record) => readRecord(operation, record), 1)
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

/** A writing call on its way into the ledger: complete before any lock is taken. */
export interface WriteCall {
  callId: string
  companyId: string
  caller: Caller
  protocol: CallProtocol
  /** The client's address. */
  sentFrom: string
  /** The client's `User-Agent`; null if it sent none. */
  userAgent: string | null
  requestId: string
  /** `performance.now()` when the request arrived. */
  arrivedAt: number
  /** `performance.now()` until which it may wait for its turn. */
  waitsUntil: number
  idempotency: Idempotency | null
  /** Bytes of the body. */
  bodyBytes: number
  /** Whether one record that can't be applied keeps all others from being applied. */
  isAllOrNone: boolean
  /** Whether its valid records are kept if it fails because of others. */
  keepsFailed?: boolean
  /** Whether an upsert finds somebody without an external id by their email address: see `locateEmployee`. */
  linksByEmail: boolean
  /** Whether a new start date clears an end date before it that is stored, of a record that sends none. */
  clearsEndDates?: boolean | undefined
  /** Answer what would happen, and store nothing but the use of the key. */
  validateOnly: boolean
  /** W3C `traceparent` of the request; null when nobody collects its trace. */
  traceparent: string | null
  command: Command
}

/** A usual record has a few hundred bytes; a larger one counts as several. */
const BYTES_OF_RECORD = 1_024

/** The weight of a call in the queues, in records of a usual size: what it costs, whatever it claims. */
export function weightOf({ command, bodyBytes }: WriteCall): number {
  const [records, bytes] = 'refusal' in command ? [0, command.body?.text.length ?? 0] : [command.count, bodyBytes]
  return Math.max(1, records, Math.ceil(bytes / BYTES_OF_RECORD))
}

const MAX_SMALL_WEIGHT = 20

/** Whether a call is so small that it shares a transaction with those of other companies, which it must not delay. */
export function isSmall(call: WriteCall): boolean {
  return weightOf(call) <= MAX_SMALL_WEIGHT
}

/** A call's idempotency key and the request that carries it. */
export interface Idempotency {
  /** HMAC-SHA-256 under the company's secret, in hexadecimal. */
  keyHash: string
  /** SHA-256 of the request, in hexadecimal. It must not be stored: with it, what was sent can be guessed. */
  requestHash: string
}

/** An answer as it is kept for retries; the header names are in lower case. */
export interface StoredAnswer {
  status: number
  headers: Record<string, string>
  /** JSON in UTF-8. */
  body: Buffer
}

/** The call that a call's idempotency key is bound to already. */
export interface EarlierCall {
  callId: string
  /** The position of its last event. */
  position: number
  /** Null once it has expired or was erased. */
  answer: StoredAnswer | null
  /** Whether it was the same request. Unknown, so true, without its answer. */
  isSameRequest: boolean
}

/** An answer to bind an idempotency key to. */
export interface Binding extends StoredAnswer {
  /** Whether the request may name people whom neither the call's events nor the answer show: any erasure forgets it. */
  mayNameAnyone: boolean
}
