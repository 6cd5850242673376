import type { FastifyInstance } from 'fastify'
import { idsOf } from './log-ids.ts'

/** An answer that was sent. */
export interface Answered {
  method: string
  /** The template of the route, such as `/v1/employees/:id`; `none` when there is no such route. */
  route: string
  status: number
  /** From the header of the request to the end of the answer. */
  seconds: number
  /** The limit for which it is a 429; null when it is none. */
  limit: Limit | null
}

/**
 * Tells of each answer, and writes a line of log for it at the level `debug`, with the ids of the request, the company
 * and the call, and the position that the call was given.
 */
export function logAccess(app: FastifyInstance, onAnswered: (answered: Answered) => void = () => undefined): void {
  app.decorateReply('metLimit', null)
  app.decorateRequest('callId', null)
  app.addHook('onResponse', async (request, reply) => {
    const { method, arrivedAt } = request
    const route = request.routeOptions.url ?? 'none'
    const answered = {
      method,
      route,
      status: reply.statusCode,
      seconds: (performance.now() - arrivedAt) / 1_000,
      limit: reply.metLimit,
    }
    onAnswered(answered)
    request.log.debug({ ...answered, ...idsOf(request), position: reply.getHeader('x-ledger-position') }, 'answered')
  })
}

/** Why a request was turned away with 429: the quota of a key, or too many calls, failures, open streams or heavy reads. */
export type Limit = 'quota' | 'burst' | 'credentials' | 'sign-in' | 'streams' | 'heavy-reads'
