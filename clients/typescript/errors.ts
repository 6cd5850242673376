import type { ApiErrorCode, Problem, RecordError } from './api-schemas.ts'
import type { Response } from './web-types.ts'

/**
 * `timed_out` and `connection_failed`: no answer came. `unexpected_answer`: not one of the API, but of a proxy, say.
 */
type OwnErrorCode = 'timed_out' | 'connection_failed' | 'unexpected_answer'

/** A documented code, one of this client, or one that a later version of the API has added. */
export type ErrorCode = ApiErrorCode | OwnErrorCode | (string & {})

interface ErrorFacts {
  status: number | null
  code: ErrorCode
  title: string
  detail: string
  requestId?: string | undefined
  logId?: string | undefined
  errors?: RecordError[]
  errorsOmitted?: number | undefined
  retryAfter?: number | undefined
  mayHaveTakenEffect?: boolean
  cause?: unknown
}

/** A call that did not succeed. Its subclasses are what a program can act on; `code` says precisely what happened. */
export class EmployeeLedgerError extends Error {
  /** The HTTP status; null without an answer. */
  readonly status: number | null
  readonly code: ErrorCode
  readonly title: string
  readonly detail: string
  /** What to tell the operator of the service. */
  readonly requestId: string | null
  /** The entry of the call in Bulk User Logs. */
  readonly logId: string | null
  /** The errors of the records. In a batch, `index` and `pointer` count all records that were given to it. */
  readonly errors: readonly RecordError[]
  /** How many more errors there are than `errors` lists. */
  readonly errorsOmitted: number
  /** How many seconds the service asked to wait. */
  readonly retryAfter: number | null
  /** Whether a writing call may have taken effect: its answer was lost, or never came. */
  readonly mayHaveTakenEffect: boolean
  /** In a batch: the first and the last record of the failed call. All records before `first` took effect. */
  readonly records: { first: number; last: number } | null = null

  constructor(facts: ErrorFacts) {
    super(facts.detail, 'cause' in facts ? { cause: facts.cause } : {})
    this.name = new.target.name
    this.status = facts.status
    this.code = facts.code
    this.title = facts.title
    this.detail = facts.detail
    this.requestId = facts.requestId ?? null
    this.logId = facts.logId ?? null
    this.errors = facts.errors ?? []
    this.errorsOmitted = facts.errorsOmitted ?? 0
    this.retryAfter = facts.retryAfter ?? null
    this.mayHaveTakenEffect = facts.mayHaveTakenEffect ?? false
  }
}

/** The request or its records are faulty: correct them before sending them again. */
export class ValidationError extends EmployeeLedgerError {}

/** The records contradict the employees that exist, or the employee has changed since it was read. */
export class ConflictError extends EmployeeLedgerError {}

/** The API id and key are not valid, or expired. */
export class AuthenticationError extends EmployeeLedgerError {}

/** The key is valid, but must not do this. */
export class PermissionError extends EmployeeLedgerError {}

/** No such employee, or no such route. */
export class NotFoundError extends EmployeeLedgerError {}

/** The quota or a rate limit is reached: wait for `retryAfter` seconds. */
export class RateLimitError extends EmployeeLedgerError {}

/** The idempotency key is still in use, was used for another request, or its answer is no longer stored. */
export class IdempotencyError extends EmployeeLedgerError {}

/** No answer came. */
export class ConnectionError extends EmployeeLedgerError {}

const CLASSES: Record<number, typeof EmployeeLedgerError> = {
  400: ValidationError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  412: ConflictError,
  413: ValidationError,
  415: ValidationError,
  422: ValidationError,
  429: RateLimitError,
}

/** The class of a code. The status decides, so that a code which is not known yet has a class too. */
function classOf(status: number, code: string): typeof EmployeeLedgerError {
  return code.startsWith('idempotency_') ? IdempotencyError : (CLASSES[status] ?? EmployeeLedgerError)
}

/**
 * Refusals that bind the idempotency key: if an earlier attempt had taken effect, its answer would have come again
 * instead.
 */
