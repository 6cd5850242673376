import { RECORD_RESULTS, WARNINGS } from '#domain/employees/employee'
import { Type, type TSchema } from '@sinclair/typebox'
import { MAX_ANSWERED_ERRORS, MAX_RECORD_ERRORS, problem, type ProblemCode, type RecordErrorCode } from '#domain/errors'
import { Employee, EmployeeAsCreated, EmployeeId, EmployeeStatus, LogId, orNull } from './employee-schemas.ts'
import {
  Count,
  describedObject,
  makeListSchema,
  namedChoice,
  namedObject,
  oneOf,
  optionalInteger,
  strictObject,
  count,
  text,
  type DocumentedAnswer,
} from './schema-parts.ts'
import type { HeaderName } from './headers.ts'

const RECORD_CODES: Record<RecordErrorCode, string> = {
  required: 'A required field is missing.',
  invalid_type: 'The value has the wrong JSON type.',
  invalid_format: 'The string has the wrong format.',
  too_long:
    'Longer than the limit, or a record or `custom_attributes` with too many members. The message names the limit.',
  too_short: 'Shorter than the limit. The message names the limit.',
  invalid_value: 'The value is not allowed, or conflicts with another field.',
  null_not_allowed: 'The field cannot be null.',
  unknown_field: 'This field does not exist.',
  read_only_field: 'The field is read-only.',
  missing_locator: 'The record does not identify its employee.',
  employee_not_found: 'No such employee exists.',
  already_exists: 'Another employee has this value.',
  inactive_employee_exists: 'An inactive employee has this value. `id` is the id of that employee.',
  duplicate_in_batch: 'Another record of the call refers to the same employee, or has the same value.',
  manager_not_found: 'No employee matches this manager.',
  manager_cycle: 'The employee would report to themselves, directly or indirectly.',
}

const RecordErrorSchema = namedObject('RecordError', {
  index: count('Zero-based index of the record in the call.'),
  id: Type.Unsafe({ type: ['string', 'null'], description: "The employee's id, if known." }),
  pointer: Type.String({
    description:
      'JSON Pointer (RFC 6901) into the body as sent. If the name of a field is longer than 256 characters, it ' +
      'points to the object that contains the field.',
    examples: ['/employees/0/email'],
  }),
  code: Type.Unsafe({
    type: 'string',
    enum: Object.keys(RECORD_CODES),
    description: Object.entries(RECORD_CODES)
      .map(([code, text]) => `- \`${code}\`: ${text}`)
      .join('\n'),
  }),
  message: text('Describes the error and the limit. Never contains the value that was sent.'),
})

/** A problem document (RFC 9457). */
const ProblemSchema = describedObject(
  'Problem',
  'Why a call was refused (RFC 9457). `log_id` is present if the call has an entry in Bulk User Logs.',
  {
    type: Type.String({
      format: 'uri-reference',
      description: 'The address of a page about the code.',
      examples: ['/problems/validation_failed'],
    }),
    title: Type.String(),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    code: text('What went wrong, for programs.'),
    detail: text('What went wrong, for people.'),
    request_id: text('Same as the `X-Request-Id` header.'),
    log_id: Type.Optional(LogId),
    errors: Type.Array(RecordErrorSchema, {
      maxItems: MAX_ANSWERED_ERRORS,
      description:
        `The errors in the order of the records: the first ${MAX_RECORD_ERRORS} of each record, and at most ` +
        `${MAX_ANSWERED_ERRORS} in total.`,
    }),
    errors_omitted: optionalInteger({
      minimum: 1,
      description: 'The number of errors left out. Absent if `errors` is complete.',
    }),
    question: Type.Optional(
      strictObject(
        {
          parameter: text('The parameter to add to the request.'),
          choices: Type.Array(
            strictObject({
              value: text('The value of the parameter.'),
              name: text('What people call it.'),
              samples: Type.Array(Type.String(), { description: 'Texts of the file, read so.' }),
            }),
            { description: 'The likeliest first.' },
          ),
        },
        { description: 'What is to be chosen. Only of `file_ambiguous`.' },
      ),
    ),
  },
)

/** The refusals of a route with one status, and their codes. */
interface Refusals {
  status: string
  codes: ProblemCode[]
  answer: DocumentedAnswer
}

/** Describes the problem responses of a route, by status. The order of the codes makes no difference. */
export function problemAnswers(codes: readonly ProblemCode[], headers: readonly HeaderName[]): Refusals[] {
  const byStatus = Map.groupBy([...new Set(codes)].toSorted(), (code) => problem(code, '').status)
  const statuses = [...byStatus.keys()].sort((a, b) => a - b)
  return statuses.map((status) => {
    const ofStatus = byStatus.get(status)!
    return { status: String(status), codes: ofStatus, answer: problemAnswer(status, ofStatus, headers) }
  })
}

function problemAnswer(status: number, codes: ProblemCode[], headers: readonly HeaderName[]): DocumentedAnswer {
  const descriptions = codes.map((code) => `\`${code}\`: ${problem(code, '').title}.`)
  const narrowed = { type: 'object', properties: { status: { const: status }, code: { type: 'string', enum: codes } } }
  return {
    description: descriptions.join('\n\n'),
    headers: [...headers, ...listProblemHeaders(status)],
    content: { 'application/problem+json': { schema: { allOf: [ProblemSchema, narrowed] } } },
  }
}

