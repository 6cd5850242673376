import type { FastifyInstance, FastifyRequest } from 'fastify'
import { createHmac, hash } from 'node:crypto'
import { doInTurns } from '#admission/turns'
import { readMany, readUpdateOne, underPreconditions, type Command, type Idempotency } from '#domain/calls/commands'
import type { SentJson } from '#domain/events'
import type { ManyOperation } from '#domain/operations'
import { callerOf } from '#http/access/authenticate'
import { budgetBodies } from '#http/access/body-budget'
import { writingCall, type WritingCall, type KeyProtocol, type KeyServices } from '#http/calls/writing-call'
import { preconditionsOf } from '#http/server/preconditions'
import { createCall, updateManyCall, updateOneCall, upsertCall, type CallSchema } from '#http/openapi/v1-calls'
import { problemError } from '#http/server/problem'

/** Adds the four writing calls. Each becomes events in the company's ledger and one entry in Bulk User Logs. */
export async function writeEmployees(app: FastifyInstance, protocol: KeyProtocol, services: KeyServices) {
  budgetBodies(app, services.bodyBudget, protocol.scope)
  const { maxRecords, newId } = services.commands
  const route = (
    schema: CallSchema,
    read: (request: FastifyRequest, body: SentJson) => Command | Promise<Command>,
    call: Pick<WritingCall, 'operation' | 'offendingOf'>,
  ) => {
    const { config, ...options } = writingCall(services, {
      ...call,
      protocol,
      switchesOf,
      keepsBody: namesNobody,
      read: async (request) => {
        // A request without a body reaches the handler without having met the parser.
        if (request.body === undefined) throw problemError('malformed_json', 'The body is empty')
        // A call that stores nothing has nothing to repeat.
        const idempotency = switchesOf(request).validateOnly ? null : idempotencyOf(request)
        return { command: await read(request, request.body), idempotency }
      },
    })
    return { schema, ...options, config: { ...config, mediaTypes: Object.keys(schema.documentedBody.content) } }
  }

  const many = (operation: ManyOperation, schema: CallSchema) => {
    const read = async (request: FastifyRequest, body: SentJson) => {
      const command = await doInTurns(readMany(operation, body, maxRecords, newId))
      return underPreconditions(command, preconditionsOf(request))
    }
    return route(schema, read, { operation })
  }
  app.post('/employees', many('create', createCall(maxRecords)))
  app.patch('/employees', many('update_many', updateManyCall(maxRecords)))
  app.put('/employees', many('upsert', upsertCall(maxRecords)))
  const updateOne = (request: FastifyRequest, body: SentJson) =>
    readUpdateOne(pathId(request), body, preconditionsOf(request))
  const offendingOf = (request: FastifyRequest) => ({
    locator: { id: pathId(request) },
    record: request.body ?? null,
  })
  app.patch('/employees/:id', route(updateOneCall(), updateOne, { operation: 'update_one', offendingOf }))
}

/** Whether nothing in the query can name anybody: what it names is not stored. */
function namesNobody(request: FastifyRequest) {
  return Object.entries(request.query as object).every(isSwitch)
}

const SWITCHES: readonly string[] = ['validate_only', 'all_or_none', 'link_by_email', 'clear_end_dates']

function isSwitch([name, value]: [string, unknown]) {
  return SWITCHES.includes(name) && /^(?:true|false)$/.test(String(value))
}

function switchesOf(request: FastifyRequest) {
  const query = request.query as Record<string, unknown>
  const valueOf = (name: string) => String(query[name])
  return {
    validateOnly: valueOf('validate_only') === 'true',
    isAllOrNone: valueOf('all_or_none') !== 'false',
    linksByEmail: valueOf('link_by_email') === 'true',
    clearsEndDates: valueOf('clear_end_dates') === 'true',
  }
}

function pathId(request: FastifyRequest) {
  return (request.params as { id: string }).id
}

/** 1 to 255 visible ASCII characters. */
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/

/**
 * The `Idempotency-Key` of a writing call (draft-ietf-httpapi-idempotency-key-header-07), hashed, and the hash of the
 * request that carries it: method, path, body, switches, and conditions; null when there is none. The media type and other
 * parameters don't change what a request means. The key is hashed under the company's secret, because clients may build
 * keys from what they send, and the hashes are never deleted. Throws a problem with `idempotency_key_invalid`.
 */
function idempotencyOf(request: FastifyRequest): Idempotency | null {
  const sent = request.raw.headersDistinct['idempotency-key']
  if (!sent) return null
  const [key] = sent
  if (sent.length !== 1 || key === undefined || !IDEMPOTENCY_KEY.test(key)) {
    const detail = 'Idempotency-Key must appear once and have 1 to 255 visible ASCII characters'
    throw problemError('idempotency_key_invalid', detail)
  }
  const path = request.url.split('?', 1)[0]!.replace(/\/$/, '')
  const { hashKey, key: apiKey } = callerOf(request)
  const keyHash = createHmac('sha256', hashKey).update(`${apiKey.id} ${key}`).digest('hex')
  const { ifMatch, ifNoneMatch } = preconditionsOf(request)
  const { isAllOrNone, linksByEmail, clearsEndDates } = switchesOf(request)
  const conditions = [
    ...(isAllOrNone ? [] : ['\nall_or_none false']),
    ...(linksByEmail ? ['\nlink_by_email true'] : []),
    ...(clearsEndDates ? ['\nclear_end_dates true'] : []),
    ...(ifMatch === undefined ? [] : [`\nif-match ${ifMatch}`]),
    ...(ifNoneMatch === undefined ? [] : [`\nif-none-match ${ifNoneMatch}`]),
  ].join('')
  return { keyHash, requestHash: hash('sha256', `${request.method} ${path}\n${request.bodyHash}${conditions}`, 'hex') }
}
