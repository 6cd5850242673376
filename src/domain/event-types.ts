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

const RULES = {
  EmployeeCreated: { stream: 'emp', version: 1, isOfCall: true, erasedBy: ['EmployeeErased'] },
  EmployeeUpdated: { stream: 'emp', version: 1, isOfCall: true, erasedBy: ['EmployeeErased'] },
  EmployeeDeactivated: { stream: 'emp', version: 1, isOfCall: true, erasedBy: ['EmployeeErased'] },
  EmployeeReactivated: { stream: 'emp', version: 1, isOfCall: true, erasedBy: ['EmployeeErased'] },
  EmployeeDeprovisioned: { stream: 'emp', version: 1, isOfCall: true, erasedBy: ['EmployeeErased'] },
  EmployeeRecordRejected: { stream: 'log', version: 2, isOfCall: true, erasedBy: ['EmployeeErased', 'RecordsRetired'] },
  ApiCallCompleted: { stream: 'log', version: 4, isOfCall: true },
  ApiCallFailed: { stream: 'log', version: 3, isOfCall: true },
  FileUploaded: { stream: 'log', version: 1, erasedBy: ['EmployeeErased', 'RecordsRetired', 'UserErased'] },
  EmployeeErased: { stream: 'emp', version: 1 },
  RecordsRetired: { stream: 'com', version: 1 },
  PersonalDataReported: { stream: 'com', version: 1 },
  CompanyRegistered: { stream: 'com', version: 1 },
  CompanyTimeZoneChanged: { stream: 'com', version: 1 },
  CompanyRenamed: { stream: 'com', version: 1 },
  CompanyCountryChanged: { stream: 'com', version: 1 },
  AttentionRaised: { stream: 'com', version: 1 },
  AttentionResolved: { stream: 'com', version: 1 },
  AttentionSnoozed: { stream: 'com', version: 1 },
  UserInvited: { stream: 'usr', version: 1, erasedBy: ['UserErased'] },
  UserRoleChanged: { stream: 'usr', version: 1 },
  UserPasswordReset: { stream: 'usr', version: 1 },
  UserPasswordSet: { stream: 'usr', version: 1 },
  UserAlertsChanged: { stream: 'usr', version: 1 },
  UserRemoved: { stream: 'usr', version: 1 },
  UserErased: { stream: 'usr', version: 1 },
  UserTokenIssued: { stream: 'usr', version: 2, erasedBy: ['UserErased'] },
  UserTokenRevoked: { stream: 'usr', version: 1 },
  UserIdentityLinked: { stream: 'usr', version: 1, erasedBy: ['UserErased'] },
  UserIdentityUnlinked: { stream: 'usr', version: 1 },
  UserPasskeyAdded: { stream: 'usr', version: 1, erasedBy: ['UserErased'] },
  UserPasskeyRemoved: { stream: 'usr', version: 1 },
  UserRecoveryCodesIssued: { stream: 'usr', version: 1 },
  UserRecoveryCodeUsed: { stream: 'usr', version: 1 },
  UserSignedIn: { stream: 'usr', version: 1 },
  UserSignedOut: { stream: 'usr', version: 1 },
  UserSessionsEnded: { stream: 'usr', version: 1 },
  UserSignInFailed: { stream: 'usr', version: 1 },
  ApiKeyIssued: { stream: 'key', version: 2 },
  ApiKeyRenamed: { stream: 'key', version: 1 },
  ApiKeyQuotaChanged: { stream: 'key', version: 1 },
  ApiKeyAccessChanged: { stream: 'key', version: 2 },
  ApiKeyExpectedCallsChanged: { stream: 'key', version: 1 },
  ApiKeyLimitsChanged: { stream: 'key', version: 1 },
  ApiKeyExcessAllowed: { stream: 'key', version: 1 },
  ApiKeyRotated: { stream: 'key', version: 1 },
  ApiKeyDisabled: { stream: 'key', version: 1 },
  ApiKeyEnabled: { stream: 'key', version: 1 },
  ApiKeyRevoked: { stream: 'key', version: 1 },
  WebhookCreated: { stream: 'whk', version: 1 },
  WebhookChanged: { stream: 'whk', version: 1 },
  WebhookSecretRotated: { stream: 'whk', version: 1 },
  WebhookPaused: { stream: 'whk', version: 1 },
  WebhookResumed: { stream: 'whk', version: 1 },
  WebhookDisabled: { stream: 'whk', version: 1 },
  WebhookRemoved: { stream: 'whk', version: 1 },
  IdentityProviderAdded: { stream: 'idp', version: 1 },
  IdentityProviderChanged: { stream: 'idp', version: 1 },
  IdentityProviderSecretReplaced: { stream: 'idp', version: 1 },
  IdentityProviderUseChanged: { stream: 'idp', version: 1 },
  IdentityProviderRemoved: { stream: 'idp', version: 1 },
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
