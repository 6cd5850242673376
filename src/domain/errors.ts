/** The error codes of a record. The list is closed, so clients may switch over it. */
export const RECORD_ERROR_CODES = [
  'required',
  'invalid_type',
  'invalid_format',
  'too_long',
  'too_short',
  'invalid_value',
  'null_not_allowed',
  'unknown_field',
  'read_only_field',
  'missing_locator',
  'employee_not_found',
  'already_exists',
  'inactive_employee_exists',
  'duplicate_in_batch',
  'manager_not_found',
  'manager_cycle',
] as const
export type RecordErrorCode = (typeof RECORD_ERROR_CODES)[number]

/** Whether a code is that of a record, and not of a whole call. */
export function isRecordErrorCode(code: string): code is RecordErrorCode {
  return (RECORD_ERROR_CODES as readonly string[]).includes(code)
}

/** An error of a record, as the API returns it and the log shows it. */
export interface RecordError {
  /** Zero-based index of the record in the call. */
  index: number
  /** The employee's id, if known. */
  id: string | null
  /** JSON Pointer (RFC 6901) into the body as sent. */
  pointer: string
  code: RecordErrorCode
  /** Describes the error and the limit. Never contains the value that was sent. */
  message: string
}

/** The titles of problems by their status and code. */
const TITLES = {
  400: {
    malformed_request: 'The request is malformed',
    malformed_json: 'The body is not valid JSON',
    invalid_body: 'The body has the wrong structure',
    idempotency_key_invalid: 'The Idempotency-Key header is not valid',
    invalid_query: 'A query parameter is not valid',
  },
  401: {
    invalid_credentials: 'The credentials are missing or invalid',
  },
  403: {
    key_disabled: 'The API key is disabled',
    address_not_allowed: 'The API key may not be used from this address',
    scope_missing: 'The API key may not make this call',
    admin_only: 'Only company administrators can do this',
    session_required: 'This needs a browser session',
    reauthentication_required: 'This needs the password, or a recent sign-in',
    cross_site_request: 'The request came from another site',
    role_required: 'Your role does not allow this',
  },
  404: {
    employee_not_found: 'No such employee',
    log_not_found: 'No such log entry',
    key_not_found: 'No such API key',
    user_not_found: 'No such user',
    token_not_found: 'No such token',
    webhook_not_found: 'No such webhook',
    upload_not_found: 'No such upload',
    delivery_not_found: 'No such delivery',
    provider_not_found: 'No identity provider',
    route_not_found: 'No such route',
  },
  405: {
    method_not_allowed: 'The route does not support this method',
  },
  408: {
    request_timeout: 'The request took too long to arrive',
  },
  409: {
    already_exists: 'An employee with these details already exists',
    inactive_employee_exists: 'An inactive employee with these details already exists',
    former_name: 'No employee has this identifier now',
    user_exists: 'A user with this email address already exists',
    user_removed: 'The user has been removed',
    user_not_removed: 'The user has not been removed',
    last_admin: 'The company needs at least one administrator',
    break_glass_user: 'The user is the break-glass administrator',
    own_password: 'Users cannot reset their own password',
    only_way_in: 'The user would have no way to sign in',
    provider_required: 'The company signs in through its identity provider',
    too_many_tokens: 'The user has the maximum number of tokens',
    too_many_webhooks: 'The company has the maximum number of webhooks',
    too_many_uploads: 'The company has the maximum number of uploads',
    nothing_to_undo: 'The call has changed nothing',
    upload_not_applicable: 'The upload cannot be applied now',
    provider_in_use: 'The identity provider is in use',
    provider_unproven: 'No administrator is linked to the identity provider',
    key_revoked: 'The API key has been revoked',
    limit_reached: 'The API key has reached its daily limit',
    idempotency_in_progress: 'The first call with this idempotency key is still running',
    idempotency_response_expired: 'The response stored for this idempotency key has expired',
  },
  412: {
    precondition_failed: 'A condition of the request does not hold',
  },
  413: {
    payload_too_large: 'The body is too large',
    batch_too_large: 'The call has too many records',
  },
  415: {
    unsupported_media_type: 'The media type is not supported',
  },
  422: {
    validation_failed: 'One or more records are not valid',
    file_ambiguous: 'The file can be read in several ways',
    empty_batch: 'The call has no records',
    idempotency_key_reused: 'The idempotency key was used with a different request',
  },
  429: {
    quota_exceeded: 'The API key has used up its quota',
    rate_limited: 'Too many requests',
  },
  431: {
    headers_too_large: 'The headers are too large',
  },
  500: {
    internal_error: 'Something went wrong on our side',
  },
  503: {
    unavailable: 'The service is temporarily unavailable',
    secrets_key_missing: 'The service has no key to protect secrets',
  },
} as const satisfies Record<number, Record<string, string>>

