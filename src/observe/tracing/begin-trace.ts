import { SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api'
import type { BeginTrace, TracedAnswer } from '../../http/server/trace-requests.ts'
import { parseTraceContext, getSpanIds, formatTraceparent } from './span-context.ts'

/**
 * Returns a function that starts a span for a request, named after the route template. It has the attributes of
 * OpenTelemetry's HTTP conventions that cannot contain personal data: no path, no address, no header.
 */
export function createBeginTrace(tracer: Tracer): BeginTrace {
  return ({ method, route, requestId, traceparent }) => {
    const attributes = {
      'http.request.method': method,
      ...(route === undefined ? {} : { 'http.route': route }),
      'employee_ledger.request_id': requestId,
    }
    const name = route === undefined ? method : `${method} ${route}`
    const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parseTraceContext(traceparent, 'remote'))
    return {
      traceparent: formatTraceparent(span),
      ids: getSpanIds(span),
      end(answer) {
        span.setAttributes(buildAnswerAttributes(answer))
        if (answer.status !== null && answer.status >= 500) {
          span.setStatus({ code: SpanStatusCode.ERROR })
          span.setAttribute('error.type', String(answer.status))
        }
        span.end()
      },
    }
  }
}

function buildAnswerAttributes({ status, companyId, callId }: TracedAnswer) {
  return {
    ...(status === null ? {} : { 'http.response.status_code': status }),
    ...(companyId === undefined ? {} : { 'employee_ledger.company_id': companyId }),
    ...(callId === undefined ? {} : { 'employee_ledger.call_id': callId }),
  }
}
