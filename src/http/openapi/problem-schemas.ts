import { Type } from '@sinclair/typebox'
import { MAX_ANSWERED_ERRORS, problem, type ProblemCode, type RecordErrorCode, MAX_RECORD_ERRORS } from '#domain/errors'
import { LogId } from './employee-schemas.ts'
import type { HeaderName } from './headers.ts'
import {
  describedObject,
  namedObject,
  optionalInteger,
  strictObject,
  count,
  text,
  type DocumentedAnswer,
} from './schema-parts.ts'

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

export const RecordErrorSchema = namedObject('RecordError', {
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
