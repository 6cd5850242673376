import type { Span, Tracer } from '@opentelemetry/api'
import { SpanKind } from '@opentelemetry/api'
import type { Lanes } from '../../ledger/append/lanes.ts'
import type { WriteCall } from '../../domain/calls/write-call.ts'
import type { Tracing } from './tracing.ts'
import { contextOf, failSpan, traceparentOf, within } from './span-context.ts'

/** A call between being handed in and being durable. */
interface TracedCall {
  append: Span
  wait: Span
}

/**
 * Traces appends: a span for each call from being handed in until it is durable, in it one for its wait, and one for the
 * transaction. That is shared, and a span has one parent: it stands in the trace of the first call and links to all of
 * them, and each of them to it. The events go with the span of their own call.
 */
export function traceAppends(tracer: Tracer): Pick<Tracing, 'traceLanes' | 'traceTransaction'> {
  const traced = new WeakMap<WriteCall, TracedCall>()
  return {
    traceLanes: (lanes) => ({ ...lanes, append: (call) => traceAppend(tracer, traced, lanes, call) }),
    traceTransaction(calls) {
      const mine = calls.flatMap((call) => traced.get(call) ?? [])
      const [first] = mine
      if (!first) return null
      const records = calls.reduce((sum, call) => sum + call.command.count, 0)
      const attributes = {
        'db.system.name': 'postgresql',
        'employee_ledger.calls': calls.length,
        'employee_ledger.records': records,
      }
      const links = mine.map(({ append }) => ({ context: append.spanContext() }))
      const span = tracer.startSpan('commit', { kind: SpanKind.CLIENT, attributes, links }, within(first.append))
      for (const { append, wait } of mine) {
        // A call that was held up, or is tried again, has waited already.
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
  const append = tracer.startSpan('append', { attributes }, contextOf(call.traceparent, false))
  const wait = tracer.startSpan('wait for lane', {}, within(append))
  const own = { ...call, traceparent: traceparentOf(append) }
  traced.set(own, { append, wait })
  try {
    const committed = await lanes.append(own)
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
