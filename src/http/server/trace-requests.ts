import type { FastifyInstance } from 'fastify'
import { idsOf } from './access-log.ts'

/** A request that starts a trace or continues its caller's. */
interface TracedRequest {
  method: string
  /** The route template; undefined if no route matches. */
  route: string | undefined
  requestId: string
  /** The `traceparent` header as received (W3C Trace Context). */
  traceparent: string | undefined
}

/** The outcome of a traced request. */
interface TracedAnswer {
  /** Null if it was cut off before it was answered. */
  status: number | null
  companyId?: string | undefined
  callId?: string | undefined
}

/** The span of one request. */
interface RequestTrace {
  /** The W3C `traceparent` of this span, for work done on behalf of the request; null if the trace is not sampled. */
  traceparent: string | null
  /** Ids to add to the request's log lines. */
  ids: { trace_id: string; span_id: string }
  end(answer: TracedAnswer): void
}

export type BeginTrace = (request: TracedRequest) => RequestTrace

declare module 'fastify' {
  interface FastifyRequest {
    /** Null while tracing is off. */
    trace: RequestTrace | null
  }
}

/** Traces every request if `begin` is given, and adds the trace ids to its log lines. */
export function traceRequests(app: FastifyInstance, begin: BeginTrace | undefined) {
  app.decorateRequest('trace', null)
  if (!begin) return
  app.addHook('onRequest', async (request, reply) => {
    const { method, id: requestId, headers } = request
    const { traceparent } = headers
    const sent = typeof traceparent === 'string' ? traceparent : undefined
    const trace = begin({ method, route: request.routeOptions.url, requestId, traceparent: sent })
    request.trace = trace
    request.log = request.log.child(trace.ids)
    reply.log = request.log
    // Emitted once, after the answer has been sent or when the client disconnects first.
    reply.raw.once('close', () => {
      const status = reply.raw.headersSent ? reply.raw.statusCode : null
      trace.end({ status, ...idsOf(request) })
    })
  })
}
