import type { EventType, RecordedEvent } from '../events.ts'
import type { WebhookType } from '../webhook-types.ts'

/** A message of a webhook, as Standard Webhooks shapes it. */
export interface WebhookMessage {
  type: string
  /** When what it tells happened, RFC 3339 UTC. */
  timestamp: string
  data: Record<string, unknown>
}

/** An event type that messages tell. */
export type ToldType = Exclude<
  Extract<EventType, `Employee${string}` | `Api${string}` | `Attention${string}`>,
  'EmployeeRecordRejected' | 'AttentionSnoozed'
>

/** The message type that tells each event type. Other events are not told. */
const TYPES: Record<ToldType, WebhookType> = {
  ApiCallCompleted: 'api_call.completed',
  ApiCallFailed: 'api_call.failed',
  EmployeeCreated: 'employee.created',
  EmployeeUpdated: 'employee.updated',
  EmployeeDeactivated: 'employee.deactivated',
  EmployeeReactivated: 'employee.reactivated',
  EmployeeErased: 'employee.erased',
  ApiKeyIssued: 'api_key.issued',
  ApiKeyRenamed: 'api_key.changed',
  ApiKeyQuotaChanged: 'api_key.changed',
  ApiKeyAccessChanged: 'api_key.changed',
  ApiKeyExpectedCallsChanged: 'api_key.changed',
  ApiKeyLimitsChanged: 'api_key.changed',
  ApiKeyExcessAllowed: 'api_key.changed',
  ApiKeyRotated: 'api_key.rotated',
  ApiKeyDisabled: 'api_key.disabled',
  ApiKeyEnabled: 'api_key.enabled',
  ApiKeyRevoked: 'api_key.revoked',
  AttentionRaised: 'attention.raised',
  AttentionResolved: 'attention.resolved',
}

type ToldEvent = Extract<RecordedEvent, { type: ToldType }>

function isTold(event: RecordedEvent): event is ToldEvent {
  return Object.hasOwn(TYPES, event.type)
}

/** The event types that messages of these types tell. */
export function listEventTypes(types: readonly WebhookType[]): EventType[] {
  return (Object.keys(TYPES) as ToldType[]).filter((type) => types.includes(TYPES[type]))
}

/**
 * Describes an event as a message: ids, its position and the names of what changed. With `includeData`, also the
 * values. An erased event has neither names nor values. Throws on an event that no message tells.
 */
export function describeEvent(event: RecordedEvent, includeData: boolean): WebhookMessage {
  if (!isTold(event)) throw new TypeError(`no message tells ${event.type}`)
  return { type: TYPES[event.type], timestamp: event.recorded_at, data: describeData(event, includeData) }
}

function describeData(event: ToldEvent, includeData: boolean): Record<string, unknown> {
  const { stream, position, version, call_id: callId, actor } = event
  const erased = event.data === null ? { erased: true } : {}
  const employee = { employee_id: stream, position, version, log_id: callId, ...erased }
  switch (event.type) {
    case 'ApiCallCompleted':
    case 'ApiCallFailed':
      return { log_id: stream, position, ...describeCall(event, includeData) }
    case 'AttentionRaised':
    case 'AttentionResolved':
      return { position, ...erased, ...event.data }
    case 'ApiKeyIssued':
    case 'ApiKeyRenamed':
    case 'ApiKeyQuotaChanged':
    case 'ApiKeyAccessChanged':
    case 'ApiKeyExpectedCallsChanged':
    case 'ApiKeyLimitsChanged':
    case 'ApiKeyExcessAllowed':
    case 'ApiKeyRotated':
    case 'ApiKeyDisabled':
    case 'ApiKeyEnabled':
    case 'ApiKeyRevoked': {
      const values = includeData && event.data !== null ? { details: event.data } : {}
      return { key_id: stream, position, actor, ...erased, ...values }
    }
    case 'EmployeeCreated': {
      if (event.data === null) return employee
      const { attributes } = event.data
      return { ...employee, changed: Object.keys(attributes), ...(includeData ? { attributes } : {}) }
    }
    case 'EmployeeUpdated': {
      if (event.data === null) return employee
      const { changes } = event.data
      return { ...employee, changed: Object.keys(changes), ...(includeData ? { changes } : {}) }
    }
    case 'EmployeeDeactivated':
    case 'EmployeeReactivated':
    case 'EmployeeErased':
      return employee
  }
}

function describeCall(
  event: Extract<RecordedEvent, { type: 'ApiCallCompleted' | 'ApiCallFailed' }>,
  includeData: boolean,
): Record<string, unknown> {
  const { data } = event
  if (data === null) return { erased: true }
  const call = { operation: data.operation, counts: data.counts, ...describeCaller(event.actor, data.key) }
  if (!('detail' in data)) return call
  return { ...call, http_status: data.http_status, code: data.code, ...(includeData ? { detail: data.detail } : {}) }
}

/** A user who uploads a file has no key. */
function describeCaller(actor: string, key: { id: string } | null) {
  return key ? { key_id: key.id } : { user_id: actor }
}
