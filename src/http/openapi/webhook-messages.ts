import { Type, type TSchema } from '@sinclair/typebox'
import { ATTENTION_KINDS } from '../../domain/attention-kinds.ts'
import { OPERATIONS } from '../../domain/events.ts'
import { PING_TYPE, WEBHOOK_TYPES, type WebhookType } from '../../domain/webhook-types.ts'
import { CallCounts } from './answer-schemas.ts'
import { EmployeeId, LogId, orNull } from './employee-schemas.ts'
import { namedObject, oneOf, optionalInteger, optionalString, strictObject, Time } from './schema-parts.ts'
import { MESSAGE_EXAMPLES } from './webhook-examples.ts'

/* The messages that webhooks send. Values are there only if the webhook has `include_data`. */

const Position = Type.Integer({ minimum: 1, description: "The position of the event in the company's ledger." })
const KeyId = Type.String({ description: 'The id of the API key.' })
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
  operation: Type.Optional(oneOf(OPERATIONS)),
  counts: Type.Optional(CallCounts),
  key_id: Type.Optional(KeyId),
  user_id: optionalString({ description: 'The user who uploaded a file. Such a call has no `key_id`.' }),
  ...erased,
}
const ofKey = strictObject({
  key_id: KeyId,
  position: Position,
  actor: Type.String({ description: 'The id of the user who did it, or `operator`.' }),
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

const DATA: Record<WebhookType | typeof PING_TYPE, TSchema> = {
  'api_call.completed': strictObject(call),
  'api_call.failed': strictObject({
    ...call,
    http_status: optionalInteger({ description: 'The status that the call was answered with.' }),
    code: optionalString({ description: 'The code of its problem.' }),
    detail: optionalString({ description: `What was wrong. ${withValues}` }),
  }),
  'employee.created': strictObject({
    ...ofEmployee,
    changed,
    attributes: Type.Optional({ ...Values, description: `The attributes that were set. ${withValues}` }),
  }),
  'employee.updated': strictObject({
    ...ofEmployee,
    changed,
    changes: Type.Optional(
      Type.Record(Type.String(), strictObject({ from: Type.Unknown(), to: Type.Unknown() }), {
        description: `The old and the new value of each attribute. ${withValues}`,
      }),
    ),
  }),
  'employee.deactivated': ofEmployeeOnly,
  'employee.reactivated': ofEmployeeOnly,
  'employee.erased': ofEmployeeOnly,
  'api_key.issued': ofKey,
  'api_key.changed': ofKey,
  'api_key.rotated': ofKey,
  'api_key.disabled': ofKey,
  'api_key.enabled': ofKey,
  'api_key.revoked': ofKey,
  'attention.raised': ofAttention,
  'attention.resolved': ofAttention,
  [PING_TYPE]: strictObject({ webhook_id: Type.String({ description: 'The id of the webhook.' }) }),
}

const SUMMARIES: Record<WebhookType | typeof PING_TYPE, string> = {
  'api_call.completed': 'A writing call was completed',
  'api_call.failed': 'A writing call failed',
  'employee.created': 'An employee was created',
  'employee.updated': 'Attributes of an employee changed',
  'employee.deactivated': 'An employee was deactivated',
  'employee.reactivated': 'An employee was reactivated',
  'employee.erased': "An employee's personal data were erased",
  'api_key.issued': 'An API key was issued',
  'api_key.changed': 'An API key was changed, such as its name or quota',
  'api_key.rotated': 'The secret of an API key was rotated',
  'api_key.disabled': 'An API key was disabled',
  'api_key.enabled': 'An API key was enabled',
  'api_key.revoked': 'An API key was revoked',
  'attention.raised': 'Something began to need attention',
  'attention.resolved': 'Something stopped needing attention',
  [PING_TYPE]: 'A test message that an administrator sent',
}

/** The types of all messages, in the order of the document. */
const MESSAGE_TYPES = [...WEBHOOK_TYPES, PING_TYPE] as const

/** Makes the schema of the messages of a type. */
function messageSchema(type: (typeof MESSAGE_TYPES)[number]): TSchema {
  return namedObject(nameSchema(type), {
    type: Type.Literal(type),
    timestamp: { ...Time, description: 'When it happened: when the event was recorded.' },
    data: DATA[type],
  })
}

/** Names the schema of a type: `EmployeeCreatedMessage`. */
function nameSchema(type: string): string {
  const words = type.split(/[._]/).map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
  return `${words.join('')}Message`
}

const HEADERS = {
  'webhook-id': {
    description:
      'The id of the message, the same for each attempt to deliver it. A receiver that has seen it ignores the message.',
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
      'The signatures of `webhook-id`, `webhook-timestamp` and the body, each as `v1,` and Base64: one, or two separated ' +
      'by a space during a secret rotation.',
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
      const content = { schema: refer(messageSchema(type)), examples: MESSAGE_EXAMPLES[type] }
      const operation = {
        operationId: nameSchema(type),
        summary: SUMMARIES[type],
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