function listProblemHeaders(status: number): HeaderName[] {
  if (status === 401) return ['WWW-Authenticate']
  if (status === 415) return ['Accept-Encoding']
  return status === 429 || status === 503 ? ['Retry-After'] : []
}

const RecordResult = namedChoice(
  'RecordResult',
  RECORD_RESULTS,
  'What an update did to the employee. If several apply, the first of deactivated, reactivated, synced and no_updates.',
)

const Changed = Type.Array(Type.String(), {
  description: 'Names of the attributes that changed. A custom attribute is named like `custom_attributes.grade`.',
})

const OptionalLogId = Type.Optional(LogId)

export const CallCounts = namedObject('CallCounts', {
  total: Count,
  updated: Count,
  deactivated: Count,
  failed: Count,
  no_updates: Count,
})

const Warnings = Type.Array(
  namedObject('CallWarning', {
    code: oneOf(WARNINGS),
    count: count('The number of records.'),
    message: Type.String(),
  }),
  {
    description:
      'What may have been overlooked. `inactive_employees`: records name inactive employees and set no status, so ' +
      'these stay inactive. `past_termination_dates`: active employees whose termination date has passed. ' +
      '`inactive_managers`: records that give active employees an inactive manager. Versions may add codes.',
  },
)

/** Describes what a call did to the employee of each record. */
function resultsOf(id: TSchema, result: TSchema) {
  const status = { ...EmployeeStatus, description: "The employee's status after the call." }
  return Type.Array(strictObject({ index: Count, id, status, result, changed: Changed }))
}

/** What the answers with `all_or_none=false` have, so that a client reads the results of all bulk calls in the same way. */
const PARTIAL = {
  counts: CallCounts,
  warnings: Warnings,
  results: Type.Array(
    namedObject('PartlyAppliedRecord', {
      index: Count,
      id: orNull(EmployeeId),
      status: orNull({
        ...EmployeeStatus,
        description:
          "The employee's status after the call. Null if the call refused the record of somebody who isn't there.",
      }),
      result: namedChoice(
        'PartialResult',
        ['created', ...RECORD_RESULTS, 'failed'],
        'What the call did to the employee; `failed` if it refused the record.',
      ),
      changed: Changed,
      errors: Type.Array(RecordErrorSchema, {
        maxItems: MAX_RECORD_ERRORS,
        description: 'The errors of a record that failed. Empty for any other.',
      }),
    }),
    { description: 'In the order sent.' },
  ),
  errors_omitted: optionalInteger({
    minimum: 1,
    description:
      `The number of further errors. The first ${MAX_RECORD_ERRORS} of a record and ` +
      `${MAX_ANSWERED_ERRORS} of a call are listed.`,
  }),
}

const ABOUT_PARTIAL =
  'With `all_or_none=false`, `id` is null if it is not known: of a record that failed, or of an employee that ' +
  '`validate_only` would create.'

export const PartlyApplied = describedObject(
  'PartlyApplied',
  'The answer with `all_or_none=false`, if at least one record was applied. Created employees count in `total` ' +
    `alone. With \`validate_only\`, \`log_id\` is absent. ${ABOUT_PARTIAL}`,
  { log_id: OptionalLogId, ...PARTIAL },
)

/** The same for 200 and 201: clients are generated with one type for a success. */
export const CreatedEmployees = describedObject(
  'CreatedEmployees',
  'With `validate_only`, `log_id` is absent, and the `id` of each employee is null. Only with `all_or_none=false`: ' +
    '`counts`, `results`, and, if there are more errors than are listed, `errors_omitted`; `employees` then has ' +
    `those that were created. ${ABOUT_PARTIAL}`,
  {
    log_id: OptionalLogId,
    employees: Type.Array(EmployeeAsCreated, { description: 'In the order sent.' }),
    counts: Type.Optional(PARTIAL.counts),
    warnings: Type.Optional(PARTIAL.warnings),
    results: Type.Optional(PARTIAL.results),
    errors_omitted: PARTIAL.errors_omitted,
  },
)

export const UpdatedEmployee = describedObject('UpdatedEmployee', '`log_id` is absent with `validate_only`.', {
  log_id: OptionalLogId,
  result: RecordResult,
  changed: Changed,
  warnings: Warnings,
  employee: Employee,
})

export const UpdatedEmployees = describedObject('UpdatedEmployees', '`log_id` is absent with `validate_only`.', {
  log_id: OptionalLogId,
  counts: CallCounts,
  warnings: Warnings,
  results: resultsOf(EmployeeId, RecordResult),
})

export const UpsertedEmployees = describedObject(
  'UpsertedEmployees',
  'Created employees count in `total` alone, and their `changed` is empty. With `validate_only`, `log_id` is absent, ' +
    'and the `id` of an employee that would be created is null.',
  {
    log_id: OptionalLogId,
    counts: CallCounts,
    warnings: Warnings,
    results: resultsOf(
      orNull(EmployeeId),
      namedChoice('UpsertResult', ['created', ...RECORD_RESULTS], 'What the call did to the employee.'),
    ),
  },
)

export const EmployeeList = namedObject('EmployeeList', makeListSchema(Employee).properties)

/** The forms of the body of a bulk call: an object with the records, or an array of them; or one of the `others`. */
export function bulkBody(record: TSchema, maxRecords: number, ...others: TSchema[]): TSchema {
  const records = Type.Array(record, { minItems: 1, maxItems: maxRecords })
  return Type.Union([strictObject({ employees: records }), records, ...others])
}
