import type { PING_TYPE, WebhookType } from '../../domain/webhook-types.ts'
import type { Example } from './documented-schema.ts'
import { EXAMPLE_EMPLOYEE_ID } from './employee-examples.ts'

const LOG_ID = 'log_01m7wqmfakeh492yt3mpqyceyp'
const KEY_ID = 'key_01m7wqmdcmeh492ysnphxjjrzt'
const employee = { employee_id: EXAMPLE_EMPLOYEE_ID, position: 42, version: 2, log_id: LOG_ID }
const key = { key_id: KEY_ID, position: 42, actor: 'usr_01m7wqmdcmeh492ysnphxjjrzt' }
const attention = { position: 42, kind: 'calls_failed', subject_id: KEY_ID, code: 'validation_failed' }
const counts = { total: 2, updated: 1, deactivated: 0, failed: 0, no_updates: 1 }
const call = { log_id: LOG_ID, position: 42, operation: 'update_many', counts, key_id: KEY_ID }
const failed = { ...call, counts: { ...counts, updated: 0, failed: 2, no_updates: 0 }, http_status: 422 }
const created = { ...employee, version: 1, changed: ['first_name', 'last_name', 'email', 'status'] }
const attributes = { first_name: 'Ana', last_name: 'Perez', email: 'ana.perez@example.com', status: 'active' }
const changes = { job_title: { from: null, to: 'Engineer' } }

/** Example messages, by type. */
export const MESSAGE_EXAMPLES: Record<WebhookType | typeof PING_TYPE, Record<string, Example>> = {
  'api_call.completed': show('api_call.completed', call),
  'api_call.failed': show(
    'api_call.failed',
    { ...failed, code: 'validation_failed' },
    { detail: '1 of 2 records has errors; nothing was applied' },
  ),
  'employee.created': show('employee.created', created, { attributes }),
  'employee.updated': show('employee.updated', { ...employee, changed: ['job_title'] }, { changes }),
  'employee.deactivated': show('employee.deactivated', employee),
  'employee.reactivated': show('employee.reactivated', employee),
  'employee.erased': show('employee.erased', { ...employee, log_id: null }),
  'api_key.issued': show('api_key.issued', key, {
    details: { name: 'HR sync', quota_limit: 10_000, refresh_period: 'monthly' },
  }),
  'api_key.changed': show('api_key.changed', key, { details: { from: 'HR sync', to: 'Nightly sync' } }),
  'api_key.rotated': show('api_key.rotated', key, {
    details: { overlap_seconds: 3_600, previous_expires_at: '2026-11-20T16:01:40.325Z' },
  }),
  'api_key.disabled': show('api_key.disabled', key),
  'api_key.enabled': show('api_key.enabled', key),
  'api_key.revoked': show('api_key.revoked', key),
  'attention.raised': show('attention.raised', attention),
  'attention.resolved': show('attention.resolved', attention),
  'webhook.ping': show('webhook.ping', { webhook_id: 'whk_01m7wqmdcmeh492ysnphxjjrzt' }),
}

/** Shows a message as usual and, if it then has more, with values. */
function show(type: string, data: object, values?: object): Record<string, Example> {
  const message = (of: object) => ({ type, timestamp: '2026-11-20T15:01:40.325Z', data: of })
  return {
    thin: { summary: 'As usual', value: message(data) },
    ...(values ? { values: { summary: 'With `include_data`', value: message({ ...data, ...values }) } } : {}),
  }
}
