import { SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api'
import type { BeginTrace } from '#http/server/trace-requests'
import { parseTraceContext, getSpanIds, formatTraceparent } from './span-context.ts'

/**
 * Returns a function that starts a span for a request, named after the route template. It has the attributes of
 * OpenTelemetry's HTTP conventions that cannot contain personal data: no path, no address, no header.
 */
export function createBeginTrace(tracer: Tracer): BeginTrace {
  return ({ method, route, requestId, traceparent }) => {
    // The SDK leaves out what is undefined.
    const attributes = {
      'http.request.method': method,
      'http.route': route,
      'employee_ledger.request_id': requestId,
    }
    const name = route === undefined ? method : `${method} ${route}`
    const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parseTraceContext(traceparent, 'remote'))
    return {
      traceparent: formatTraceparent(span),
      ids: getSpanIds(span),
      end({ status, companyId, callId }) {
        span.setAttributes({
          'http.response.status_code': status ?? undefined,
          'employee_ledger.company_id': companyId,
          'employee_ledger.call_id': callId,
        })
        if (status !== null && status >= 500) {
          span.setStatus({ code: SpanStatusCode.ERROR })
          span.setAttribute('error.type', String(status))
        }
        span.end()
      },
    }
  }
}
