import { SpanKind, type Span, type Tracer } from '@opentelemetry/api'
import type { Lanes } from '#ledger/append/lanes'
import type { WriteCall } from '#domain/calls/commands'
import type { Tracing } from './tracing.ts'
import { parseTraceContext, failSpan, formatTraceparent, withSpan, getSpanIds } from './span-context.ts'
import { readTraces } from '#ledger/append/actor-clients'
import type { LedgerDb } from '#ledger/tables'
import type { TracedFold, TraceFold } from '#workers/fold-in-turns'

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

/** The maximum number of spans per batch; more would help nobody. */
const TRACED_CALLS = 100

/**
 * Traces folds: adds a span to the trace of each call in a batch, so that a trace shows when its call became visible.
 * Looks up the traces after the batch, because another process may have appended the events.
 */
export function createFoldTracer(tracer: Tracer, db: LedgerDb, onError: (error: Error) => void): TraceFold {
  return async (fold) => {
    const { companyId, after, upTo } = fold
    try {
      const range = { after, upTo: upTo ?? Number.MAX_SAFE_INTEGER, limit: TRACED_CALLS }
      const spans = (await readTraces(db, companyId, range)).map((traceparent) => traceOne(tracer, fold, traceparent))
      return spans[0] ? getSpanIds(spans[0]) : {}
    } catch (error) {
      // A failure to trace must not affect the fold.
      onError(error as Error)
      return {}
    }
  }
}

function traceOne(
  tracer: Tracer,
  { projection, companyId, after, upTo, beganAt, endedAt, error }: TracedFold,
  traceparent: string,
) {
  const attributes = {
    'employee_ledger.projection': projection,
    'employee_ledger.company_id': companyId,
    ...(upTo === null ? {} : { 'employee_ledger.events': upTo - after, 'employee_ledger.position': upTo }),
  }
  const options = { kind: SpanKind.CONSUMER, attributes, startTime: beganAt }
  const span = tracer.startSpan(`fold ${projection}`, options, parseTraceContext(traceparent, 'remote'))
  if (error) failSpan(span, error)
  span.end(endedAt)
  return span
}
