import type { FastifyInstance, FastifyRequest } from 'fastify'
import { doInTurns } from '#admission/turns'
import type { Command } from '#domain/calls/commands'
import { MAX_SENT_BYTES, UnreadRecord } from '#domain/calls/call-records'
import type { Pieces } from '#domain/pieces'
import { cleanBody, readDeletion, readPatch, readWholeUser } from '#domain/scim/scim-command'
import { ScimFault } from '#domain/scim/scim-fault'
import { budgetBodies } from '#http/access/body-budget'
import { writingCall, type KeyProtocol, type KeyServices } from '#http/calls/writing-call'
import { preconditionsOf } from '#http/server/preconditions'
import { ProblemError, problemError } from '#http/server/problem'
import { answerUser } from './answer-user.ts'
import { findScimBase, readProjection } from './scim-request.ts'

/** The largest body of a call about one user, in bytes: no larger one is parsed. */
const MAX_BODY = MAX_SENT_BYTES

/** Adds the calls that create, change, and delete users. Each has one entry in Bulk User Logs. */
export async function writeUsers(app: FastifyInstance, protocol: KeyProtocol, services: KeyServices) {
  budgetBodies(app, services.bodyBudget, protocol.scope)
  const { newId } = services.commands
  const withUser =
    (operation: 'create' | 'update_one') =>
    (request: FastifyRequest): KeyProtocol => {
      const [base, projection] = [findScimBase(request, services.sessions), readProjection(request)]
      return { ...protocol, answer: (_, decision) => answerUser(operation, decision, base, projection) }
    }
  const withNothing = { ...protocol, answer: () => ({ status: 204, headers: {}, body: null }) }
  const route = (
    operation: 'create' | 'update_one',
    read: (request: FastifyRequest) => Pieces<Command>,
    protocolOf: (request: FastifyRequest) => KeyProtocol = withUser(operation),
  ) => {
    const { config, ...options } = writingCall(services, {
      operation,
      protocol,
      protocolOf,
      // Passwords of bodies that can't be read could stand anywhere in them.
      keepsBody: () => false,
      switchesOf: () => ({ isAllOrNone: true, validateOnly: false, linksByEmail: false }),
      ...(operation === 'create' ? {} : { offendingOf }),
      read: async (request) => {
        try {
          return { command: await doInTurns(read(request)), idempotency: null }
        } catch (error) {
          throw error instanceof ScimFault ? new ProblemError(error.problem) : error
        }
      },
    })
    const bodyLimit = Math.min(services.bodyLimit, MAX_BODY)
    return {
      schema: { hide: true },
      ...options,
      bodyLimit,
      config: { ...config, mediaTypes: protocol.bodyTypes },
    }
  }
  const about = (request: FastifyRequest, id: string | null) => ({
    id,
    newId,
    preconditions: preconditionsOf(request),
  })
  app.post(
    '/Users',
    route('create', (request) => readWholeUser(bodyOf(request), about(request, null))),
  )
  app.put(
    '/Users/:id',
    route('update_one', (request) => readWholeUser(bodyOf(request), about(request, idOf(request)))),
  )
  app.patch(
    '/Users/:id',
    route('update_one', (request) => readPatch(bodyOf(request), about(request, idOf(request)))),
  )
  app.delete(
    '/Users/:id',
    route(
      'update_one',
      function* (request) {
        yield
        return readDeletion({ ...about(request, null), id: idOf(request) })
      },
      () => withNothing,
    ),
  )
}

function idOf(request: FastifyRequest) {
  return (request.params as { id: string }).id
}

function bodyOf({ body }: FastifyRequest): unknown {
  // A request without a body reaches the handler without having met the parser.
  if (body === undefined) throw problemError('malformed_json', 'The body is empty')
  if (body instanceof UnreadRecord)
    throw problemError('payload_too_large', 'The body has too many values: send fewer in a call')
  return body
}

function offendingOf(request: FastifyRequest) {
  return { locator: { id: idOf(request) }, record: cleanBody(request.body ?? null) }
}
