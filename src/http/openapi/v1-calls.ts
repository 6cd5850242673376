import type { FastifySchema } from 'fastify'
import { Type, type TSchema } from '@sinclair/typebox'
import { JSON_TYPES, MERGE_PATCH_TYPES } from '../server/media-types.ts'
import {
  bulkBody,
  CreatedEmployees,
  PartlyApplied,
  UpdatedEmployee,
  UpdatedEmployees,
  UpsertedEmployees,
} from './answer-schemas.ts'
import * as examples from './employee-examples.ts'
import { EmployeeBulkPatch, EmployeeCreate, EmployeePatch, EmployeeUpsert } from './employee-schemas.ts'
import { optionalBoolean, strictObject, jsonAnswer, type Example, type DocumentedBody } from './schema-parts.ts'

/*
 * The OpenAPI descriptions of the four writing calls. These schemas validate only the queries; the domain validates the
 * records of the bodies.
 */

export const EmployeeParams = Type.Object({
  id: Type.String({ description: "The employee's id.", examples: [examples.EXAMPLE_EMPLOYEE_ID] }),
})

const validateOnly = optionalBoolean({
  description: 'Return what would happen, and store neither a change nor a log entry.',
})

const WriteOneQuery = strictObject({ validate_only: validateOnly })

const clearEndDates = optionalBoolean({
  description:
    'Whether a record with a `start_date` after the `termination_date` that its employee has clears that date, if it ' +
    'sends none: for people who come back. Without it, such a record is refused.',
})

const WriteManyQuery = strictObject({
  validate_only: validateOnly,
  all_or_none: optionalBoolean({
    default: true,
    description:
      'Whether one bad record keeps all others from being applied. With `false`, the call applies every record ' +
      'that can be applied, and the answer has the errors of the others. If it can apply none, it fails as it does ' +
      'without this parameter.',
  }),
})

const UpsertQuery = Type.Object(
  {
    ...WriteManyQuery.properties,
    link_by_email: optionalBoolean({
      description:
        'Whether a record whose `external_id` finds nobody updates the active employee who has its `email` and no ' +
        '`external_id`, who gets that `external_id`: for the first sync over people who were entered without one. ' +
        'Inactive employees and those with another `external_id` are conflicts, as without this parameter.',
    }),
    clear_end_dates: clearEndDates,
  },
  { additionalProperties: false },
)

/** The problems of a call that costs quota. */
export const READING_PROBLEMS = ['key_disabled', 'address_not_allowed', 'scope_missing', 'quota_exceeded'] as const

const WRITING_PROBLEMS = [
  ...READING_PROBLEMS,
  ...(['idempotency_key_invalid', 'already_exists', 'inactive_employee_exists', 'idempotency_in_progress'] as const),
  ...(['idempotency_response_expired', 'validation_failed', 'idempotency_key_reused'] as const),
  'limit_reached' as const,
]
/** The description of a writing call, whose body has one of the media types of its content. */
export type CallSchema = FastifySchema & Required<Pick<FastifySchema, 'documentedBody'>>

/** What the calls with several records share. */
const BULK: FastifySchema = {
  querystring: WriteManyQuery,
  documentedHeaders: ['Idempotency-Key'],
  problems: [...WRITING_PROBLEMS, 'batch_too_large', 'empty_batch'],
}
const WRITE_HEADERS = ['X-Ledger-Position', 'Idempotency-Replayed'] as const

const ALL_OR_NONE =
  'Applies all records or none, unless `all_or_none` is `false`. A refusal lists the errors of all records.'
const PARTLY = 'With `all_or_none=false`: the result for each record.'

/** `POST /v1/employees` */
export function createCall(maxRecords: number): CallSchema {
  return {
    ...BULK,
    operationId: 'createEmployees',
    summary: 'Create one or more employees',
    description: ALL_OR_NONE,
    documentedBody: {
      description: 'An object with the records, an array of records, or a single record.',
      ...describeBody(bulkBody(EmployeeCreate, maxRecords, EmployeeCreate), JSON_TYPES, examples.CREATE_BODIES),
    },
    response: {
      200: jsonAnswer(`With \`validate_only\`: the employees that would be created. ${PARTLY}`, CreatedEmployees, {
        headers: WRITE_HEADERS,
        examples: examples.CREATABLE,
      }),
      201: jsonAnswer('The new employees. `Location` is present if there is only one.', CreatedEmployees, {
        headers: [...WRITE_HEADERS, 'Location'],
        examples: examples.CREATED,
      }),
    },
  }
}

/** `PATCH /v1/employees/{id}` */
export function updateOneCall(): CallSchema {
  return {
    operationId: 'updateEmployee',
    summary: 'Update one employee',
    description:
      'Applies a JSON Merge Patch. Set `status` to deactivate or reactivate the employee. Values that are already ' +
      'set are not changes.',
    params: EmployeeParams,
    querystring: WriteOneQuery,
    documentedHeaders: ['Idempotency-Key', 'If-Match'],
    documentedBody: describeBody(EmployeePatch, MERGE_PATCH_TYPES, examples.UPDATE_ONE_BODIES),
    response: {
      200: jsonAnswer('The result of the update.', UpdatedEmployee, {
        headers: [...WRITE_HEADERS, 'ETag'],
        examples: examples.UPDATED_ONE,
      }),
    },
    problems: [...WRITING_PROBLEMS, 'employee_not_found'],
  }
}

/** `PATCH /v1/employees` */
export function updateManyCall(maxRecords: number): CallSchema {
  const body = bulkBody(EmployeeBulkPatch, maxRecords)
  return {
    ...BULK,
    operationId: 'updateEmployees',
    summary: 'Update several employees',
    description:
      `${ALL_OR_NONE} Uniqueness and reporting lines are checked on the state after the call, so two employees can ` +
      'swap emails.',
    documentedBody: { ...SEVERAL, ...describeBody(body, MERGE_PATCH_TYPES, examples.UPDATE_MANY_BODIES) },
    response: answerEach('The result for each employee.', UpdatedEmployees, examples.UPDATED_MANY),
  }
}

/** `PUT /v1/employees` */
export function upsertCall(maxRecords: number): CallSchema {
  const body = bulkBody(EmployeeUpsert, maxRecords)
  return {
    ...BULK,
    querystring: UpsertQuery,
    operationId: 'upsertEmployees',
    summary: 'Create or update several employees',
    description:
      `${ALL_OR_NONE} A record whose \`external_id\` finds an employee, or whose \`email\` does if it has no ` +
      '`external_id`, updates this employee as a JSON Merge Patch. Any other record creates an employee, unless ' +
      '`link_by_email` finds one.',
    documentedBody: { ...SEVERAL, ...describeBody(body, JSON_TYPES, examples.UPSERT_BODIES) },
    response: answerEach('The result for each record.', UpsertedEmployees, examples.UPSERTED),
  }
}

const SEVERAL = { description: 'An object with the records, or an array of records.' }

function answerEach(description: string, answer: TSchema, whole: Record<string, Example>) {
  const all = { headers: WRITE_HEADERS, examples: { ...whole, ...examples.PARTLY_APPLIED } }
  return { 200: jsonAnswer(description, Type.Union([answer, PartlyApplied]), all) }
}

function describeBody(schema: object, mediaTypes: readonly string[], bodies: Record<string, Example>): DocumentedBody {
  return { content: Object.fromEntries(mediaTypes.map((type) => [type, { schema, examples: bodies }])) }
}
