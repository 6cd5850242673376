import type { Tracer } from '@opentelemetry/api'
import { SpanKind } from '@opentelemetry/api'
import type { Kysely } from 'kysely'
import { readTraces } from '../../ledger/append/event-traces.ts'
import type { LedgerTables } from '../../ledger/tables.ts'
import type { TracedFold, TraceFold } from '../../workers/worker.ts'
import { contextOf, failSpan, idsOfSpan } from './span-context.ts'

/** A batch may hold more traced calls than anybody looks at. */
const TRACED_CALLS = 100

/**
 * Traces folds: a span in the trace of each call whose events were in the batch, so that each trace leads to what made
 * the call visible. They are looked up once the batch is over, whatever process has appended them.
 */
export function openFoldTracer(tracer: Tracer, db: Kysely<LedgerTables>, onFault: (error: Error) => void): TraceFold {
  return async (fold) => {
    const { companyId, after, upTo } = fold
    try {
      const range = { after, upTo: upTo ?? Number.MAX_SAFE_INTEGER, limit: TRACED_CALLS }
      const spans = (await readTraces(db, companyId, range)).map((traceparent) => traceOne(tracer, fold, traceparent))
      return spans[0] ? idsOfSpan(spans[0]) : {}
    } catch (error) {
      // The batch is folded all the same.
      onFault(error as Error)
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
  const span = tracer.startSpan(`fold ${projection}`, options, contextOf(traceparent, true))
  if (error) failSpan(span, error)
  span.end(endedAt)
  return span
}
