import type { FastifyInstance } from 'fastify'
import { idsOf } from './log-ids.ts'

/** A request that a trace begins with, or that goes on with the trace of its caller. */
export interface TracedRequest {
  method: string
  /** The template of its route; undefined when there is no such route. */
  route: string | undefined
  requestId: string
  /** The header `traceparent` as it was sent (W3C Trace Context). */
  traceparent: string | undefined
}

/** What came of a traced request. */
export interface TracedAnswer {
  /** Null when it was cut off before an answer. */
  status: number | null
  companyId?: string | undefined
  callId?: string | undefined
}

/** The part of a trace that is one request. */
export interface RequestTrace {
  /** W3C `traceparent` of the request, for what is done for it; null when nobody collects this trace. */
  traceparent: string | null
  /** What its lines of log have. */
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

/** Traces every request, if `begin` is given, and puts the ids of its trace into its lines of log. */
export function traceRequests(app: FastifyInstance, begin: BeginTrace | undefined): void {
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
    // Comes once, after the end of the answer as well as when the client has gone away before it.
    reply.raw.once('close', () => {
      const status = reply.raw.headersSent ? reply.raw.statusCode : null
      trace.end({ status, ...idsOf(request) })
    })
  })
}
