import { SpanKind, type Tracer } from '@opentelemetry/api'
import { readTraces } from '#ledger/append/event-traces'
import type { LedgerDb } from '#ledger/tables'
import type { TracedFold, TraceFold } from '#workers/fold-in-turns'
import { parseTraceContext, failSpan, getSpanIds } from './span-context.ts'

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
