import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { UnreadableBodyError } from '#bodies/unreadable-body'
import { RefusedByStateError } from '#accounts/change-company'
import { IdempotencyInProgressError } from '#ledger/calls/calls-in-progress'
import { RATE_LIMIT_HEADERS } from '#domain/accounts/api-key'
import {
  RefusedCredentialsError,
  problem,
  type Problem,
  type ProblemCode,
  type RecordErrorCode,
  fieldError,
  invalidFields,
} from '#domain/errors'
import { NoTurnError, UnavailableError } from '#admission/batcher'
import { isTransient, isUnconfirmed } from '#postgres/database-errors'
import { idsOf } from './access-log.ts'
import { bodyProblem, describeViolation } from './violation.ts'
import { answerRefusal } from '#domain/calls/answer-call'
import type { CallProtocol } from '#domain/calls/call-decision'

const RETRY_AFTER_SECONDS = '1'

/** An error that is sent to the client as a problem. */
export class ProblemError extends Error {
  override name = 'ProblemError'
  readonly problem: Problem

  constructor(refusal: Problem) {
    super(refusal.detail)
    this.problem = refusal
  }
}

/** Makes the error that is sent as the problem with a code. */
export function problemError(code: ProblemCode, detail: string): ProblemError {
  return new ProblemError(problem(code, detail))
}

/** Makes the error of one field of a body; the pointer of the body itself is empty. */
export function refuseField(pointer: string, message: string, code: RecordErrorCode = 'invalid_value'): ProblemError {
  return new ProblemError(invalidFields([fieldError(pointer, code, message)]))
}

/**
 * The same problem for everything that may be wrong with credentials, so that it does not reveal which part it is. What is
 * missing, the caller knows: `missing` is a sentence about that.
 */
export function invalidCredentials(missing = 'The credentials are missing, unknown or no longer valid'): ProblemError {
  return problemError('invalid_credentials', missing)
}

/** The request took too long to arrive. */
export const REQUEST_TIMEOUT = problem(
  'request_timeout',
  'The request did not arrive: its headers within 20 seconds, and its body within 10 minutes, never stopping for ' +
    '60 seconds',
)

/** The client left before its body was complete. Nobody reads the answer, but it is counted. */
export class CutOffError extends ProblemError {
  override name = 'CutOffError'

  constructor() {
    super(problem('malformed_json', 'The body ended too early'))
  }
}

/** Whether the client left before its body was complete. */
export function isCutOff(error: unknown) {
  const { code, statusCode } = error as FastifyError
  // Fastify gives this status to the error of a body that it reads.
  const isOfFastify = code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH' || (code === 'ECONNRESET' && statusCode === 400)
  return isOfFastify || error instanceof CutOffError
}

/** Turns anything thrown into a problem. Unexpected errors become `internal_error`, without details. */
export function toProblem(error: unknown, bodyLimit: number): Problem {
  if (error instanceof ProblemError || error instanceof UnreadableBodyError) return error.problem
  if (isCutOff(error)) return new CutOffError().problem
  if (error instanceof RefusedByStateError) return error.problem
  if (error instanceof RefusedCredentialsError) return invalidCredentials().problem
  if (error instanceof IdempotencyInProgressError) {
    return problem('idempotency_in_progress', 'The first call with this Idempotency-Key is still running; try again')
  }
  if (error instanceof UnavailableError || isTransient(error)) {
    return problem('unavailable', 'The service is temporarily unavailable; try again')
  }
  return fromFastify(error as FastifyError, bodyLimit) ?? problem('internal_error', 'Something went wrong on our side')
}

function fromFastify(error: FastifyError, bodyLimit: number): Problem | null {
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return problem('payload_too_large', `The body must have at most ${bodyLimit} bytes`)
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return problem('unsupported_media_type', 'The Content-Type of the body must be application/json')
    case 'FST_ERR_VALIDATION':
      return problem('invalid_query', validationDetail(error))
    default:
      return null
  }
}

/** Describes the parameter and the rule, never the value. */
function validationDetail({ validation }: FastifyError) {
  const [violation] = validation ?? []
  if (!violation) return 'A query parameter is not valid'
  const { detail } = violation.params
  return typeof detail === 'string' ? detail : `The query parameter ${describeViolation(violation, null).message}`
}

