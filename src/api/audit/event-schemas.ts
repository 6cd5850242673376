import { omitUndefined } from '#domain/omit-undefined'
import { Type, type Static } from '@sinclair/typebox'
import { isEventType } from '#domain/event-types'
import { isId } from '#domain/ids'
import { describedObject, optionalInteger, optionalString, strictObject, text, count } from '#http/openapi/schema-parts'
import { orNull } from '#http/openapi/employee-schemas'
import { invalidQuery } from '#http/server/query-values'

const MAX_LIMIT = 10_000
const FORMATS = ['plain', 'proof'] as const
export const Position = Type.Integer({
  minimum: 1,
  description: "A position in the company's ledger: 1, 2, 3 and so on, without gaps.",
})

/** Filters that a live stream supports. */
const FollowQuery = {
  after: optionalInteger({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Only events after this position.',
  }),
  type: optionalString({
    minLength: 1,
    maxLength: 1_000,
    description: 'Only events of these types, separated by commas.',
  }),
  employee: optionalString({
    minLength: 1,
    maxLength: 64,
    description: 'Only events of this employee: `emp_…`.',
  }),
}

export const StreamQuery = strictObject(FollowQuery)
export const EventsQuery = strictObject({
  ...FollowQuery,
  limit: optionalInteger({
    minimum: 1,
    maximum: MAX_LIMIT,
    description: 'The maximum number of events. Default: all up to the head of the ledger at the time of the request.',
  }),
  format: Type.Optional(
    Type.Unsafe<(typeof FORMATS)[number]>({
      type: 'string',
      enum: [...FORMATS],
      default: 'plain',
      description: '`plain` for people and programs, `proof` for verification: the exact bytes that were hashed.',
    }),
  ),
  stream: optionalString({
    minLength: 1,
    maxLength: 64,
    description: 'Only events of this employee, API key, webhook, identity provider, user, or company.',
  }),
  actor: optionalString({
    minLength: 1,
    maxLength: 64,
    description: 'Only events that this API key, user, or identity provider caused, or `operator` or `schedule`.',
  }),
  q: optionalString({
    minLength: 1,
    maxLength: 254,
    description: 'Only events whose data contain this text. Case does not matter. Names of members count too.',
  }),
  call: optionalString({ minLength: 1, maxLength: 64, description: 'Only events of this call: `log_…`.' }),
  from: optionalString({ format: 'date-time', description: 'Recorded at or after this time (RFC 3339).' }),
  to: optionalString({ format: 'date-time', description: 'Recorded before this time (RFC 3339).' }),
})

const eventMembers = {
  position: Position,
  call_id: orNull(text('The id of the call that made the event, and of its entry in Bulk User Logs.')),
  stream: text(
    'The id of the employee, call, API key, webhook, identity provider, user, or company that the event is about.',
  ),
  version: Type.Integer({
    minimum: 1,
    description: 'The number of the event in its stream: 1, 2, 3 and so on, without gaps.',
  }),
  type: Type.String({ examples: ['EmployeeUpdated'] }),
  schema_version: Type.Integer({ minimum: 1, description: 'The version of the structure of `data`.' }),
  index: orNull(count('The index of the record in the call.')),
  recorded_at: Type.String({ format: 'date-time' }),
  actor: text(
    'The id of the API key, user, or identity provider that caused the event; `operator` for the command line; or ' +
      '`schedule` for what the service does by itself.',
  ),
}

export const AuditEvent = describedObject('AuditEvent', 'An event of the ledger.', {
  ...eventMembers,
  data: Type.Unsafe<unknown>({
    type: ['object', 'null'],
    additionalProperties: true,
    description: 'Null after erasure.',
  }),
})

export const ProofEvent = describedObject(
  'ProofEvent',
  'The exact strings that were hashed. `data` and `salt` are null after erasure.',
  {
    envelope: text('The SHA-256 of a zero byte followed by its UTF-8 bytes is the leaf (RFC 6962).'),
    data: orNull(text('The SHA-256 of the salt followed by these bytes is `data_hash` in the envelope.')),
    salt: orNull(Type.String({ pattern: '^[0-9a-f]{32}$', description: '16 bytes in hexadecimal.' })),
  },
)

export const Cause = describedObject('Cause', 'The event that last set an attribute.', {
  position: Position,
  recorded_at: eventMembers.recorded_at,
  call_id: eventMembers.call_id,
  actor: eventMembers.actor,
  type: eventMembers.type,
})

/** Reads the filters that need no ledger access. Throws a problem for values that are well-formed but meaningless. */
export function readFollowFilter({ type, employee }: Static<typeof StreamQuery>): {
  types?: string[]
  stream?: string
} {
  const types = type?.split(',')
  if (types?.some((name) => !isEventType(name))) {
    throw invalidQuery('type', 'must be event types separated by commas')
  }
  if (employee !== undefined && !isId('emp', employee)) throw invalidQuery('employee', 'must be an employee id')
  return { ...(types ? { types } : {}), ...omitUndefined({ stream: employee }) }
}

/** Throws a problem for a position beyond the head of the ledger. */
export function assertNotBeyond(name: string, position: number, head: number) {
  if (position > head) throw invalidQuery(name, `is beyond the head of the ledger at position ${head}`)
}
