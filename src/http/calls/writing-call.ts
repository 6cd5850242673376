import { channel } from 'node:diagnostics_channel'
import type { FastifyReply, FastifyRequest, RouteHandlerMethod, FastifyInstance } from 'fastify'
import { doInTurns } from '#admission/turns'
import type { CallAnswer, CallProtocol } from '#domain/calls/call-decision'
import type { OffendingRecord } from '#domain/calls/close-call'
import { countRecords, refusedCommand, type Command, type Idempotency } from '#domain/calls/commands'
import { keepBody } from '#domain/calls/rejected-body'
import type { ProblemCode } from '#domain/errors'
import type { Operation } from '#domain/operations'
import { hasLongList, writeJson } from '#domain/pieces'
import { runApiCall, type CommandServices } from '#ledger/calls/run-api-call'
import { callerOf, type ReadCredentials } from '#http/access/authenticate'
import { cutBody } from '#bodies/body-faults'
import { isCutOff, logError, toProblem, type Protocol } from '#http/server/problem'
import { UnreadableBodyError } from '#bodies/unreadable-body'
import type { KeyUsageCounter } from '#accounts/api-keys/key-access'
import type { FindEmployee, FindNamed } from '#ledger/read/read-employees'
import type { Reads } from '#ledger/read/reads'
import type { LedgerDb } from '#ledger/tables'
import type { BodyBudget } from '#http/access/body-budget'
import type { SessionSettings } from '#http/access/session'

/** What a request says about how its call is run. */
interface CallSwitches {
  isAllOrNone: boolean
  linksByEmail: boolean
  clearsEndDates?: boolean
  validateOnly: boolean
}

/** A writing call of a protocol, as its route reads it from a request. */
export interface WritingCall {
  protocol: KeyProtocol
  /** The protocol as this request is answered, if that differs between requests. */
  protocolOf?(request: FastifyRequest): KeyProtocol
  /** What the call does as far as its route tells. */
  operation: Operation
  /** Reads what the call asks for. Throws a problem if that cannot be read. */
  read(request: FastifyRequest): Promise<{ command: Command; idempotency: Idempotency | null }>
  /** Works before the query has been validated, too: for calls whose body cannot be read. */
  switchesOf(request: FastifyRequest): CallSwitches
  /** The record that a refusal names; absent if the route has none. */
  offendingOf?(request: FastifyRequest): OffendingRecord
  /** Whether a body that could not be read may be stored: an erasure must be able to find whom the request names. */
  keepsBody(request: FastifyRequest): boolean
}

const ran = channel('employee-ledger.call.ran')

/**
 * Route options for a writing call: it becomes events in the company's ledger and one entry in Bulk User Logs, also if
 * it is refused.
 */
export function writingCall(services: KeyServices, call: WritingCall) {
  return {
    bodyLimit: services.bodyLimit,
    config: { checksKeyItself: true as const },
    handler: (async (request, reply) => {
      const { command, idempotency } = await call.read(request)
      return run(services, call, request, reply, await withBody(call, request, command, null), idempotency)
    }) as RouteHandlerMethod,
    errorHandler: (error: Error, request: FastifyRequest, reply: FastifyReply) =>
      refuse(services, call, error, request, reply),
  }
}

const UNREADABLE: ReadonlySet<ProblemCode> = new Set(['malformed_json', 'invalid_body'])

/**
 * Adds the body to a command that is refused because it could not be read, and otherwise lets go of it. `errorAt` is the
 * byte that is to blame. The record of a single update is kept as a record.
 */
async function withBody(call: WritingCall, request: FastifyRequest, command: Command, errorAt: number | null) {
  const { sentBody } = request
  request.sentBody = null
  const isKept =
    'refusal' in command &&
    UNREADABLE.has(command.refusal.code) &&
    (command.offending?.record ?? null) === null &&
    call.keepsBody(request)
  if (!isKept || sentBody === null || sentBody.length === 0) return command
  return { ...command, body: keepBody(await doInTurns(cutBody(sentBody, errorAt))) }
}