/** Answers an error, in the form of its protocol. */
export function sendError(request: FastifyRequest, reply: FastifyReply, error: unknown) {
  const refusal = toBodyProblem(error, request.body) ?? toProblem(error, request.routeOptions.bodyLimit ?? 0)
  if (error instanceof NoTurnError) {
    // One caller can cause any number of these, so they are counted and not logged as errors.
    reply.metLimit = 'queue'
    request.log.debug({ err: error, ...idsOf(request) }, error.message)
  } else logError(request, error, refusal)
  return sendProblem(request, reply, refusal)
}

/**
 * Logs what is the service's own fault. That the service is unavailable for a while is expected, and can concern every
 * request: it gets a line without a stack.
 */
export function logError(request: FastifyRequest, error: unknown, { status, detail }: Problem): void {
  if (isCutOff(error)) {
    request.log.debug({ err: error, ...idsOf(request) }, 'the client disconnected before the request was complete')
    return
  }
  if (status < 500) return
  if (status !== 503 || isUnconfirmed(error)) request.log.error({ err: error, ...idsOf(request) }, detail)
  else request.log.warn({ reason: reasonOf(error), ...idsOf(request) }, detail)
}

/** The messages of an error and of its causes, in one line. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : `${error.message}: ${reasonOf(error.cause)}`
}

function toBodyProblem(error: unknown, body: unknown): Problem | null {
  const { validation, validationContext } = error as Partial<FastifyError>
  return validation && validationContext === 'body' ? bodyProblem(validation, body) : null
}

/** Answers a problem in the form of its protocol, with the headers that its status requires. */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, refusal: Problem): FastifyReply {
  const { challenge, refusalType, refuse } = findProtocol(request) ?? PROBLEM_DOCUMENTS
  // The rest of the body may never come.
  if (refusal.status === REQUEST_TIMEOUT.status) void reply.header('connection', 'close')
  if (refusal.status === 401) {
    void reply.header('www-authenticate', challenge)
    // Do not reveal rate limits to unauthenticated callers.
    for (const name of RATE_LIMIT_HEADERS) void reply.removeHeader(name)
  }
  const isLater = refusal.status === 503 || (refusal.status === 429 && !reply.hasHeader('retry-after'))
  if (isLater) void reply.header('retry-after', RETRY_AFTER_SECONDS)
  const { status, headers, body } = refuse(refusal, request.id, null)
  return reply.code(status).headers(headers).type(refusalType).send(JSON.stringify(body))
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The protocols that the API speaks. The path of a request says which. */
    protocols: readonly Protocol[]
  }
}

/** The form in which a part of the API answers, also what no route of it has seen: 401, 404, 405, 413, 415. */
export interface Protocol extends Pick<CallProtocol, 'refuse'> {
  /** The beginning of all paths of the part, without the slash behind it. */
  prefix: string
  /** The `WWW-Authenticate` of a 401 (RFC 9110 section 11.6.1). */
  challenge: string
  /** The media type of answers that are no refusals. */
  answerType: string
  refusalType: string
}

/** Problem documents (RFC 9457), to users who present a token: the form of all other parts, and of pages. */
export const PROBLEM_DOCUMENTS: Omit<Protocol, 'prefix'> = {
  challenge: 'Bearer realm="employee-ledger"',
  answerType: 'application/json; charset=utf-8',
  refusalType: 'application/problem+json; charset=utf-8',
  refuse: answerRefusal,
}

/** The protocol of a request to the API, by its route or else its path; undefined if it is one to a page. */
export function findProtocol({ server, routeOptions, url }: FastifyRequest): Protocol | undefined {
  const path = routeOptions.url ?? decodePath(url)
  return server.protocols.find(({ prefix }) => path.startsWith(prefix) && ENDS.has(path[prefix.length]))
}

/** What may follow a prefix. */
const ENDS: ReadonlySet<string | undefined> = new Set(['/', '?', undefined])

/** Decodes a path as the router does. Returns it unchanged if it can't be decoded. */
function decodePath(url: string) {
  try {
    return decodeURI(url)
  } catch {
    return url
  }
}
