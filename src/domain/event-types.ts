import type { CallFacts, EventData, EventType, KeyAccess, NewEvent } from './events.ts'
import type { IdPrefix } from './ids.ts'
import { rulesOf } from './operations.ts'

/** The event types that erase the data of other events, in the transaction that appends them. */
export const ERASING_TYPES = ['EmployeeErased', 'RecordsRetired', 'UserErased'] as const satisfies EventType[]

export type ErasingType = (typeof ERASING_TYPES)[number]

/** What events are about: the prefixes of their streams' ids. */
export const STREAM_PREFIXES = ['emp', 'log', 'com', 'usr', 'key', 'whk', 'idp'] as const satisfies IdPrefix[]

export type StreamPrefix = (typeof STREAM_PREFIXES)[number]

interface EventTypeRules {
  /** The ledger stores the stream's id without it. */
  stream: StreamPrefix
  /** The latest version of the schema of its data. All versions up to it can be read. */
  version: number
  /** Calls make events of these types, and nothing else does. Events of all other types have no call. */
  isOfCall?: true
  /** Its data may be personal, and events of these types may erase them. Absent: its data are never erased. */
  erasedBy?: readonly ErasingType[]
}

/* What the types of a stream have in common: those that say nothing else are of version 1, and are never erased. */
const OF_EMPLOYEE = { stream: 'emp', version: 1 } as const
const OF_COMPANY = { stream: 'com', version: 1 } as const
const OF_USER = { stream: 'usr', version: 1 } as const
const OF_KEY = { stream: 'key', version: 1 } as const
const OF_WEBHOOK = { stream: 'whk', version: 1 } as const
const OF_PROVIDER = { stream: 'idp', version: 1 } as const
const OF_CHANGED_EMPLOYEE = { ...OF_EMPLOYEE, isOfCall: true, erasedBy: ['EmployeeErased'] } as const

const RULES = {
  EmployeeCreated: OF_CHANGED_EMPLOYEE,
  EmployeeUpdated: OF_CHANGED_EMPLOYEE,
  EmployeeDeactivated: OF_CHANGED_EMPLOYEE,
  EmployeeReactivated: OF_CHANGED_EMPLOYEE,
  EmployeeDeprovisioned: OF_CHANGED_EMPLOYEE,
  EmployeeRecordRejected: { stream: 'log', version: 2, isOfCall: true, erasedBy: ['EmployeeErased', 'RecordsRetired'] },
  ApiCallCompleted: { stream: 'log', version: 4, isOfCall: true },
  ApiCallFailed: { stream: 'log', version: 3, isOfCall: true },
  FileUploaded: { stream: 'log', version: 1, erasedBy: ['EmployeeErased', 'RecordsRetired', 'UserErased'] },
  EmployeeErased: OF_EMPLOYEE,
  RecordsRetired: OF_COMPANY,
  PersonalDataReported: OF_COMPANY,
  CompanyRegistered: OF_COMPANY,
  CompanyTimeZoneChanged: OF_COMPANY,
  CompanyRenamed: OF_COMPANY,
  CompanyCountryChanged: OF_COMPANY,
  AttentionRaised: OF_COMPANY,
  AttentionResolved: OF_COMPANY,
  AttentionSnoozed: OF_COMPANY,
  UserInvited: { ...OF_USER, erasedBy: ['UserErased'] },
  UserRoleChanged: OF_USER,
  UserPasswordReset: OF_USER,
  UserPasswordSet: OF_USER,
  UserAlertsChanged: OF_USER,
  UserRemoved: OF_USER,
  UserErased: OF_USER,
  UserTokenIssued: { stream: 'usr', version: 2, erasedBy: ['UserErased'] },
  UserTokenRevoked: OF_USER,
  UserIdentityLinked: { ...OF_USER, erasedBy: ['UserErased'] },
  UserIdentityUnlinked: OF_USER,
  UserPasskeyAdded: { ...OF_USER, erasedBy: ['UserErased'] },
  UserPasskeyRemoved: OF_USER,
  UserRecoveryCodesIssued: OF_USER,
  UserRecoveryCodeUsed: OF_USER,
  UserSignedIn: OF_USER,
  UserSignedOut: OF_USER,
  UserSessionsEnded: OF_USER,
  UserSignInFailed: OF_USER,
  ApiKeyIssued: { stream: 'key', version: 2 },
  ApiKeyRenamed: OF_KEY,
  ApiKeyQuotaChanged: OF_KEY,
  ApiKeyAccessChanged: { stream: 'key', version: 2 },
  ApiKeyExpectedCallsChanged: OF_KEY,
  ApiKeyLimitsChanged: OF_KEY,
  ApiKeyExcessAllowed: OF_KEY,
  ApiKeyRotated: OF_KEY,
  ApiKeyDisabled: OF_KEY,
  ApiKeyEnabled: OF_KEY,
  ApiKeyRevoked: OF_KEY,
  WebhookCreated: OF_WEBHOOK,
  WebhookChanged: OF_WEBHOOK,
  WebhookSecretRotated: OF_WEBHOOK,
  WebhookPaused: OF_WEBHOOK,
  WebhookResumed: OF_WEBHOOK,
  WebhookDisabled: OF_WEBHOOK,
  WebhookRemoved: OF_WEBHOOK,
  IdentityProviderAdded: OF_PROVIDER,
  IdentityProviderChanged: OF_PROVIDER,
  IdentityProviderSecretReplaced: OF_PROVIDER,
  IdentityProviderUseChanged: OF_PROVIDER,
  IdentityProviderRemoved: OF_PROVIDER,
} as const satisfies Readonly<Record<EventType, EventTypeRules>>

