import { Type, type TSchema } from '@sinclair/typebox'
import {
  type AttributeName,
  ALTERNATIVES,
  ATTRIBUTE_NAMES,
  ATTRIBUTE_RULES,
  MAX_CUSTOM_ATTRIBUTES,
  MAX_CUSTOM_KEY_CHARACTERS,
  MAX_CUSTOM_TEXT_CHARACTERS,
  PHONE,
} from '#domain/attributes'
import { describedObject, nullable } from './schema-parts.ts'

/** What a schema describes: an employee in a response, a new employee, or a merge patch. */
type Purpose = 'answer' | 'creation' | 'patch'

export const EmployeeId = id('emp', 'EmployeeId', 'The id of an employee.')
export const LogId = id('log', 'LogId', 'The id of a call and of its entry in Bulk User Logs.')
const Timestamp = Type.String({
  $id: 'Timestamp',
  format: 'date-time',
  description: 'RFC 3339, UTC, with milliseconds.',
})

function id(prefix: string, name: string, description: string): TSchema {
  return Type.String({ $id: name, pattern: `^${prefix}_[0-7][0-9a-z]{25}$`, description: `${description} A TypeID.` })
}

/** Makes a schema nullable. */
export function orNull(schema: TSchema): TSchema {
  const { type } = schema as { type?: string }
  return schema.$id === undefined && type !== undefined && !('enum' in schema)
    ? Type.Unsafe({ ...schema, type: [type, 'null'] })
    : nullable(schema)
}

/** Makes the schema of an attribute from the domain's rule for it. */
export function attributeSchema(name: AttributeName, purpose: Purpose): TSchema {
  const schema = valueSchema(name, purpose)
  const rule = ATTRIBUTE_RULES[name]
  const isCleared = purpose === 'answer' ? rule.kind === 'custom' : false
  return rule.kind === 'status' || isCleared ? schema : orNull(schema)
}

function valueSchema(name: AttributeName, purpose: Purpose): TSchema {
  const rule = ATTRIBUTE_RULES[name]
  switch (rule.kind) {
    case 'text':
      // 1.0.0 stored empty texts, but none of these.
      return Type.String(
        purpose === 'answer' && IS_FILLED.has(name) ? { minLength: 1, maxLength: rule.max } : { maxLength: rule.max },
      )
    case 'user_name':
      return Type.String({
        ...(purpose === 'answer' ? { minLength: 1 } : {}),
        maxLength: rule.max,
        description: 'Unique under Unicode NFKC and lower case. Stored as it is spelled.',
      })
    case 'email':
      return Type.String(
        purpose === 'answer'
          ? { format: 'idn-email', maxLength: rule.max }
          : { maxLength: rule.max, description: 'An email address. Stored in lower case and Unicode NFKC.' },
      )
    case 'phone':
      return Type.String(
        purpose === 'answer'
          ? { pattern: PHONE.source, description: 'E.164.' }
          : {
              description:
                'A number in any usual spelling, with its country code unless the company has a country. Stored as ' +
                'E.164.',
            },
      )
    case 'date':
      return Type.String(
        purpose === 'answer'
          ? { format: 'date' }
          : { description: '`YYYY-MM-DD`, or midnight of that day without a time zone or in UTC.' },
      )
    case 'status':
      if (purpose === 'answer') return EmployeeStatus
      return Type.Unsafe({
        ...STATUS,
        ...(purpose === 'creation'
          ? { default: 'active' }
          : { description: '`inactive` deactivates the employee; `active` reactivates the employee.' }),
      })
    case 'manager':
      return EmployeeId
    case 'custom':
      return customSchema(purpose)
  }
}

const IS_FILLED: ReadonlySet<AttributeName> = new Set(ALTERNATIVES.flat())

const STATUS = { type: 'string', enum: ['active', 'inactive'] }

export const EmployeeStatus = Type.Unsafe(STATUS)