/** The error codes of a whole call. */
export type ProblemCode = { [Status in keyof typeof TITLES]: keyof (typeof TITLES)[Status] }[keyof typeof TITLES]

const PROBLEMS = Object.fromEntries(
  Object.entries<Record<string, string>>(TITLES).flatMap(([status, titles]) =>
    Object.entries(titles).map(([code, title]) => [code, { status: Number(status), title }] as const),
  ),
) as Record<ProblemCode, Pick<Problem, 'status' | 'title'>>

/** Why a call as a whole was refused: the part of an RFC 9457 problem document that the domain decides. */
export interface Problem {
  status: number
  code: ProblemCode
  title: string
  /** One sentence for people. Stored, so that the log shows the same string. */
  detail: string
  errors: RecordError[]
  /** The number of errors left out; absent if none. */
  errors_omitted?: number
  /** What is to be chosen, if the request can be understood in several ways. */
  question?: ProblemQuestion
}

/** A parameter that the request lacks, and its likely values. */
interface ProblemQuestion {
  parameter: string
  choices: { value: string; name: string; samples: string[] }[]
}

/** Maximum number of errors in a response; further ones are only counted. Each is smaller than 2 kB. */
export const MAX_ANSWERED_ERRORS = 1_000

/** Makes a problem with the status and title of its code. */
export function problem(code: ProblemCode, detail: string, errors: RecordError[] = [], omitted = 0): Problem {
  return { ...PROBLEMS[code], code, detail, errors, ...errorsOmitted(omitted) }
}

/** The refusal of what requires the admin role. */
export const ADMIN_ONLY = problem('admin_only', 'Only company administrators can do this')

/** Makes the `errors_omitted` member; empty for 0. */
export function errorsOmitted(count: number): { errors_omitted?: number } {
  return count === 0 ? {} : { errors_omitted: count }
}

/** Makes the problem document of a refused request (RFC 9457). `logId` is absent if the log has no entry of it. */
export function problemDocument(refusal: Problem, requestId: string, logId?: string) {
  const { title, status, code, detail, ...errors } = refusal
  const document = { type: `/problems/${code}`, title, status, code, detail, request_id: requestId }
  return logId === undefined ? { ...document, ...errors } : { ...document, log_id: logId, ...errors }
}

/** Appends names to a JSON Pointer (RFC 6901 section 3). */
export function jsonPointer(prefix: string, path: readonly string[]): string {
  let pointer = prefix
  for (const name of path) pointer += `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
  return pointer
}

/** Maximum UTF-16 units of a name in an error's pointer. No valid name is longer. */
const MAX_POINTED_NAME = 256

/**
 * Makes the pointer of an error. It does not repeat a name longer than any valid name, but points to the object that
 * contains it.
 */
export function errorPointer(prefix: string, path: readonly string[]): string {
  const end = path.findIndex((name) => name.length > MAX_POINTED_NAME)
  return jsonPointer(prefix, end === -1 ? path : path.slice(0, end))
}

/** Shortens a pointer into a body to one into its record. A body holds records in three ways. */
export function pointInto(pointer: string, index: number | null): string {
  const prefix = [`/employees/${index}`, `/${index}`].find((start) => `${pointer}/`.startsWith(`${start}/`))
  return prefix === undefined ? pointer : pointer.slice(prefix.length)
}

/** Formats a pointer into a record as the log writes attributes: `custom_attributes.grade`. */
export function formatField(pointer: string): string {
  const names = pointer.split('/').slice(1)
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~')).join('.')
}

/** Maximum number of errors kept of a record; further ones are only counted. */
export const MAX_RECORD_ERRORS = 16

/** An error in one field of a body that holds a single record. */
export function fieldError(pointer: string, code: RecordErrorCode, message: string): RecordError {
  return { index: 0, id: null, pointer, code, message }
}

/** A problem for a body with invalid fields. The body is one record, which bounds the number of errors it reports. */
export function invalidFields(errors: RecordError[]): Problem {
  const count = errors.length === 1 ? '1 error' : `${errors.length} errors`
  const answered = errors.slice(0, MAX_RECORD_ERRORS)
  return problem('validation_failed', `The body has ${count}`, answered, errors.length - answered.length)
}

/** The credentials were no longer valid when the call was decided. Nothing was stored. */
export class RefusedCredentialsError extends Error {
  override name = 'RefusedCredentialsError'
}
