import type { CallSource, CallNote } from '#domain/call-sources'
import type { AttributePatch, EmployeeStatus } from '#domain/attributes'
import type { Employee, RecordResult, PatchEffect } from '#domain/employees/employee'
import type { Problem, RecordError } from '#domain/errors'
import type { CallCounts, EventData, NewEvent } from '#domain/events'
import type { Operation } from '#domain/operations'
import type { ReadRecord, LeftOutField, Locator, Need } from './call-records.ts'
import type { RefusalWording } from './key-refusals.ts'
import type { CalledFile } from './callers.ts'
import type { RejectedBody } from './rejected-body.ts'
import type { KeyScope } from '#domain/accounts/api-key'
import type { FieldError, RecordErrors } from '#domain/record-faults'

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
export function addCollision(draft: Draft, { path, fault }: FieldError) {
  draft.errors.add(path, fault)
  draft.collisions += 1
}
