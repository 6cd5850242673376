import { ROOT_CONTEXT, SpanStatusCode, trace, TraceFlags, type Span } from '@opentelemetry/api'
import { parseTraceParent } from '@opentelemetry/core'

/** The context of a W3C `traceparent`. Without a valid one, the root context, in which a new trace starts. */
export function parseTraceContext(traceparent: string | undefined, origin: 'remote' | 'local') {
  const parent = traceparent === undefined ? null : parseTraceParent(traceparent)
  return parent ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: origin === 'remote' }) : ROOT_CONTEXT
}

/** The context for child spans. */
export function withSpan(span: Span) {
  return trace.setSpan(ROOT_CONTEXT, span)
}

/** The W3C `traceparent` of a span; null if it is not sampled. */
export function formatTraceparent(span: Span) {
  const { traceId, spanId, traceFlags } = span.spanContext()
  return (traceFlags & TraceFlags.SAMPLED) === 0 ? null : `00-${traceId}-${spanId}-01`
}

/** The ids of a span for log lines. */
export function getSpanIds(span: Span) {
  const { traceId, spanId } = span.spanContext()
  return { trace_id: traceId, span_id: spanId }
}

/** Marks a span as failed. Leaves out the message, because database errors quote values of rows. */
export function failSpan(span: Span, error: unknown) {
  span.setStatus({ code: SpanStatusCode.ERROR })
  span.setAttribute('error.type', getErrorType(error))
}

function getErrorType(error: unknown) {
  if (!(error instanceof Error)) return typeof error
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
