import { Type, type TSchema } from '@sinclair/typebox'
import { ATTENTION_KINDS } from '#domain/attention-kinds'
import { CALL_SOURCES } from '#domain/call-sources'
import { OPERATION_NAMES } from '#domain/operations'
import { PING_TYPE, WEBHOOK_TYPES, type WebhookType } from '#domain/webhook-types'
import { CallCounts } from './answer-schemas.ts'
import { EXAMPLE_EMPLOYEE_ID } from './employee-examples.ts'
import { EmployeeId, LogId, orNull } from './employee-schemas.ts'
import {
  namedObject,
  oneOf,
  optionalInteger,
  optionalString,
  strictObject,
  Time,
  text,
  example,
  type Example,
} from './schema-parts.ts'

/* The messages that webhooks send. Values are there only if the webhook has `include_data`. */

const Position = Type.Integer({ minimum: 1, description: "The position of the event in the company's ledger." })
const KeyId = text('The id of the API key.')
const Actor = text('The id of the user who did it, or `operator`.')
const Values = Type.Record(Type.String(), Type.Unknown())
const withValues = 'Only if the webhook includes data.'

const erased = {
  erased: Type.Optional(
    Type.Literal(true, { description: 'Set if the data of the event have been erased: there are no names or values.' }),
  ),
}

const ofEmployee = {
  employee_id: EmployeeId,
  position: Position,
  version: Type.Integer({ minimum: 1, description: 'The number of the event in the history of the employee.' }),
  log_id: orNull(LogId),
  ...erased,
}
const changed = Type.Optional(Type.Array(Type.String(), { description: 'The names of the attributes.' }))
const call = {
  log_id: LogId,
  position: Position,
  operation: Type.Optional(oneOf(OPERATION_NAMES)),
  source: Type.Optional(oneOf(CALL_SOURCES, 'Where the call came from.')),
  counts: Type.Optional(CallCounts),
  key_id: Type.Optional(KeyId),
  user_id: optionalString({ description: 'The user who uploaded a file. Such a call has no `key_id`.' }),
  ...erased,
}
const ofKey = strictObject({
  key_id: KeyId,
  position: Position,
  actor: Actor,
  ...erased,
  details: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: `The data of the event. ${withValues}` }),
  ),
})
const ofAttention = strictObject({
  position: Position,
  ...erased,
  kind: Type.Optional(
    oneOf(ATTENTION_KINDS, 'What is wrong, as in `GET /admin/v1/attention`. More kinds may be added.'),
  ),
  subject_id: optionalString({ description: 'The id of the key, webhook, identity provider, or read model.' }),
  code: optionalString({ description: 'The code with which calls failed.' }),
})
const ofEmployeeOnly = strictObject(ofEmployee)

/* What the examples say. */

const LOG_ID = 'log_01m7wqmfakeh492yt3mpqyceyp'
const KEY_ID = 'key_01m7wqmdcmeh492ysnphxjjrzt'
const COUNTS = { total: 2, updated: 1, deactivated: 0, failed: 0, no_updates: 1 }
const CALL = {
  log_id: LOG_ID,
  position: 42,
  operation: 'update_many',
  source: 'Public API',
  counts: COUNTS,
  key_id: KEY_ID,
}
const EMPLOYEE = { employee_id: EXAMPLE_EMPLOYEE_ID, position: 42, version: 2, log_id: LOG_ID }
const KEY = { key_id: KEY_ID, position: 42, actor: 'usr_01m7wqmdcmeh492ysnphxjjrzt' }
const ATTENTION = { position: 42, kind: 'calls_failed', subject_id: KEY_ID, code: 'validation_failed' }

/** What a message says. `values` are what the example has in addition if the webhook includes data. */
const describe = (summary: string, data: TSchema, shown: object, values?: object) => ({ summary, data, shown, values })

