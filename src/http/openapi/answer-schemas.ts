import { RECORD_RESULTS, WARNINGS } from '#domain/employees/employee'
import { Type, type TSchema } from '@sinclair/typebox'
import { MAX_ANSWERED_ERRORS, MAX_RECORD_ERRORS } from '#domain/errors'
import { Employee, EmployeeAsCreated, EmployeeId, EmployeeStatus, LogId, orNull } from './employee-schemas.ts'
import { RecordErrorSchema } from './problem-schemas.ts'
import {
  Count,
  describedObject,
  makeListSchema,
  namedChoice,
  namedObject,
  oneOf,
  optionalInteger,
  strictObject,
} from './schema-parts.ts'

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
    count: { ...Count, description: 'The number of records.' },
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
    description: `The number of further errors. The first ${MAX_RECORD_ERRORS} of a record and ${MAX_ANSWERED_ERRORS} of a call are listed.`,
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
