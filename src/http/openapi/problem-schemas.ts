import { Type } from '@sinclair/typebox'
import type { ProblemCode, RecordErrorCode } from '../../domain/errors.ts'
import { MAX_ANSWERED_ERRORS, problem } from '../../domain/errors.ts'
import { MAX_RECORD_ERRORS } from '../../domain/record-faults.ts'
import { LogId } from './employee-schemas.ts'
import type { HeaderName } from './headers.ts'
import type { DocumentedAnswer } from './documented-schema.ts'

const STRICT = { additionalProperties: false }

const RECORD_CODES: Record<RecordErrorCode, string> = {
  required: 'A required field is absent.',
  invalid_type: 'The value has another JSON type.',
  invalid_format: 'The text does not have the form of such a value.',
  too_long:
    'Longer than the limit, which the message names; also a record or `custom_attributes` with too many members.',
  too_short: 'Shorter than the limit, which the message names.',
  invalid_value: 'None of the values that the field may have, or one that another field forbids.',
  null_not_allowed: 'The field cannot be unset.',
  unknown_field: 'An employee has no such field.',
  read_only_field: 'The API itself keeps the field.',
  missing_locator: 'Nothing in the record names its employee.',
  employee_not_found: 'The company has no such employee.',
  already_exists: 'Another employee holds the value.',
  inactive_employee_exists: 'An inactive employee holds the value; `id` is theirs.',
  duplicate_in_batch: 'Another record of the call names the same employee, or takes the same value.',
  manager_not_found: 'The company has no such employee to be the manager.',
  manager_cycle: 'The employee would stand above themselves.',
}

const RecordErrorSchema = Type.Object(
  {
    index: Type.Integer({ minimum: 0, description: 'Zero-based place of the record in the call.' }),
    id: Type.Unsafe({ type: ['string', 'null'], description: "The employee's id, when it is known." }),
    pointer: Type.String({
      description:
        'JSON Pointer (RFC 6901) into the body as it was sent. Where the name of a field has more than 256 characters, it ' +
        'leads to the object that has the field.',
      examples: ['/employees/0/email'],
    }),
    code: Type.Unsafe({
      type: 'string',
      enum: Object.keys(RECORD_CODES),
      description: Object.entries(RECORD_CODES)
        .map(([code, text]) => `- \`${code}\`: ${text}`)
        .join('\n'),
    }),
    message: Type.String({ description: 'Names the fault and the limit, never the value that was sent.' }),
  },
  { $id: 'RecordError', ...STRICT },
)

/** A problem document (RFC 9457). */
const ProblemSchema = Type.Object(
  {
    type: Type.String({
      format: 'uri-reference',
      description: 'A page about the code.',
      examples: ['/problems/validation_failed'],
    }),
    title: Type.String(),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    code: Type.String({ description: 'What went wrong, for programs.' }),
    detail: Type.String({ description: 'What went wrong, for people.' }),
    request_id: Type.String({ description: 'That of the `X-Request-Id` header.' }),
    log_id: Type.Optional(LogId),
    errors: Type.Array(RecordErrorSchema, {
      maxItems: MAX_ANSWERED_ERRORS,
      description:
        `The errors of the records, in the order of the records: the first ${MAX_RECORD_ERRORS} of each, and at most ` +
        `${MAX_ANSWERED_ERRORS} of a call.`,
    }),
    errors_omitted: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'How many more errors there are. Absent when `errors` has all of them.',
      }),
    ),
  },
  {
    $id: 'Problem',
    ...STRICT,
    description: 'Why a call was refused (RFC 9457). `log_id` where it has an entry in Bulk User Logs.',
  },
)

/** How a route refuses with one status: with any of these codes. */
export interface Refusals {
  status: string
  codes: ProblemCode[]
  answer: DocumentedAnswer
}

/** The answers with which a route refuses, by status. The order in which codes are given makes no difference. */
export function problemAnswers(codes: readonly ProblemCode[], headers: readonly HeaderName[]): Refusals[] {
  const byStatus = Map.groupBy([...new Set(codes)].toSorted(), (code) => problem(code, '').status)
  const statuses = [...byStatus.keys()].sort((a, b) => a - b)
  return statuses.map((status) => {
    const ofStatus = byStatus.get(status)!
    return { status: String(status), codes: ofStatus, answer: problemAnswer(status, ofStatus, headers) }
  })
}

function problemAnswer(status: number, codes: ProblemCode[], headers: readonly HeaderName[]): DocumentedAnswer {
  const told = codes.map((code) => `\`${code}\`: ${problem(code, '').title}.`)
  const narrowed = { type: 'object', properties: { status: { const: status }, code: { type: 'string', enum: codes } } }
  return {
    description: told.join('\n\n'),
    headers: [...headers, ...headersOf(status)],
    content: { 'application/problem+json': { schema: { allOf: [ProblemSchema, narrowed] } } },
  }
}

function headersOf(status: number): HeaderName[] {
  if (status === 401) return ['WWW-Authenticate']
  return status === 429 || status === 503 ? ['Retry-After'] : []
}
