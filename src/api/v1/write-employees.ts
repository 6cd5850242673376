import { channel } from 'node:diagnostics_channel'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import { createHmac, hash } from 'node:crypto'
import { runApiCall, type CommandServices } from '../../ledger/calls/run-api-call.ts'
import type { Command, ManyOperation } from '../../domain/calls/commands.ts'
import {
  countRecords,
  readMany,
  readUpdateOne,
  refusedCommand,
  underPreconditions,
} from '../../domain/calls/commands.ts'
import { keepBody } from '../../domain/calls/rejected-body.ts'
import type { Idempotency } from '../../domain/calls/earlier-call.ts'
import { problem, type ProblemCode } from '../../domain/errors.ts'
import { encodeJson } from '../../domain/pieces.ts'
import type { Operation, SentJson } from '../../domain/events.ts'
import { callerOf } from '../../http/access/authenticate.ts'
import { budgetBodies, type BodyBudget } from '../../http/access/body-budget.ts'
import { doInTurns } from '../../admission/turns.ts'
import { cutBody } from '../../http/server/body-faults.ts'
import { UnreadableBodyError } from '../../http/server/unreadable-body.ts'
import { preconditionsOf } from '../../http/server/preconditions.ts'
import { createCall, updateManyCall, updateOneCall, upsertCall, type CallSchema } from '../../http/openapi/v1-calls.ts'
import { isCutOff, logError, ProblemError, sendProblem, toProblem } from '../../http/server/problem.ts'

interface WriteServices {
  commands: CommandServices
  /** Bytes that a body may have. */
  bodyLimit: number
  bodyBudget: BodyBudget
}

const ran = channel('employee-ledger.call.ran')

/** Adds the four writing calls. Each becomes events in the company's ledger and one entry in Bulk User Logs. */
export async function writeEmployees(
  app: FastifyInstance,
  { commands: services, bodyLimit, bodyBudget }: WriteServices,
): Promise<void> {
  budgetBodies(app, bodyBudget)
  const { maxRecords, newId } = services
  const route = (
    operation: Operation,
    schema: CallSchema,
    read: (request: FastifyRequest, body: SentJson) => Command | Promise<Command>,
  ) => ({
    schema,
    bodyLimit,
    config: { mediaTypes: Object.keys(schema.documentedBody.content), checksKeyItself: true as const },
    handler: (async (request, reply) => {
      // A request without a body reaches the handler without having met the parser.
      if (request.body === undefined) throw new ProblemError(problem('malformed_json', 'The body is empty'))
      // A call that stores nothing has nothing to repeat.
      const idempotency = isValidateOnly(request) ? null : idempotencyOf(request)
      const command = await read(request, request.body)
      const decidable = operation === 'update_one' ? command : underPreconditions(command, preconditionsOf(request))
      return run(services, request, reply, await withBody(request, decidable, null), idempotency)
    }) as RouteHandlerMethod,
    errorHandler: (error: Error, request: FastifyRequest, reply: FastifyReply) =>
      refuse(services, operation, error, request, reply),
  })

  const readAs = (operation: ManyOperation) => (_: FastifyRequest, body: SentJson) =>
    doInTurns(readMany(operation, body, maxRecords, newId))
  app.post('/employees', route('create', createCall(maxRecords), readAs('create')))
  app.patch('/employees', route('update_many', updateManyCall(maxRecords), readAs('update_many')))
  app.put('/employees', route('upsert', upsertCall(maxRecords), readAs('upsert')))
  const updateOne = (request: FastifyRequest, body: SentJson) =>
    readUpdateOne(pathId(request), body, preconditionsOf(request))
  app.patch('/employees/:id', route('update_one', updateOneCall(), updateOne))
}

const UNREADABLE: ReadonlySet<ProblemCode> = new Set(['malformed_json', 'invalid_body'])

/**
 * Adds the body to a command that is refused because it could not be read, and otherwise lets go of it. `errorAt` is the
 * byte that is to blame. The record of a single update is kept as a record. What the query names is
 * not stored, so neither is a body that came with one: an erasure could not find it.
 */
async function withBody(request: FastifyRequest, command: Command, errorAt: number | null): Promise<Command> {
  const { sentBody } = request
  request.sentBody = null
  const isKept =
    'refusal' in command &&
    UNREADABLE.has(command.refusal.code) &&
    (command.offending?.record ?? null) === null &&
    Object.entries(request.query as object).every(isSwitch)
  if (!isKept || sentBody === null || sentBody.length === 0) return command
  return { ...command, body: keepBody(await doInTurns(cutBody(sentBody, errorAt))) }
}

/** Whether a parameter of the query can name nobody. */
function isSwitch([name, value]: [string, unknown]): boolean {
  return (name === 'validate_only' || name === 'all_or_none') && /^(?:true|false)$/.test(String(value))
}

