import type { TSchema } from '@sinclair/typebox'
import { Type } from '@sinclair/typebox'
import type { AttributeName } from '../../domain/attributes.ts'
import {
  ATTRIBUTE_NAMES,
  ATTRIBUTE_RULES,
  MAX_CUSTOM_ATTRIBUTES,
  MAX_CUSTOM_KEY_CHARACTERS,
  MAX_CUSTOM_TEXT_CHARACTERS,
  REQUIRED_ATTRIBUTES,
} from '../../domain/attributes.ts'

/** What a schema describes: an employee in an answer, a new one, or a merge patch of one. */
export type Purpose = 'answer' | 'creation' | 'patch'

const STRICT = { additionalProperties: false }
/** E.164: + and 2 to 15 digits. */
const PHONE_PATTERN = '^\\+[1-9][0-9]{1,14}$'

export const EmployeeId = id('emp', 'EmployeeId', 'An employee.')
export const LogId = id('log', 'LogId', 'A call, and its entry in Bulk User Logs.')
export const Timestamp = Type.String({
  $id: 'Timestamp',
  format: 'date-time',
  description: 'RFC 3339, UTC, with milliseconds.',
})

function id(prefix: string, name: string, description: string): TSchema {
  return Type.String({ $id: name, pattern: `^${prefix}_[0-7][0-9a-z]{25}$`, description: `${description} A TypeID.` })
}

/** A schema that lets null pass too. */
export function orNull(schema: TSchema): TSchema {
  const { type } = schema as { type?: string }
  return schema.$id === undefined && type !== undefined
    ? Type.Unsafe({ ...schema, type: [type, 'null'] })
    : Type.Union([schema, Type.Null()])
}

/** The schema of an attribute, made from the rule by which the domain reads it. */
export function attributeSchema(name: AttributeName, purpose: Purpose): TSchema {
  const schema = valueSchema(name, purpose)
  const rule = ATTRIBUTE_RULES[name]
  const isCleared = purpose === 'answer' ? rule.kind === 'custom' : false
  return rule.required === true || rule.kind === 'status' || isCleared ? schema : orNull(schema)
}

function valueSchema(name: AttributeName, purpose: Purpose): TSchema {
  const rule = ATTRIBUTE_RULES[name]
  switch (rule.kind) {
    case 'text': {
      const limits = rule.min === undefined ? { maxLength: rule.max } : { minLength: rule.min, maxLength: rule.max }
      return Type.String(
        rule.trim === true ? { ...limits, description: 'Trimmed; the limits hold after that.' } : limits,
      )
    }
    case 'email':
      return Type.String({
        format: 'idn-email',
        maxLength: rule.max,
        description: 'Kept in lower case, as Unicode NFKC.',
      })
    case 'phone':
      return Type.String({ pattern: PHONE_PATTERN, description: 'E.164.' })
    case 'date':
      return Type.String({ format: 'date' })
    case 'status':
      return statusSchema(purpose)
    case 'manager':
      return EmployeeId
    case 'custom':
      return customSchema(purpose)
  }
}

function statusSchema(purpose: Purpose): TSchema {
  const status = { type: 'string', enum: ['active', 'inactive'] }
  if (purpose === 'answer') return Type.Unsafe(status)
  if (purpose === 'creation') return Type.Unsafe({ ...status, default: 'active' })
  return Type.Unsafe({ ...status, description: '`inactive` deactivates the employee, `active` reactivates it.' })
}

function customSchema(purpose: Purpose): TSchema {
  const values: TSchema[] = [Type.String({ maxLength: MAX_CUSTOM_TEXT_CHARACTERS }), Type.Number(), Type.Boolean()]
  // A patch may name more than the employee has afterwards: some it removes.
  const limits = purpose === 'patch' ? {} : { maxProperties: MAX_CUSTOM_ATTRIBUTES }
  return Type.Unsafe({
    type: 'object',
    propertyNames: { minLength: 1, maxLength: MAX_CUSTOM_KEY_CHARACTERS },
    additionalProperties: Type.Union(purpose === 'patch' ? [...values, Type.Null()] : values),
    ...limits,
    description:
      purpose === 'patch'
        ? `\`null\` removes one; the employee has at most ${MAX_CUSTOM_ATTRIBUTES} afterwards.`
        : 'Attributes of your own.',
  })
}

function attributes(purpose: Purpose): Record<string, TSchema> {
  return Object.fromEntries(ATTRIBUTE_NAMES.map((name) => [name, attributeSchema(name, purpose)]))
}

/** What the API itself keeps of an employee. */
const KEPT = {
  created_at: Timestamp,
  updated_at: Timestamp,
  deactivated_at: orNull(Timestamp),
  version: Type.Integer({ minimum: 1 }),
}

export const Employee = Type.Object(
  { id: EmployeeId, ...attributes('answer'), ...KEPT },
  { $id: 'Employee', ...STRICT, description: 'An employee. Every field is present, null when unset.' },
)

export const EmployeePreview = Type.Object(
  { id: Type.Null(), ...attributes('answer'), ...KEPT },
  { $id: 'EmployeePreview', ...STRICT, description: 'An employee who would be created. The id is given at creation.' },
)

/** Ways to name the manager by something other than the id; at most one of the three may stand in a record. */
function managerNames(purpose: Purpose): Record<string, TSchema> {
  const named = (name: AttributeName, by: string) =>
    orNull(
      Type.Unsafe({
        ...valueSchema(name, purpose),
        description: `Names the manager by ${by}, in place of \`manager_id\`.`,
      }),
    )
  return { manager_external_id: named('external_id', 'external id'), manager_email: named('email', 'e-mail') }
}

function optional(schemas: Record<string, TSchema>): Record<string, TSchema> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, Type.Optional(schema)]))
}

const creation = attributes('creation')
const required = Object.fromEntries(REQUIRED_ATTRIBUTES.map((name) => [name, creation[name]!]))

export const EmployeeCreate = Type.Object(
  { ...optional({ ...creation, ...managerNames('creation') }), ...required },
  { $id: 'EmployeeCreate', ...STRICT, description: 'A new employee. The manager may stand anywhere in the same call.' },
)

const patch = optional({ ...attributes('patch'), ...managerNames('patch') })

export const EmployeePatch = Type.Object(patch, {
  $id: 'EmployeePatch',
  ...STRICT,
  description: 'A JSON Merge Patch (RFC 7396): what is absent stays as it is, null clears.',
})

export const EmployeeBulkPatch = Type.Unsafe({
  ...Type.Object({ id: Type.Optional(EmployeeId), ...patch }, STRICT),
  $id: 'EmployeeBulkPatch',
  anyOf: ['id', 'external_id', 'email'].map((name) => ({ required: [name] })),
  description:
    'A JSON Merge Patch with what names its employee: `id` if present, else `external_id` unless null, else `email`. ' +
    'Only what does not name the employee is a new value.',
})
