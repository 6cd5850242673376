import type { CallSource, CallNote } from '#domain/call-sources'
import type { AttributePatch, EmployeeStatus } from '#domain/attributes'
import type { Employee, RecordResult } from '#domain/employees/employee'
import type { Problem, RecordError } from '#domain/errors'
import type { CallCounts, EventData, NewEvent } from '#domain/events'
import type { Operation } from '#domain/operations'
import type { ReadRecord, LeftOutField } from './call-records.ts'
import type { RefusalWording } from './key-refusals.ts'
import type { CalledFile } from './callers.ts'
import type { RejectedBody } from './rejected-body.ts'
import type { KeyScope } from '#domain/accounts/api-key'

/** The context of a decision. Time and ids come from outside, so that deciding is pure. */
export interface CallContext {
  callId: string
  operation: Operation
  requestId: string
  source: CallSource
  /** Null if a user makes the call. */
  key: { id: string; name: string } | null
  upload: CalledFile | null
  /** The id of the call that it takes back; null if it takes back none. */
  undoes: string | null
  requestedAt: string
  durationMs: number
  /** The time of the events, RFC 3339 UTC. */
  now: string
  /** Whether one record that can't be applied keeps all others from being applied. */
  isAllOrNone: boolean
  /** What of the call was ignored, or kept otherwise than it was sent. */
  notes?: readonly CallNote[]
  /** The status of a call that succeeds, if it is not the usual one. */
  status?: number
  /** How the call's protocol words its refusals. */
  wording: RefusalWording
  /** Whether an upsert finds somebody without an external id by their email address: see `locateEmployee`. */
  linksByEmail: boolean
  /** Whether a new start date clears an end date before it that is stored, of a record that sends none. */
  clearsEndDates?: boolean | undefined
  /** The country of the company (ISO 3166-1 alpha-2), whose local phone numbers are read; null if it has none. */
  country: string | null
}

/** The outcome of one record of a successful call. */
export interface AppliedRecord {
  index: number
  id: string
  /** The employee after the call; null if the record changes nothing and their state was not needed to tell. */
  employee: Employee | null
  /** The employee's status after the call. */
  status: EmployeeStatus
  /** Whether the record says which status the employee should have. */
  setsStatus: boolean
  /** Whether the record gives the employee a manager who is inactive after the call. */
  hasInactiveManager: boolean
  /** Null for a creation. */
  result: RecordResult | null
  changed: string[]
  /** What the record would have set, too, but left out; absent if there is nothing. */
  leftOut?: readonly LeftOutField[]
}

/** A record that was not applied, with the errors that are kept of it. */
export interface RefusedRecord {
  index: number
  /** The employee whom the record names, and their status; null if there is none. */
  id: string | null
  status: EmployeeStatus | null
  errors: RecordError[]
  errorCount: number
  /** The data of its event. */
  data: EventData['EmployeeRecordRejected']
}

/** The decision on a call: the events to append, including the closing event, and the result for the client. */
export interface CallDecision {
  events: NewEvent[]
  counts: CallCounts
  /** Null when the call succeeded. */
  problem: Problem | null
  /** One for each record of a successful call, in the order sent; empty for a failed one. */
  outcomes: AppliedRecord[]
  /** Of a successful call, in the order sent. */
  refusals: RefusedRecord[]
  /**
   * Of a successful call, the employees about whom the same record changes nothing again, with what it sets: those whose
   * states showed that it changes nothing, and new ones.
   */
  unchanged: { employee: Employee; patch: AttributePatch }[]
  /** The body, if it could not be read. */
  rejectedBody?: RejectedBody
  /** Of a call that fails for some of its records, the events that the others would have had. */
  withheld: NewEvent[]
  /** Of such a call, the valid records. */
  valid?: readonly ReadRecord[]
}

/** The answer to the client. */
export interface CallAnswer {
  status: number
  headers: Record<string, string>
  /** A value of JSON, or its text in UTF-8. */
  body: unknown
}

/** Where a writing call comes from, and how it is answered. The answer is made with the decision, and stored with it. */
export interface CallProtocol extends RefusalWording {
  source: CallSource
  /** What an API key needs to make the call. */
  scope: KeyScope
  /** Answers a call that succeeded. `logId` is null if the call only validates. */
  answer(
    context: Pick<CallContext, 'operation' | 'isAllOrNone'>,
    decision: CallDecision,
    logId: string | null,
  ): CallAnswer
  /** Answers a call that was refused. `logId` is null if the log has no entry of it. */
  refuse(refusal: Problem, requestId: string, logId: string | null): CallAnswer
}
