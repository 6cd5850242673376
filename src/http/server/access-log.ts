import type { FastifyInstance, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** The id of the stored call and its log entry; null if it is not stored (yet). */
    callId: string | null
  }
}

/** A request that has been answered. */
export interface Answered {
  method: string
  /** The route template, such as `/v1/employees/:id`; `none` if no route matches. */
  route: string
  status: number
  /** From the request headers to the end of the answer. */
  seconds: number
  /** The limit that caused a 429, or a 503 for want of a turn; null for other answers. */
  limit: Limit | null
}

/**
 * The access log: writes one line at level `debug` for each answer, with the ids of request, company and call and the
 * call's position. Also passes each answer to `onAnswered`.
 */
export function logAccess(app: FastifyInstance, onAnswered: (answered: Answered) => void = () => undefined) {
  app.decorateReply('metLimit', null)
  app.decorateRequest('callId', null)
  app.addHook('onResponse', (request, reply, done) => {
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
    request.log.debug(
      { ...answered, ...idsOf(request), position: reply.getHeader('x-ledger-position') },
      'request completed',
    )
    done()
  })
}

/**
 * Why a request was turned away: the quota of a key, or too many calls, failures, open streams, heavy reads, or
 * unread answers (429), or a full line of waiting requests (503).
 */
export type Limit = (typeof LIMITS)[number]

/** Every limit that a request can meet. */
export const LIMITS = [
  'quota',
  'queue',
  'burst',
  'credentials',
  'sign-in',
  'streams',
  'heavy-reads',
  'unread-answers',
] as const

/** The known ids of a request's company and call, for log lines and traces. */
export function idsOf({ caller, user, viewer, callId }: FastifyRequest): { companyId?: string; callId?: string } {
  const companyId = caller?.companyId ?? user?.companyId ?? viewer?.companyId
  return { ...(companyId === undefined ? {} : { companyId }), ...(callId === null ? {} : { callId }) }
}
