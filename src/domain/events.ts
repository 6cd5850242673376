import type { CallSource, CallNote } from './call-sources.ts'
import type { AttributeName, CustomValue, EmployeeAttributes } from './attributes.ts'
import type { ProblemCode, RecordError } from './errors.ts'
import type { Operation } from './operations.ts'
import type { AttentionKind } from './attention-kinds.ts'
import type { KeyExcess, KeyLimits, KeyScope, RefreshPeriod, ExpectedCalls } from './accounts/api-key.ts'
import type { Role, TokenScope, FailedAttempts, SessionEndReason, SignInMethod } from './accounts/roles.ts'
import type { Fault } from './record-faults.ts'
import type { ProviderSettings, ProviderUse } from './provider-settings.ts'
import type { WebhookDisabledReason, WebhookSettings } from './webhook-types.ts'

/** A value of an attribute in an event; null means unset. */
export type AttributeValue = CustomValue | null

/**
 * Changes by attribute name; custom attributes are named `custom_attributes.KEY`. Excludes `status`, which has its own
 * events.
 */
export type AttributeChanges = Record<string, { from: AttributeValue; to: AttributeValue }>

/** The attributes that a creation sets: those that were sent and are not null, normalized, and always the status. */
export type AttributesSet = Partial<{ [Name in AttributeName]: NonNullable<EmployeeAttributes[Name]> }>

/** The five counts of a Bulk User Log entry. */
export interface CallCounts {
  total: number
  updated: number
  deactivated: number
  failed: number
  no_updates: number
}

export interface CallFacts {
  operation: Operation
  /** When the request was run, RFC 3339 UTC. */
  requested_at: string
  /** Milliseconds from the request's arrival to its decision. */
  duration_ms: number
  /** Null if a user makes the call: then the actor is the user. */
  key: { id: string; name: string } | null
  /** Where the call came from; absent if it is the usual for one with or without a key (see `sourceOf`). */
  source?: CallSource
  request_id: string
  counts: CallCounts
  /** The ids of the failed calls whose records the uploaded file corrects; absent if there are none. */
  corrects?: string[]
  /** Which of their records these are, as far as it is known; absent if it is not. */
  corrected_records?: CorrectedRecords
  /** The part of the uploaded file; absent if the call applies a whole file. */
  part?: FilePart
  /** What was ignored, or kept otherwise than it was sent; absent if nothing was. */
  notes?: CallNote[]
  /** The id of the call that this one takes back; absent if it takes back none. */
  undoes?: string
}

/**
 * By the id of a failed call that a file corrects: pairs of the index of a record in the correcting call, and the index
 * in the failed one.
 */
export type CorrectedRecords = Record<string, [own: number, corrected: number][]>

/** A part of a file that is too large for one call. */
export interface FilePart {
  /** From 1, and the number of all parts. */
  number: number
  of: number
  /** The first and the last row, from 1. The line that names the columns does not count. */
  first_row: number
  last_row: number
}

/** What records that were applied left out: a field, why, and the indexes of the records. */
export interface LeftOut {
  /** A custom attribute is not named. */
  field: string
  fault: Fault
  records: number[]
}

/** A JSON value exactly as a client sent it. */
export type SentJson = unknown

export interface KeyQuota {
  quota_limit: number
  refresh_period: RefreshPeriod
}

/** What a key may do, when it ends, and from where it may be used. Null is never, and anywhere. */
export interface KeyAccess {
  scopes: readonly KeyScope[]
  expires_at: string | null
  allowed_networks: readonly string[] | null
  /** The fields of employees that it may write; absent for all. */
  writable_fields?: readonly AttributeName[]
}

/** What needs attention: of a key, webhook, provider, or projection, and of failed calls also their code. */
interface AttentionData {
  kind: AttentionKind
  subject_id: string
  code?: string
}

/** The fields of a record that can identify a person. */
export const IDENTIFYING_FIELDS = [
  'id',
  'email',
  'external_id',
  'user_name',
  'directory_external_id',
  'manager_id',
  'manager_email',
  'manager_external_id',
] as const

