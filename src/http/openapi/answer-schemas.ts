import { RECORD_RESULTS } from '../../domain/employees/employee.ts'
import type { TSchema } from '@sinclair/typebox'
import { Type } from '@sinclair/typebox'
import {
  Employee,
  EmployeeAsCreated,
  EmployeeBulkPatch,
  EmployeeCreate,
  EmployeeId,
  EmployeeUpsert,
  LogId,
  orNull,
} from './employee-schemas.ts'
import { Count, STRICT } from './schema-parts.ts'

const RecordResult = Type.Unsafe({
  $id: 'RecordResult',
  type: 'string',
  enum: RECORD_RESULTS,
  description:
    'What an update did to the employee. If several apply, the first of deactivated, reactivated, synced and no_updates.',
})

const Changed = Type.Array(Type.String(), {
  description: 'Names of the attributes that changed. A custom attribute is named like `custom_attributes.grade`.',
})

const OptionalLogId = Type.Optional(LogId)

export const CallCounts = Type.Object(
  { total: Count, updated: Count, deactivated: Count, failed: Count, no_updates: Count },
  { $id: 'CallCounts', ...STRICT },
)

/** The same for 200 and 201: clients are generated with one type for a success. */
export const CreatedEmployees = Type.Object(
  { log_id: OptionalLogId, employees: Type.Array(EmployeeAsCreated, { description: 'In the order sent.' }) },
  {
    $id: 'CreatedEmployees',
    ...STRICT,
    description: 'With `validate_only`, `log_id` is absent, and the `id` of each employee is null.',
  },
)

export const UpdatedEmployee = Type.Object(
  { log_id: OptionalLogId, result: RecordResult, changed: Changed, employee: Employee },
  { $id: 'UpdatedEmployee', ...STRICT, description: '`log_id` is absent with `validate_only`.' },
)

export const UpdatedEmployees = Type.Object(
  {
    log_id: OptionalLogId,
    counts: CallCounts,
    results: Type.Array(Type.Object({ index: Count, id: EmployeeId, result: RecordResult, changed: Changed }, STRICT)),
  },
  { $id: 'UpdatedEmployees', ...STRICT, description: '`log_id` is absent with `validate_only`.' },
)

export const UpsertedEmployees = Type.Object(
  {
    log_id: OptionalLogId,
    counts: CallCounts,
    results: Type.Array(
      Type.Object(
        {
          index: Count,
          id: orNull(EmployeeId),
          result: Type.Unsafe({
            $id: 'UpsertResult',
            type: 'string',
            enum: ['created', ...RECORD_RESULTS],
            description: 'What the call did to the employee.',
          }),
          changed: Changed,
        },
        STRICT,
      ),
    ),
  },
  {
    $id: 'UpsertedEmployees',
    ...STRICT,
    description:
      'Created employees count in `total` alone, and their `changed` is empty. With `validate_only`, `log_id` is absent, ' +
      'and the `id` of an employee that would be created is null.',
  },
)

export const EmployeeList = Type.Object(
  {
    items: Type.Array(Employee),
    next_cursor: Type.Unsafe({ type: ['string', 'null'], description: 'Null on the last page.' }),
  },
  { $id: 'EmployeeList', ...STRICT },
)

/** The three forms of the body of a create call. */
export function createBody(maxRecords: number): TSchema {
  const records = arrayOfRecords(EmployeeCreate, maxRecords)
  return Type.Union([Type.Object({ employees: records }, STRICT), records, EmployeeCreate])
}

/** The two forms of the body of a bulk update. */
export function updateManyBody(maxRecords: number): TSchema {
  const records = arrayOfRecords(EmployeeBulkPatch, maxRecords)
  return Type.Union([Type.Object({ employees: records }, STRICT), records])
}

/** The two forms of the body of an upsert. */
export function upsertBody(maxRecords: number): TSchema {
  const records = arrayOfRecords(EmployeeUpsert, maxRecords)
  return Type.Union([Type.Object({ employees: records }, STRICT), records])
}

function arrayOfRecords(schema: TSchema, maxRecords: number): TSchema {
  return Type.Array(schema, { minItems: 1, maxItems: maxRecords })
}
