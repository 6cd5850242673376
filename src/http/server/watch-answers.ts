import type { FastifyInstance } from 'fastify'
import { idsOf } from './log-ids.ts'

/** A response that was sent. */
export interface Answered {
  method: string
  /** The route template, such as `/v1/employees/:id`; `none` if no route matches. */
  route: string
  status: number
  /** From the arrival of the headers to the end of the response. */
  seconds: number
  /** The limit that caused a 429; null otherwise. */
  limit: Limit | null
}

/**
 * Reports each response, and writes an access log line at level `debug` with the ids of the request, company and call,
 * and the ledger position of the call.
 */
export function watchAnswers(app: FastifyInstance, onAnswered: (answered: Answered) => void = () => undefined): void {
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

/** The reasons for a 429: a key's quota, or too many calls, failures, open streams or heavy reads. */
export type Limit = 'quota' | 'burst' | 'credentials' | 'sign-in' | 'streams' | 'heavy-reads'