/**
 * All event types. The database function `erase_events` has its own copy of what may be erased, in the migration that
 * created it last; a test compares the two.
 */
export const EVENT_TYPES: Readonly<Record<EventType, EventTypeRules>> = RULES

/** The event types that have certain rules, such as `{ stream: 'emp' }`. */
export type EventTypeWith<Rules extends Partial<EventTypeRules>> = {
  [Type in EventType]: (typeof RULES)[Type] extends Rules ? Type : never
}[EventType]

/** The event types that tell what became of a record of a call. */
export type RecordEventType = Exclude<EventTypeWith<{ isOfCall: true }>, 'ApiCallCompleted' | 'ApiCallFailed'>

/** The event types whose data an erasing event may erase. */
export type ErasedBy<Erasing extends ErasingType> = {
  [Type in EventType]: (typeof RULES)[Type] extends { erasedBy: readonly (infer By)[] }
    ? Erasing extends By
      ? Type
      : never
    : never
}[EventType]

/** The schema version of a new event: the earliest that can hold its data, so that older programs read what they can. */
export function schemaVersionOf({ type, data }: Pick<NewEvent, 'type' | 'data'>): number {
  // Since version 2, the errors of a refused record have parameters.
  if (type === 'EmployeeRecordRejected')
    return (data as EventData[typeof type]).errors.some(({ params }) => params) ? 2 : 1
  // Since version 2, a key may have the scope of identity providers, and may write only some fields.
  if (type === 'ApiKeyIssued') return isNewerAccess(data as KeyAccess) ? 2 : 1
  if (type === 'ApiKeyAccessChanged') return Object.values(data as EventData[typeof type]).some(isNewerAccess) ? 2 : 1
  if (type === 'UserTokenIssued') return (data as EventData[typeof type]).scopes ? 2 : 1
  if (type !== 'ApiCallCompleted' && type !== 'ApiCallFailed') return EVENT_TYPES[type].version
  return Math.max(neededFor(type, data as CallFacts), rulesOf((data as CallFacts).operation).since[type])
}

function isNewerAccess({ scopes, writable_fields: fields }: KeyAccess) {
  return scopes.includes('scim') || fields !== undefined
}

function neededFor(type: 'ApiCallCompleted' | 'ApiCallFailed', data: CallFacts): number {
  // Since 4, and 3 of a failed one, a call may say where it came from, and what of it was ignored.
  if (data.source !== undefined || data.notes !== undefined) return type === 'ApiCallCompleted' ? 4 : 3
  // Since 4, a completed call may have another status than its operation usually has, and may leave something out of
  // its records. Since 3, it may have refused records.
  if (type === 'ApiCallCompleted' && ('http_status' in data || 'left_out' in data)) return 4
  if (type === 'ApiCallCompleted' && data.counts.failed > 0) return 3
  // Since 2, a call may have no key, and may correct others.
  return data.key === null ? 2 : 1
}

/** Whether this version of the program knows an event type. */
export function isEventType(type: string): type is EventType {
  return Object.hasOwn(EVENT_TYPES, type)
}

/** Whether calls make events of a type. */
export function isOfCall(type: string): type is EventTypeWith<{ isOfCall: true }> {
  return isEventType(type) && EVENT_TYPES[type].isOfCall === true
}

/** Whether an event is one of a call. */
export function isCallEvent<Event extends { type: EventType }>(
  event: Event,
): event is Extract<Event, { type: EventTypeWith<{ isOfCall: true }> }> {
  return isOfCall(event.type)
}

/** Whether an event is the last one of its call. The events of a call are contiguous. */
export function closesCall(event: { type: EventType; call_id: string | null }): boolean {
  return event.call_id === null || event.type === 'ApiCallCompleted' || event.type === 'ApiCallFailed'
}

/** Whether an event erases the data of other events. */
export function isErasing<Event extends { type: string }>(event: Event): event is Event & { type: ErasingType } {
  return (ERASING_TYPES as readonly string[]).includes(event.type)
}

/** Whether an erasing event may erase the data of events of a type. */
export function mayErase(erasing: ErasingType, type: string): boolean {
  return isEventType(type) && EVENT_TYPES[type].erasedBy?.includes(erasing) === true
}