const BINDING = new Set<ErrorCode>([
  ...(['already_exists', 'inactive_employee_exists', 'employee_not_found'] satisfies ApiErrorCode[]),
  ...(['precondition_failed', 'validation_failed'] satisfies ApiErrorCode[]),
])

/** Makes the error of an answer. `wasLost` says whether an attempt of the same writing call had an unknown outcome. */
export function answerError(
  response: Response,
  body: unknown,
  { retryAfter, wasLost }: { retryAfter: number | null; wasLost: boolean },
): EmployeeLedgerError {
  const { status, headers } = response
  const problem = isProblem(body) ? body : unexpected(response)
  const { title, code, detail, errors } = problem
  return new (classOf(status, code))({
    status,
    title,
    code,
    detail,
    errors,
    requestId: problem.request_id ?? headers.get('x-request-id') ?? undefined,
    logId: problem.log_id,
    errorsOmitted: problem.errors_omitted,
    retryAfter: retryAfter ?? undefined,
    mayHaveTakenEffect: wasLost && !BINDING.has(code),
  })
}

/** What usually is the matter, by the codes of Node.js and OpenSSL. */
const CONNECTION_FAULTS: readonly [code: RegExp, meaning: string][] = [
  [/^ECONNREFUSED$/, 'nothing listens at this address'],
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, 'its host name has no address; for a proxy, Node.js needs NODE_USE_ENV_PROXY=1'],
  [/ALTNAME/, 'its certificate is for another host name'],
  [/EXPIRED|NOT_YET_VALID/, 'its certificate is not valid now'],
  [/CERT|ISSUER|VERIFY/, 'its certificate is not trusted; NODE_EXTRA_CA_CERTS can name a file with its authority'],
  [/^(?:ERR_SSL|EPROTO)/, 'it does not speak TLS at this port; check whether the address is http'],
]

/** Says why a connection failed, if the error or one below it has a code. */
function explain(cause: unknown): string {
  for (let [error, depth] = [cause, 0]; depth < 5 && typeof error === 'object' && error !== null; depth += 1) {
    const { code, cause: below } = error as { code?: unknown; cause?: unknown }
    if (typeof code === 'string') {
      const meaning = CONNECTION_FAULTS.find(([pattern]) => pattern.test(code))?.[1]
      return meaning === undefined ? ` (${code})` : `: ${meaning} (${code})`
    }
    error = below
  }
  return ''
}

/** Makes the error of an attempt without an answer. */
export function connectionError(cause: unknown, isTimeout: boolean, wasLost: boolean): ConnectionError {
  return new ConnectionError({
    status: null,
    code: isTimeout ? 'timed_out' : 'connection_failed',
    title: 'The service did not answer',
    detail: isTimeout ? 'The service did not answer in time' : `The connection to the service failed${explain(cause)}`,
    mayHaveTakenEffect: wasLost,
    cause,
  })
}

type AnyProblem = Omit<Problem, 'type' | 'status' | 'request_id'> & { request_id?: string }

function isProblem(body: unknown): body is AnyProblem {
  if (typeof body !== 'object' || body === null) return false
  const { title, code, detail, errors } = body as Record<string, unknown>
  return [title, code, detail].every((text) => typeof text === 'string') && Array.isArray(errors)
}

/** Whether an answer has the type of those of the API. */
export function isOfApi({ headers }: Response): boolean {
  return /[/+]json\b/i.test(headers.get('content-type') ?? '')
}

function unexpected(response: Response): AnyProblem {
  const { status, headers } = response
  const target = headers.get('location')
  const isPage = /\bhtml\b/i.test(headers.get('content-type') ?? '')
  const why =
    target === null
      ? isPage
        ? 'it is a web page, such as one to sign in'
        : 'a proxy may have sent it'
      : `it leads to ${target}`
  const detail = `The answer ${status} is not one of the API: ${why}; check baseUrl, and what is between`
  return { title: 'The answer is not one of the API', code: 'unexpected_answer', detail, errors: [] }
}