/** Works before the query has been validated, too: for calls whose body cannot be read. */
function isValidateOnly(request: FastifyRequest): boolean {
  return String((request.query as { validate_only?: unknown }).validate_only) === 'true'
}

/** Works before the query has been validated, too. */
function isAllOrNone(request: FastifyRequest): boolean {
  return String((request.query as { all_or_none?: unknown }).all_or_none) !== 'false'
}

function pathId(request: FastifyRequest): string {
  return (request.params as { id: string }).id
}

async function run(
  services: CommandServices,
  request: FastifyRequest,
  reply: FastifyReply,
  command: Command,
  idempotency: Idempotency | null,
) {
  const { companyId, key, secretHash, sentFrom, userAgent } = callerOf(request)
  const { id: requestId, arrivedAt, bodyBytes, waitedMs } = request
  const { status, headers, body, callId } = await runApiCall(services, {
    callId: services.newId('log'),
    companyId,
    caller: { apiId: key.id, secretHash },
    sentFrom,
    userAgent,
    requestId,
    arrivedAt,
    waitsUntil: performance.now() + services.maxWaitMs - waitedMs,
    bodyBytes,
    idempotency,
    isAllOrNone: isAllOrNone(request),
    validateOnly: isValidateOnly(request),
    traceparent: request.trace?.traceparent ?? null,
    command,
  })
  ran.publish(callId)
  request.callId = callId
  // In its transaction, a writing call gets 429 only for its quota.
  if (status === 429) reply.metLimit = 'quota'
  return reply
    .code(status)
    .headers(headers)
    .type(`application/${status >= 400 ? 'problem+json' : 'json'}; charset=utf-8`)
    .send(Buffer.isBuffer(body) ? body : await doInTurns(encodeJson(body as object)))
}

/**
 * Appends the failure of a call whose records were not read. Calls without valid credentials, calls that cannot be
 * appended, and calls that are cut off before their end have no entry.
 */
async function refuse(
  services: CommandServices,
  operation: Operation,
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const refusal = toProblem(error, request.routeOptions.bodyLimit ?? 0)
  const hasEntry = request.caller !== null && !isCutOff(error) && !WITHOUT_ENTRY.has(refusal.code)
  if (!hasEntry) return sendProblem(request, reply, error)
  logError(request, error, refusal)
  const offending =
    operation === 'update_one' ? { locator: { id: pathId(request) }, record: request.body ?? null } : undefined
  const command = refusedCommand(operation, refusal, countRecords(operation, request.body), offending)
  const errorAt = error instanceof UnreadableBodyError ? error.at : null
  try {
    return await run(services, request, reply, await withBody(request, command, errorAt), null)
  } catch (failure) {
    return sendProblem(request, reply, failure)
  }
}

const WITHOUT_ENTRY: ReadonlySet<ProblemCode> = new Set([
  'invalid_credentials',
  'unavailable',
  'idempotency_in_progress',
  'rate_limited',
])

/** 1 to 255 visible ASCII characters. */
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/

/**
 * The `Idempotency-Key` of a writing call (draft-ietf-httpapi-idempotency-key-header-07), hashed, and the hash of the
 * request that carries it: method, path, body, and conditions; null when there is none. The media type and other
 * parameters don't change what a request means. The key is hashed under the company's secret, because clients may build
 * keys from what they send, and the hashes are never deleted. Throws a problem with `idempotency_key_invalid`.
 */
function idempotencyOf(request: FastifyRequest): Idempotency | null {
  const sent = request.raw.headersDistinct['idempotency-key']
  if (!sent) return null
  const [key] = sent
  if (sent.length !== 1 || key === undefined || !IDEMPOTENCY_KEY.test(key)) {
    const detail = 'Idempotency-Key must appear once and have 1 to 255 visible ASCII characters'
    throw new ProblemError(problem('idempotency_key_invalid', detail))
  }
  const path = request.url.split('?', 1)[0]!.replace(/\/$/, '')
  const { hashKey, key: apiKey } = callerOf(request)
  const keyHash = createHmac('sha256', hashKey).update(`${apiKey.id} ${key}`).digest('hex')
  const { ifMatch, ifNoneMatch } = preconditionsOf(request)
  const conditions = [
    ...(isAllOrNone(request) ? [] : ['\nall_or_none false']),
    ...(ifMatch === undefined ? [] : [`\nif-match ${ifMatch}`]),
    ...(ifNoneMatch === undefined ? [] : [`\nif-none-match ${ifNoneMatch}`]),
  ].join('')
  return { keyHash, requestHash: hash('sha256', `${request.method} ${path}\n${request.bodyHash}${conditions}`, 'hex') }
}