async function run(
  { commands: services }: KeyServices,
  call: WritingCall,
  request: FastifyRequest,
  reply: FastifyReply,
  command: Command,
  idempotency: Idempotency | null,
): Promise<FastifyReply> {
  const protocol = call.protocolOf?.(request) ?? call.protocol
  const { companyId, key, secretHash, sentFrom, userAgent } = callerOf(request)
  const { id: requestId, arrivedAt, bodyBytes, waitedMs } = request
  const { callId, ...answer } = await runApiCall(services, {
    callId: services.newId('log'),
    companyId,
    caller: { apiId: key.id, secretHash },
    protocol,
    sentFrom,
    userAgent,
    requestId,
    arrivedAt,
    waitsUntil: performance.now() + services.maxWaitMs - waitedMs,
    bodyBytes,
    idempotency,
    ...call.switchesOf(request),
    keepsFailed: services.keepsFailed,
    traceparent: request.trace?.traceparent ?? null,
    command,
  })
  ran.publish(callId)
  request.callId = callId
  // In its transaction, a writing call gets 429 only for its quota.
  if (answer.status === 429) reply.metLimit = 'quota'
  return sendAnswer(reply, protocol, answer)
}

/** Sends the answer to a call, in pieces if it is large. */
export async function sendAnswer(
  reply: FastifyReply,
  { answerType, refusalType }: Pick<KeyProtocol, 'answerType' | 'refusalType'>,
  { status, headers, body }: CallAnswer,
): Promise<FastifyReply> {
  if (body === null) return reply.code(status).headers(headers).send()
  return reply
    .code(status)
    .headers(headers)
    .type(status >= 400 ? refusalType : answerType)
    .send(Buffer.isBuffer(body) ? body : await writeBody(body as object))
}

/** Makes a promise only for a long list. */
function writeBody(body: object) {
  return hasLongList(body) ? doInTurns(writeJson(body)) : JSON.stringify(body)
}

/**
 * Appends the failure of a call whose records were not read. Calls without valid credentials, calls that cannot be
 * appended, and calls that are cut off before their end have no entry: their error is answered as those of other routes.
 */
async function refuse(
  services: KeyServices,
  call: WritingCall,
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const refusal = toProblem(error, request.routeOptions.bodyLimit ?? 0)
  const hasEntry = request.caller !== null && !isCutOff(error) && !WITHOUT_ENTRY.has(refusal.code)
  if (!hasEntry) throw error
  logError(request, error, refusal)
  const { operation } = call
  const command = refusedCommand(operation, refusal, countRecords(operation, request.body), call.offendingOf?.(request))
  const errorAt = error instanceof UnreadableBodyError ? error.at : null
  return run(services, call, request, reply, await withBody(call, request, command, errorAt), null)
}

const WITHOUT_ENTRY: ReadonlySet<ProblemCode> = new Set([
  'invalid_credentials',
  'unavailable',
  'idempotency_in_progress',
  'rate_limited',
  'request_timeout',
])

/** A protocol in which API keys read and write employees. Its writing calls are built by `writingCall`. */
export interface KeyProtocol extends Protocol, CallProtocol {
  readCredentials: ReadCredentials
  /** The media types of the bodies that it accepts. All of them are JSON. */
  bodyTypes: readonly string[]
  /** Adds its routes. Each caller has presented the secret of a key by then. */
  addRoutes(app: FastifyInstance, services: KeyServices): Promise<void>
}

/** What the calls of API keys need. */
export interface KeyServices {
  commands: CommandServices
  /** Maximum body of a writing call, in bytes. */
  bodyLimit: number
  bodyBudget: BodyBudget
  findEmployee: FindEmployee
  findNamed: FindNamed
  sessions: SessionSettings
  keyUsage: KeyUsageCounter
  reads: Reads
  /** For watching the read model on connections that no long read takes. */
  access: LedgerDb
  /** How many companies are read, and fail, together. */
  companiesTogether?: number | undefined
  areReadModelsComplete(): Promise<boolean>
}