function customSchema(purpose: Purpose): TSchema {
  const values: TSchema[] = [Type.String({ maxLength: MAX_CUSTOM_TEXT_CHARACTERS }), Type.Number(), Type.Boolean()]
  // A request may have more members than the employee ends up with, because null removes one.
  const limits = purpose === 'answer' ? { maxProperties: MAX_CUSTOM_ATTRIBUTES } : {}
  return Type.Unsafe({
    type: 'object',
    propertyNames: { minLength: 1, maxLength: MAX_CUSTOM_KEY_CHARACTERS },
    additionalProperties: Type.Union(purpose === 'answer' ? values : [...values, Type.Null()]),
    ...limits,
    description:
      purpose === 'answer'
        ? 'Your own attributes.'
        : `Your own attributes. \`null\` removes one. The employee can have at most ${MAX_CUSTOM_ATTRIBUTES} after ` +
          'the call. A value takes the type that the attribute has if both types write it the same.',
  })
}

function attributes(purpose: Purpose): Record<string, TSchema> {
  return Object.fromEntries(ATTRIBUTE_NAMES.map((name) => [name, attributeSchema(name, purpose)]))
}

/** Read-only fields. */
const KEPT = {
  created_at: Timestamp,
  updated_at: Timestamp,
  deactivated_at: orNull(Timestamp),
  deprovisioned_at: orNull(
    Type.String({
      format: 'date-time',
      description: 'When an identity provider deleted the employee. Null for others, and once they are reactivated.',
    }),
  ),
  version: Type.Integer({ minimum: 1 }),
}

export const Employee = describedObject('Employee', 'An employee. Every field is present, null when unset.', {
  id: EmployeeId,
  ...attributes('answer'),
  ...KEPT,
})

export const EmployeeAsCreated = describedObject(
  'EmployeeAsCreated',
  'A new employee. With `validate_only`, the `id` is null, because it is assigned on creation. So is ' +
    'the `manager_id` if the same call creates the manager.',
  { id: orNull(EmployeeId), ...attributes('answer'), ...KEPT },
)

/** Alternatives to `manager_id`. A record may have at most one of the three. */
function managerNames(purpose: Purpose): Record<string, TSchema> {
  const named = (name: AttributeName, by: string) =>
    orNull(
      Type.Unsafe({
        ...valueSchema(name, purpose),
        description: `Identifies the manager by ${by}, instead of \`manager_id\`.`,
      }),
    )
  return { manager_external_id: named('external_id', 'external id'), manager_email: named('email', 'email') }
}

function optional(schemas: Record<string, TSchema>): Record<string, TSchema> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, Type.Optional(schema)]))
}

export const EmployeeCreate = describedObject(
  'EmployeeCreate',
  'A new employee, with `first_name` or `last_name`, and `email`, `external_id`, or `user_name`. The manager may ' +
    'be another record of the same call.',
  optional({ ...attributes('creation'), ...managerNames('creation') }),
)

const patch = optional({ ...attributes('patch'), ...managerNames('patch') })

export const EmployeePatch = describedObject(
  'EmployeePatch',
  'A JSON Merge Patch (RFC 7396): absent fields keep their value, null clears a field.',
  patch,
)

/* That a record needs one of several fields is in words, because generators turn such an `anyOf` into `unknown`. */

export const EmployeeBulkPatch = describedObject(
  'EmployeeBulkPatch',
  'A JSON Merge Patch that also identifies its employee: by `id` if present, else by `external_id` unless null, else ' +
    'by `email`. One of them is required. The fields that do not identify the employee are new values.',
  { id: Type.Optional(EmployeeId), ...patch },
)

export const EmployeeUpsert = describedObject(
  'EmployeeUpsert',
  'A JSON Merge Patch that identifies its employee by `external_id` unless null, else by `email`; one of them is ' +
    'required. If there is no such employee, the record creates one and needs `first_name` or `last_name`.',
  patch,
)