/** The data of each event type, in the current schema version. */
export interface EventData {
  EmployeeCreated: { attributes: AttributesSet }
  EmployeeUpdated: { changes: AttributeChanges }
  EmployeeDeactivated: Record<string, never>
  EmployeeReactivated: Record<string, never>
  /** An identity provider deleted the inactive employee, who is hidden from it until they are reactivated. */
  EmployeeDeprovisioned: Record<string, never>
  EmployeeRecordRejected: {
    /** The name that identified the employee; null for a creation, or if it is longer than any valid name. */
    locator: Partial<Record<'id' | 'external_id' | 'email' | 'user_name', SentJson>> | null
    employee_id: string | null
    /**
     * The record, unchanged but for secrets (see `hideSecrets`), or the start of its JSON text if `truncated` is set. Null if it could not be read, or if the
     * call was refused for its key or its quota.
     */
    record: SentJson
    /** Set if the record is too large to keep whole. */
    truncated?: true
    /** The names in a truncated record, or one of a protocol that names them otherwise. Emails are normalized. */
    names?: Partial<Record<(typeof IDENTIFYING_FIELDS)[number], string | number>>
    /**
     * The first errors. `code` is a record's code or, for a single update, the code of the whole call. `params`, what the
     * message is made of, is absent for a whole call and in version 1.
     */
    errors: { pointer: string; code: RecordError['code'] | ProblemCode; message: string; params?: Fault }[]
    /** The number of further errors; absent if there are none. */
    errors_omitted?: number
  }
  /**
   * `unchanged`: the employees of the records that changed nothing, in the call's order. Other records have events.
   * `http_status`: absent if it is the usual one, 201 of a creation without refused records and else 200. SCIM answers
   * 201 to a creation that brings somebody back, and 204 to a deletion.
   * `left_out`: absent if nothing was.
   */
  ApiCallCompleted: CallFacts & { unchanged: string[]; http_status?: number; left_out?: LeftOut[] }
  ApiCallFailed: CallFacts & { http_status: number; code: ProblemCode; detail: string }
  /** The file of a call that a user made by uploading one. Comes right after the event that closes the call. */
  FileUploaded: { name: string }
  /**
   * A person was erased: the data of the events at these positions is deleted permanently. For a person who appears
   * only in refused records, this event has a stream of its own.
   */
  EmployeeErased: { positions: number[] }
  /** The refused records and file names at these positions exceeded their retention period. In the company's stream. */
  RecordsRetired: { positions: number[] }
  /**
   * Somebody got a report of what is held about a person: an employee or a user, or null for someone who appears only in
   * refused records.
   */
  PersonalDataReported: { subject_id: string | null }
  CompanyRegistered: { name: string }
  /** IANA names of time zones. */
  CompanyTimeZoneChanged: { from: string; to: string }
  CompanyRenamed: { from: string; to: string }
  /** ISO 3166-1 alpha-2: local phone numbers are numbers of this country. Null is none. */
  CompanyCountryChanged: { from: string | null; to: string | null }
  /** Something began, or stopped, needing the attention of administrators: see attention.ts. */
  AttentionRaised: AttentionData
  AttentionResolved: AttentionData
  /** Somebody put off a problem until a day (YYYY-MM-DD) of the company's time zone; null ends that early. */
  AttentionSnoozed: AttentionData & { until: string | null; reason: string | null }
  UserInvited: { email: string; name: string; role: Role }
  UserRoleChanged: { from: Role; to: Role }
  /** An administrator issued a one-time link. The old password stopped working. */
  UserPasswordReset: { link_expires_at: string }
  UserPasswordSet: Record<string, never>
  /** Whether the user gets email when something begins or stops needing attention. */
  UserAlertsChanged: { from: boolean; to: boolean }
  /** Also ends the user's tokens and sessions. */
  UserRemoved: Record<string, never>
  /** A removed user was erased: the data of the events at these positions is deleted. */
  UserErased: { positions: number[] }
  /** Without `scope` and `scopes`, the token allows everything that its user may do. Since version 2, with `scopes`. */
  UserTokenIssued: { token_id: string; name: string; expires_at: string; scope?: 'audit'; scopes?: TokenScope[] }
  UserTokenRevoked: { token_id: string }
  /** The user's account at the identity provider: from now on, signing in there with it is signing in as this user. */
  UserIdentityLinked: { issuer: string; subject: string }
  UserIdentityUnlinked: Record<string, never>
  UserPasskeyAdded: { passkey_id: string; name: string }
  UserPasskeyRemoved: { passkey_id: string }
  /** New codes replace all earlier ones. */
  UserRecoveryCodesIssued: { count: number }
  UserRecoveryCodeUsed: { remaining: number }
  /** `at`: when it happened, RFC 3339 UTC, which is a little before the event is recorded. */
  UserSignedIn: { method: SignInMethod; at: string }
  UserSignedOut: { at: string }
  UserSessionsEnded: { reason: SessionEndReason; count: number; at: string }
  /** The failed sign-ins of the hour that began at `hour`, RFC 3339 UTC. */
  UserSignInFailed: { hour: string; attempts: FailedAttempts }
  ApiKeyIssued: { name: string } & KeyQuota & KeyAccess
  ApiKeyRenamed: { from: string; to: string }
  ApiKeyQuotaChanged: { from: KeyQuota; to: KeyQuota }
  ApiKeyAccessChanged: { from: KeyAccess; to: KeyAccess }
  /** When calls of the key are expected; null is never. */
  ApiKeyExpectedCallsChanged: { from: ExpectedCalls | null; to: ExpectedCalls | null }
  ApiKeyLimitsChanged: { from: KeyLimits; to: KeyLimits }
  /** An administrator allowed the key more than its limits, once. */
  ApiKeyExcessAllowed: KeyExcess
  /** `previous_expires_at`: when the replaced secret stops working; null if it stopped immediately. */
  ApiKeyRotated: { overlap_seconds: number; previous_expires_at: string | null }
  ApiKeyDisabled: Record<string, never>
  ApiKeyEnabled: Record<string, never>
  ApiKeyRevoked: Record<string, never>
  WebhookCreated: WebhookSettings
  /** Only the settings that changed. */
  WebhookChanged: { from: Partial<WebhookSettings>; to: Partial<WebhookSettings> }
  /** `previous_expires_at`: when messages stop being signed with the replaced secret as well; null if at once. */
  WebhookSecretRotated: { overlap_seconds: number; previous_expires_at: string | null }
  WebhookPaused: Record<string, never>
  /** Deliveries go on with the event after this position, which may have been delivered before. */
  WebhookResumed: { position: number }
  /** The service stopped delivering: the receiver answered 410, or refused the same message for three days. */
  WebhookDisabled: { reason: WebhookDisabledReason; position: number }
  WebhookRemoved: Record<string, never>
  IdentityProviderAdded: ProviderSettings
  /** Only the settings that changed. */
  IdentityProviderChanged: { from: Partial<ProviderSettings>; to: Partial<ProviderSettings> }
  /** A new client secret or a new key pair of the service at the provider. */
  IdentityProviderSecretReplaced: Record<string, never>
  IdentityProviderUseChanged: { from: ProviderUse; to: ProviderUse }
  IdentityProviderRemoved: Record<string, never>
}

export type EventType = keyof EventData

/** A decided event, which has no position yet. */
export type NewEvent = {
  [Type in EventType]: {
    type: Type
    /** The id of the employee, call, key, user or company that the event belongs to. */
    stream: string
    /** Its number within the stream, from 1. */
    version: number
    /** The index of the record in the call that caused it; null if no record did. */
    index: number | null
    data: EventData[Type]
  }
}[EventType]

/** An event as read from the ledger. `data` is null once it is erased. */
export type RecordedEvent = {
  [Type in EventType]: {
    type: Type
    stream: string
    version: number
    index: number | null
    data: EventData[Type] | null
    /** Its number in the company's ledger, from 1 without gaps. */
    position: number
    call_id: string | null
    schema_version: number
    /** RFC 3339 UTC with milliseconds; never goes back within a company. */
    recorded_at: string
    /** The id of the key, user, or provider that caused it; `operator`: the command line; `schedule`: the service. */
    actor: string
  }
}[EventType]
