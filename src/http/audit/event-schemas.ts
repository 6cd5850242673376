import type { Static } from '@sinclair/typebox'
import { Type } from '@sinclair/typebox'
import { SCHEMA_VERSIONS } from '../../domain/events.ts'
import { isId } from '../../domain/ids.ts'
import { STRICT } from '../openapi/schema-parts.ts'
import { orNull } from '../openapi/employee-schemas.ts'
import { invalidQuery } from '../server/query-values.ts'

const MAX_LIMIT = 10_000
const FORMATS = ['plain', 'proof'] as const
export const Position = Type.Integer({
  minimum: 1,
  description: "A place in the company's ledger, from 1 without a gap.",
})

/** Filters that a stream can follow. */
export const FollowQuery = {
  after: Type.Optional(
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Only events behind this position.' }),
  ),
  type: Type.Optional(
    Type.String({ minLength: 1, maxLength: 1_000, description: 'Only events of these types, parted by commas.' }),
  ),
  employee: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Only the events of the stream of this employee: `emp_…`.',
    }),
  ),
}

export const StreamQuery = Type.Object(FollowQuery, STRICT)
export const EventsQuery = Type.Object(
  {
    ...FollowQuery,
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_LIMIT,
        description: 'How many events at most; without it, all up to the one that was the last when the answer began.',
      }),
    ),
    format: Type.Optional(
      Type.Unsafe<(typeof FORMATS)[number]>({
        ...{ type: 'string', enum: [...FORMATS], default: 'plain' },
        description: '`plain` for people and programs, `proof` for verification: the very bytes that were hashed.',
      }),
    ),
    call: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'Only the events of this call: `log_…`.' }),
    ),
    from: Type.Optional(
      Type.String({ format: 'date-time', description: 'Recorded at this instant or later (RFC 3339).' }),
    ),
    to: Type.Optional(Type.String({ format: 'date-time', description: 'Recorded before this instant (RFC 3339).' })),
  },
  STRICT,
)

const eventMembers = {
  position: Position,
  call_id: orNull(
    Type.String({ description: 'The call that it belongs to, which is also its entry in Bulk User Logs.' }),
  ),
  stream: Type.String({ description: 'The id of the employee, call, key, user or company that it is about.' }),
  version: Type.Integer({ minimum: 1, description: 'Its number in that stream, from 1 without a gap.' }),
  type: Type.String({ examples: ['EmployeeUpdated'] }),
  schema_version: Type.Integer({ minimum: 1, description: 'The version of the shape in which the data were written.' }),
  index: orNull(Type.Integer({ minimum: 0, description: 'The record of the call that it comes from.' })),
  recorded_at: Type.String({ format: 'date-time' }),
  actor: Type.String({
    description: 'The id of the API key or user that caused it, or `operator` for the command line.',
  }),
}

export const AuditEvent = Type.Object(
  {
    ...eventMembers,
    data: Type.Unsafe<unknown>({
      type: ['object', 'null'],
      additionalProperties: true,
      description: 'Null once erased.',
    }),
  },
  { $id: 'AuditEvent', ...STRICT, description: 'An event as it was written.' },
)

export const ProofEvent = Type.Object(
  {
    envelope: Type.String({
      description: 'Its UTF-8 bytes behind a zero byte hash to the leaf (RFC 6962), with SHA-256.',
    }),
    data: orNull(
      Type.String({ description: 'The bytes of the salt and of this hash to `data_hash` of the envelope.' }),
    ),
    salt: orNull(Type.String({ pattern: '^[0-9a-f]{32}$', description: '16 bytes in hexadecimal' })),
  },
  { $id: 'ProofEvent', ...STRICT, description: 'The very texts that were hashed; data and salt are null once erased.' },
)

export const Cause = Type.Object(
  {
    position: Position,
    recorded_at: eventMembers.recorded_at,
    call_id: eventMembers.call_id,
    actor: eventMembers.actor,
    type: eventMembers.type,
  },
  { $id: 'Cause', ...STRICT, description: 'The event that made an attribute what it is.' },
)

/** Reads the filters that need no look at the ledger. Throws a problem on what has the right form and still no meaning. */
export function readFollowFilter({ type, employee }: Static<typeof StreamQuery>): {
  types?: string[]
  stream?: string
} {
  const types = type?.split(',')
  if (types?.some((name) => !Object.hasOwn(SCHEMA_VERSIONS, name))) {
    throw invalidQuery('type', 'must be types of events, parted by commas')
  }
  if (employee !== undefined && !isId('emp', employee)) throw invalidQuery('employee', 'must be the id of an employee')
  return { ...(types ? { types } : {}), ...(employee === undefined ? {} : { stream: employee }) }
}

/** Refuses a position behind the head: nothing is there yet, or what was there is gone. */
export function assertNotBeyond(name: string, position: number, head: number): void {
  if (position > head) throw invalidQuery(name, `lies beyond the head of the ledger, which is at position ${head}`)
}
