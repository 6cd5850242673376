import t from 'tap'
import { NO_LIMITS } from '../../../src/domain/accounts/key-limits.ts'
import type { EventData, EventType, RecordedEvent } from '../../../src/domain/events.ts'
import { EVENT_TYPES } from '../../../src/domain/event-types.ts'
import { WEBHOOK_TYPES, type WebhookTopic } from '../../../src/domain/webhook-types.ts'
import { describeEvent, listEventTypes, type ToldType } from '../../../src/domain/webhooks/webhook-message.ts'

const UUID = '01h455vb4pex5vsknk084sn02q'
const AT = '2026-11-20T14:05:09.000Z'
const ACCESS = { scopes: ['employees:read'], expires_at: null, allowed_networks: null } as const
const QUOTA = { quota_limit: 5, refresh_period: 'daily' } as const
const COUNTS = { total: 1, updated: 0, deactivated: 0, failed: 1, no_updates: 0 }
const CALL = {
  operation: 'create' as const,
  requested_at: AT,
  duration_ms: 1,
  request_id: 'r',
  counts: COUNTS,
  key: { id: `key_${UUID}`, name: 'HR' },
}
const SECRET = 'Ana Pérez <ana@example.com>'

/** An event with a value that only messages with data may hold. */
const EVENTS: { [Type in ToldType]: EventData[Type] } = {
  ApiCallCompleted: { ...CALL, unchanged: [] },
  ApiCallFailed: { ...CALL, http_status: 422, code: 'validation_failed', detail: SECRET },
  EmployeeCreated: {
    attributes: { first_name: SECRET, status: 'active' },
  },
  EmployeeUpdated: { changes: { job_title: { from: null, to: SECRET } } },
  EmployeeDeactivated: {},
  EmployeeReactivated: {},
  EmployeeErased: { positions: [1] },
  ApiKeyIssued: { name: SECRET, ...QUOTA, ...ACCESS },
  ApiKeyRenamed: { from: SECRET, to: 'b' },
  ApiKeyQuotaChanged: { from: QUOTA, to: QUOTA },
  ApiKeyAccessChanged: { from: ACCESS, to: ACCESS },
  ApiKeyExpectedCallsChanged: { from: null, to: { every_hours: 1 } },
  ApiKeyLimitsChanged: { from: NO_LIMITS, to: { max_deactivations: '10%', max_changes: 5 } },
  ApiKeyExcessAllowed: { max_deactivations: 9, max_changes: null, until: AT },
  ApiKeyRotated: { overlap_seconds: 0, previous_expires_at: null },
  ApiKeyDisabled: {},
  ApiKeyEnabled: {},
  ApiKeyRevoked: {},
  AttentionRaised: { kind: 'quota_used', subject_id: `key_${UUID}` },
  AttentionResolved: { kind: 'quota_used', subject_id: `key_${UUID}` },
}

function eventOf(type: EventType, data: unknown): RecordedEvent {
  const place = { position: 9, version: 2, index: null, schema_version: 1, recorded_at: AT, actor: `usr_${UUID}` }
  const stream = `${EVENT_TYPES[type].stream}_${UUID}`
  const callId = EVENT_TYPES[type].isOfCall ? `log_${UUID}` : null
  return { type, stream, call_id: callId, ...place, data } as RecordedEvent
}

const types = Object.keys(EVENTS) as ToldType[]

await t.test('each message type tells some event, and each told event has a type', async (t) => {
  t.strictSame(listEventTypes(WEBHOOK_TYPES).toSorted(), types.toSorted())
  const told = new Set(types.map((type) => describeEvent(eventOf(type, EVENTS[type]), false).type))
  t.strictSame([...told].toSorted(), [...WEBHOOK_TYPES].toSorted())
  t.strictSame(listEventTypes(['employee.erased']), ['EmployeeErased'])
})

await t.test(
  'a message names what its type is about: an employee, a key, a call, or what needs attention',
  async (t) => {
    const ids: Record<WebhookTopic, string> = {
      employee: 'employee_id',
      api_key: 'key_id',
      api_call: 'log_id',
      attention: 'subject_id',
    }
    for (const type of types) {
      const message = describeEvent(eventOf(type, EVENTS[type]), false)
      const [topic] = message.type.split('.') as [WebhookTopic]
      const named = Object.values(ids).filter((id) => id in message.data && !(topic === 'employee' && id === 'log_id'))
      if (topic === 'api_call') t.ok(named.includes(ids[topic]), type)
      else t.strictSame(named, [ids[topic]], type)
    }
  },
)

await t.test('a thin message holds no value of an employee, key or failure', async (t) => {
  for (const type of types)
    t.notMatch(JSON.stringify(describeEvent(eventOf(type, EVENTS[type]), false)), /Ana|ana@/, type)
})

await t.test('a message with data holds the values', async (t) => {
  const { data } = describeEvent(eventOf('EmployeeUpdated', EVENTS.EmployeeUpdated), true)
  t.strictSame(data, {
    employee_id: `emp_${UUID}`,
    position: 9,
    version: 2,
    log_id: `log_${UUID}`,
    changed: ['job_title'],
    changes: { job_title: { from: null, to: SECRET } },
  })
  for (const type of ['EmployeeCreated', 'ApiCallFailed', 'ApiKeyIssued', 'ApiKeyRenamed'] as const)
    t.match(JSON.stringify(describeEvent(eventOf(type, EVENTS[type]), true)), SECRET, type)
})

await t.test('a message about an erased event has ids and says so, whatever the webhook asks for', async (t) => {
  for (const type of types) {
    const { data } = describeEvent(eventOf(type, null), true)
    t.match(data, { position: 9, erased: true }, type)
    t.notOk('changed' in data || 'attributes' in data || 'changes' in data, type)
  }
})

await t.test('an event that no message tells is refused', async (t) => {
  t.throws(() => describeEvent(eventOf('EmployeeRecordRejected', {}), false), TypeError)
})
