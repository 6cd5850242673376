import type { FastifyInstance, FastifyRequest } from 'fastify'
import { problem } from '#domain/errors'
import { renderConfig, renderList, renderResourceTypes, renderSchemas } from '#domain/scim/discovery'
import { isSameName } from '#domain/scim/schemas'
import { SCIM_TYPE } from '#domain/scim/scim-protocol'
import type { KeyServices } from '#http/calls/writing-call'
import { ProblemError, problemError } from '#http/server/problem'
import { findScimBase, queryText } from './scim-request.ts'

const OPEN = { schema: { hide: true }, config: { isOpen: true } } as const

/** What the service can do (RFC 7644 section 4). A filter is refused, because the answer doesn't depend on it. */
export function discoveryRoutes(app: FastifyInstance, { sessions }: KeyServices) {
  const baseOf = (request: FastifyRequest) => {
    if (queryText(request, 'filter') === undefined) return findScimBase(request, sessions)
    throw new ProblemError({ ...problem('invalid_query', 'This list cannot be filtered'), status: 403 })
  }
  app.get('/ServiceProviderConfig', OPEN, async (request, reply) =>
    reply.type(SCIM_TYPE).send(renderConfig(baseOf(request))),
  )
  const lists = { '/ResourceTypes': renderResourceTypes, '/Schemas': renderSchemas }
  for (const [path, render] of Object.entries(lists)) {
    app.get(path, OPEN, async (request, reply) => reply.type(SCIM_TYPE).send(renderList(render(baseOf(request)))))
    app.get(`${path}/:id`, OPEN, async (request, reply) => {
      const { id } = request.params as { id: string }
      const found = render(baseOf(request)).find((one) => isSameName(one.id, id))
      if (!found) throw problemError('route_not_found', 'The service has nothing of this id')
      return reply.type(SCIM_TYPE).send(found)
    })
  }
}