const MESSAGES: Record<WebhookType | typeof PING_TYPE, ReturnType<typeof describe>> = {
  'api_call.completed': describe('A writing call was completed', strictObject(call), CALL),
  'api_call.failed': describe(
    'A writing call failed',
    strictObject({
      ...call,
      http_status: optionalInteger({ description: 'The status that the call was answered with.' }),
      code: optionalString({ description: 'The code of its problem.' }),
      detail: optionalString({ description: `What was wrong. ${withValues}` }),
    }),
    {
      ...CALL,
      counts: { ...COUNTS, updated: 0, failed: 2, no_updates: 0 },
      http_status: 422,
      code: 'validation_failed',
    },
    { detail: '1 of 2 records has errors; nothing was applied' },
  ),
  'employee.created': describe(
    'An employee was created',
    strictObject({
      ...ofEmployee,
      changed,
      attributes: Type.Optional({ ...Values, description: `The attributes that were set. ${withValues}` }),
    }),
    { ...EMPLOYEE, version: 1, changed: ['first_name', 'last_name', 'email', 'status'] },
    { attributes: { first_name: 'Ana', last_name: 'Perez', email: 'ana.perez@example.com', status: 'active' } },
  ),
  'employee.updated': describe(
    'Attributes of an employee changed',
    strictObject({
      ...ofEmployee,
      changed,
      changes: Type.Optional(
        Type.Record(Type.String(), strictObject({ from: Type.Unknown(), to: Type.Unknown() }), {
          description: `The old and the new value of each attribute. ${withValues}`,
        }),
      ),
    }),
    { ...EMPLOYEE, changed: ['job_title'] },
    { changes: { job_title: { from: null, to: 'Engineer' } } },
  ),
  'employee.deactivated': describe('An employee was deactivated', ofEmployeeOnly, EMPLOYEE),
  'employee.reactivated': describe('An employee was reactivated', ofEmployeeOnly, EMPLOYEE),
  'employee.erased': describe("An employee's personal data were erased", ofEmployeeOnly, { ...EMPLOYEE, log_id: null }),
  'api_key.issued': describe('An API key was issued', ofKey, KEY, {
    details: { name: 'HR sync', quota_limit: 10_000, refresh_period: 'monthly' },
  }),
  'api_key.changed': describe('An API key was changed, such as its name or quota', ofKey, KEY, {
    details: { from: 'HR sync', to: 'Nightly sync' },
  }),
  'api_key.rotated': describe('The secret of an API key was rotated', ofKey, KEY, {
    details: { overlap_seconds: 3_600, previous_expires_at: '2026-11-20T16:01:40.325Z' },
  }),
  'api_key.disabled': describe('An API key was disabled', ofKey, KEY),
  'api_key.enabled': describe('An API key was enabled', ofKey, KEY),
  'api_key.revoked': describe('An API key was revoked', ofKey, KEY),
  'attention.raised': describe('Something began to need attention', ofAttention, ATTENTION),
  'attention.resolved': describe('Something stopped needing attention', ofAttention, ATTENTION),
  [PING_TYPE]: describe(
    'A test message that an administrator sent',
    strictObject({ webhook_id: text('The id of the webhook.') }),
    { webhook_id: 'whk_01m7wqmdcmeh492ysnphxjjrzt' },
  ),
}

/** The types of all messages, in the order of the document. */
const MESSAGE_TYPES = [...WEBHOOK_TYPES, PING_TYPE] as const

/** Makes the schema of the messages of a type. */
function messageSchema(type: (typeof MESSAGE_TYPES)[number]): TSchema {
  return namedObject(nameSchema(type), {
    type: Type.Literal(type),
    timestamp: { ...Time, description: 'When it happened: when the event was recorded.' },
    data: MESSAGES[type].data,
  })
}

/** Shows a message as usual and, if it then has more, with values. */
function makeExamples(type: (typeof MESSAGE_TYPES)[number]): Record<string, Example> {
  const { shown, values } = MESSAGES[type]
  const show = (summary: string, of: object) =>
    example(summary, { type, timestamp: '2026-11-20T15:01:40.325Z', data: of })
  return {
    thin: show('As usual', shown),
    ...(values ? { values: show('With `include_data`', { ...shown, ...values }) } : {}),
  }
}

/** Names the schema of a type: `EmployeeCreatedMessage`. */
function nameSchema(type: string) {
  const words = type.split(/[._]/).map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
  return `${words.join('')}Message`
}

const HEADERS = {
  'webhook-id': {
    description:
      'The id of the message, the same for each attempt to deliver it. A receiver that has seen it ignores the ' +
      'message.',
    schema: { type: 'string' },
    example: 'msg_01m7wqmfakeh492yss9pa6yb7t_42',
  },
  'webhook-timestamp': {
    description: 'When this attempt was made, in seconds since 1970.',
    schema: { type: 'integer' },
    example: 1_795_359_600,
  },
  'webhook-signature': {
    description:
      'The signatures of `webhook-id`, `webhook-timestamp` and the body, each as `v1,` and Base64: one, or two ' +
      'separated by a space during a secret rotation.',
    schema: { type: 'string' },
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
}

/** The headers of messages as components of the document, by component name. */
export const MESSAGE_PARAMETERS = Object.fromEntries(
  Object.entries(HEADERS).map(([name, described]) => [name, { name, in: 'header', required: true, ...described }]),
)

/** Describes the messages of all types, as OpenAPI's `webhooks`. `refer` turns a schema into a reference. */
export function describeMessages(refer: (schema: object) => object): Record<string, object> {
  return Object.fromEntries(
    MESSAGE_TYPES.map((type) => {
      const content = { schema: refer(messageSchema(type)), examples: makeExamples(type) }
      const operation = {
        operationId: nameSchema(type),
        summary: MESSAGES[type].summary,
        description: 'A POST to the URL of the webhook, signed as Standard Webhooks specifies.',
        tags: ['Webhooks'],
        security: [],
        parameters: Object.keys(HEADERS).map((name) => ({ $ref: `#/components/parameters/${name}` })),
        requestBody: { required: true, content: { 'application/json': content } },
        responses: RESPONSES,
      }
      return [type, { post: operation }]
    }),
  )
}

const RESPONSES = {
  '2XX': {
    description: 'The receiver has accepted the message. Anything else, or no answer in 10 seconds, is a retry.',
  },
  '410': { description: 'The receiver wants no more messages: the webhook is disabled.' },
}
