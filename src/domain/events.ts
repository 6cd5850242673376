import type { AttributeName, CustomValue, EmployeeAttributes } from './attributes.ts'
import type { ProblemCode, RecordError } from './errors.ts'
import type { RefreshPeriod, Role, TokenScope } from './company.ts'

/** A value of an attribute in an event; null means unset. */
export type AttributeValue = CustomValue | null

/**
 * What changed, by name. A custom attribute stands as `custom_attributes.KEY`; `status` never stands here,
 * it has events of its own.
 */
export type AttributeChanges = Record<string, { from: AttributeValue; to: AttributeValue }>

/** The attributes that a creation set: what was sent and is not null, normalised, and always the status. */
export type AttributesSet = Partial<{ [Name in AttributeName]: NonNullable<EmployeeAttributes[Name]> }>

/** The five counts of a Bulk User Log entry. */
export interface CallCounts {
  total: number
  updated: number
  deactivated: number
  failed: number
  no_updates: number
}

export type Operation = 'create' | 'update_one' | 'update_many'

interface CallFacts {
  operation: Operation
  /** When the request was run, RFC 3339 UTC. */
  requested_at: string
  /** Milliseconds from the request's arrival to its decision. */
  duration_ms: number
  key: { id: string; name: string }
  request_id: string
  counts: CallCounts
}

/** A JSON value exactly as a client sent it. */
export type SentJson = unknown

export interface KeyQuota {
  quota_limit: number
  refresh_period: RefreshPeriod
}

/** The fields of a record that can identify a person. E-mail addresses are normalised. */
export type RecordNames = Partial<
  Record<'id' | 'email' | 'external_id' | 'manager_id' | 'manager_email' | 'manager_external_id', string | number>
>

/** The data of each event type, in today's schema version. */
export interface EventData {
  EmployeeCreated: { attributes: AttributesSet }
  EmployeeUpdated: { changes: AttributeChanges }
  EmployeeDeactivated: Record<string, never>
  EmployeeReactivated: Record<string, never>
  EmployeeRecordRejected: {
    /** What named the employee; null for a creation, and when it is longer than any name can be. */
    locator: { id?: SentJson; external_id?: SentJson; email?: SentJson } | null
    employee_id: string | null
    /** The record, unchanged, or the start of its JSON text if `truncated` is set. Null if it could not be read. */
    record: SentJson
    /** Set if the record is too large to keep whole. */
    truncated?: true
    /** What a truncated record names people by. */
    names?: RecordNames
    /** The first ones. `code` is a record's code or, for a single update, the code of the whole call. */
    errors: { pointer: string; code: RecordError['code'] | ProblemCode; message: string }[]
    /** How many more errors the record has; absent when it has none. */
    errors_omitted?: number
  }
  ApiCallCompleted: CallFacts & { unchanged: { index: number; employee_id: string }[] }
  ApiCallFailed: CallFacts & { http_status: number; code: ProblemCode; detail: string }
  /**
   * A person is forgotten: the data of the events at these positions are gone, for ever and for every reader. Those of
   * a rejected person who was never created stand in a stream of their own.
   */
  EmployeeErased: { positions: number[] }
  /** The data of rejected records at these positions were older than they are kept for. Stands in the company's stream. */
  RecordsRetired: { positions: number[] }
  CompanyRegistered: { name: string }
  /** The time zone in which people of the company read times: an IANA name. */
  CompanyTimeZoneChanged: { from: string; to: string }
  UserInvited: { email: string; name: string; role: Role }
  UserRoleChanged: { from: Role; to: Role }
  /** An administrator made a one-time link; the password that was is void. */
  UserPasswordReset: { link_expires_at: string }
  UserPasswordSet: Record<string, never>
  /** Ends the user's tokens and sessions as well. */
  UserRemoved: Record<string, never>
  /** A removed user is forgotten: the data of the events at these positions are gone. */
  UserErased: { positions: number[] }
  /** `scope` only where the token is narrowed to it: those that were issued before there were scopes have none. */
  UserTokenIssued: { token_id: string; name: string; expires_at: string; scope?: TokenScope }
  UserTokenRevoked: { token_id: string }
  ApiKeyIssued: { name: string } & KeyQuota
  ApiKeyRenamed: { from: string; to: string }
  ApiKeyQuotaChanged: { from: KeyQuota; to: KeyQuota }
  /** Until when the secret that was replaced still works; null when it ended at once. */
  ApiKeyRotated: { overlap_seconds: number; previous_expires_at: string | null }
  ApiKeyDisabled: Record<string, never>
  ApiKeyEnabled: Record<string, never>
  ApiKeyRevoked: Record<string, never>
}

export type EventType = keyof EventData

/** The schema version that each event type is written in today. Older shapes are upcast when they are read. */
export const SCHEMA_VERSIONS: Record<EventType, number> = {
  EmployeeCreated: 1,
  EmployeeUpdated: 1,
  EmployeeDeactivated: 1,
  EmployeeReactivated: 1,
  EmployeeRecordRejected: 1,
  ApiCallCompleted: 1,
  ApiCallFailed: 1,
  EmployeeErased: 1,
  RecordsRetired: 1,
  CompanyRegistered: 1,
  CompanyTimeZoneChanged: 1,
  UserInvited: 1,
  UserRoleChanged: 1,
  UserPasswordReset: 1,
  UserPasswordSet: 1,
  UserRemoved: 1,
  UserErased: 1,
  UserTokenIssued: 1,
  UserTokenRevoked: 1,
  ApiKeyIssued: 1,
  ApiKeyRenamed: 1,
  ApiKeyQuotaChanged: 1,
  ApiKeyRotated: 1,
  ApiKeyDisabled: 1,
  ApiKeyEnabled: 1,
  ApiKeyRevoked: 1,
}

/** An event that has been decided and has no position yet. */
export type NewEvent = {
  [Type in EventType]: {
    type: Type
    /** The id of the employee, call, key, user or company whose stream it is. */
    stream: string
    /** Its number in that stream, from 1. */
    version: number
    /** The record of the call that it comes from. */
    index: number | null
    data: EventData[Type]
  }
}[EventType]

/** An event as it was read from the ledger. `data` is null once it has been erased. */
export type RecordedEvent = {
  [Type in EventType]: {
    type: Type
    stream: string
    version: number
    index: number | null
    data: EventData[Type] | null
    /** Its place in the company's ledger, from 1 without a gap. */
    position: number
    call_id: string | null
    schema_version: number
    /** RFC 3339 UTC with milliseconds; never goes back within a company. */
    recorded_at: string
    /** The id of the API key or user that caused it, `operator` for the command line, `schedule` for retention. */
    actor: string
  }
}[EventType]

/** The last event of each call closes it: the events of one call stand next to each other. */
export function closesCall(event: { type: EventType; call_id: string | null }): boolean {
  return event.call_id === null || event.type === 'ApiCallCompleted' || event.type === 'ApiCallFailed'
}
