import { SpanKind, type Span, type Tracer } from '@opentelemetry/api'
import type { Lanes } from '#ledger/append/lanes'
import type { WriteCall } from '#domain/calls/write-call'
import type { Tracing } from './tracing.ts'
import { parseTraceContext, failSpan, formatTraceparent, withSpan } from './span-context.ts'

/** The spans of a call that is not durable yet. */
interface TracedCall {
  append: Span
  wait: Span
}

/**
 * Traces appends with three spans: a call from its arrival until it is durable, its wait, and the transaction. Calls
 * share a transaction, but a span has only one parent: its span is part of the first call's trace, and is linked with
 * the spans of all calls in both directions. Events store the traceparent of their own call's span.
 */
export function traceAppends(tracer: Tracer): Pick<Tracing, 'traceLanes' | 'traceTransaction'> {
  const traced = new WeakMap<WriteCall, TracedCall>()
  return {
    traceLanes: (lanes) => ({ ...lanes, append: (call) => traceAppend(tracer, traced, lanes, call) }),
    traceTransaction(calls) {
      const traces = calls.flatMap((call) => traced.get(call) ?? [])
      const [first] = traces
      if (!first) return null
      const records = calls.reduce((sum, call) => sum + call.command.count, 0)
      const attributes = {
        'db.system.name': 'postgresql',
        'employee_ledger.calls': calls.length,
        'employee_ledger.records': records,
      }
      const links = traces.map(({ append }) => ({ context: append.spanContext() }))
      const span = tracer.startSpan('commit', { kind: SpanKind.CLIENT, attributes, links }, withSpan(first.append))
      for (const { append, wait } of traces) {
        // The wait of a retried call has already ended.
        if (wait.isRecording()) wait.end()
        append.addLink({ context: span.spanContext() })
      }
      return (error) => {
        if (error !== null) failSpan(span, error)
        span.end()
      }
    },
  }
}

async function traceAppend(tracer: Tracer, traced: WeakMap<WriteCall, TracedCall>, lanes: Lanes, call: WriteCall) {
  if (!call.traceparent) return lanes.append(call)
  const { companyId, callId, command } = call
  const attributes = {
    'employee_ledger.company_id': companyId,
    'employee_ledger.call_id': callId,
    'employee_ledger.records': command.count,
  }
  const append = tracer.startSpan('append', { attributes }, parseTraceContext(call.traceparent, 'local'))
  const wait = tracer.startSpan('wait for lane', {}, withSpan(append))
  const tracedCall = { ...call, traceparent: formatTraceparent(append) }
  traced.set(tracedCall, { append, wait })
  try {
    const committed = await lanes.append(tracedCall)
    if (committed.position !== null) append.setAttribute('employee_ledger.position', committed.position)
    return committed
  } catch (error) {
    failSpan(append, error)
    throw error
  } finally {
    if (wait.isRecording()) wait.end()
    append.end()
  }
}
