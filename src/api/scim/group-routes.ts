import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { problem } from '#domain/errors'
import { renderList } from '#domain/scim/discovery'
import { SCIM_TYPE } from '#domain/scim/scim-protocol'
import { chargedReading } from '#http/access/quota'
import type { KeyServices } from '#http/calls/writing-call'
import { sendProblem, problemError } from '#http/server/problem'

const HIDDEN = { schema: { hide: true } }

/** Employees have no groups. Providers look for some when they test the connection. */
export function groupRoutes(app: FastifyInstance, { keyUsage }: KeyServices) {
  const reading = { ...HIDDEN, ...chargedReading(keyUsage, {}, 'scim') }
  app.get('/Groups', reading, async (_, reply) => reply.type(SCIM_TYPE).send(renderList([])))
  app.get('/Groups/:id', reading, async () => {
    throw problemError('route_not_found', 'There are no groups')
  })
  const refuse = (methods: HTTPMethods[], path: string, detail: string) =>
    app.route({
      ...HIDDEN,
      method: methods,
      url: path,
      // Before the body is read, and without a log line: it is no failure.
      preParsing: async (request: FastifyRequest, reply: FastifyReply) =>
        void sendProblem(request, reply, { ...problem('route_not_found', detail), status: 501 }),
      handler: () => undefined,
    })
  refuse(['POST'], '/Groups', NO_GROUPS)
  refuse(['PUT', 'PATCH', 'DELETE'], '/Groups/:id', NO_GROUPS)
  refuse(['POST'], '/Bulk', 'Bulk calls are not supported: send a call for each user')
  for (const path of ['', '/Users', '/Groups']) refuse(['POST'], `${path}/.search`, NO_SEARCH)
  refuse(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], '/Me', 'A key is no user, so there is no Me')
}

const NO_GROUPS = 'Groups are not supported: turn the provisioning of groups off'
const NO_SEARCH = 'Searches by POST are not supported: send GET with a filter'
