import type { Kysely } from 'kysely'
import type { BeginTrace } from '../../http/server/trace-requests.ts'
import type { WriteCall } from '../../domain/calls/write-call.ts'
import type { Lanes } from '../../ledger/append/lanes.ts'
import type { LedgerTables } from '../../ledger/tables.ts'
import type { TraceFold } from '../../workers/worker.ts'

/**
 * What collects traces of this process: a span for each request, for the wait and the append of a call, for the
 * transaction that it shared and for each projection's fold of it. This file loads nothing: with tracing off there is no
 * `Tracing`, and none of the packages behind it.
 */
export interface Tracing {
  beginTrace: BeginTrace
  /** Lanes that trace the calls which they are handed. */
  traceLanes(lanes: Lanes): Lanes
  /** Told when a transaction of such calls begins; what it gives is told when that has ended, with its error or null. */
  traceTransaction(calls: WriteCall[]): ((error: unknown) => void) | null
  /** Traces the folds of a worker; `db` is where the traces of events are looked up. */
  foldTracer(db: Kysely<LedgerTables>): TraceFold
  /** Hands over what is collected, for as long as that may take at the end of a process. */
  stop(): Promise<void>
}

export interface TracingOptions {
  /** Base address of the collector: OTLP over HTTP, as JSON, goes to `v1/traces` below it. */
  endpoint: string
  /** Headers for the collector, as `name=value` with commas between; undefined: none. */
  headers: string | undefined
  /** What runs. */
  service: { name: string; version: string }
  /** Under which name traces show it; undefined: its own. */
  serviceName: string | undefined
  /** More about this process, as `name=value` with commas between; undefined: nothing. */
  resourceAttributes: string | undefined
  sampler: SamplerName
  /** The share of traces that the ratio samplers take, from 0 to 1. */
  samplerRatio: number
  /** Told now and then that spans could not be handed over. */
  onFault(error: Error): void
}

/** The samplers of OpenTelemetry's `OTEL_TRACES_SAMPLER` that there are. */
export type SamplerName =
  | 'always_on'
  | 'always_off'
  | 'traceidratio'
  | 'parentbased_always_on'
  | 'parentbased_always_off'
  | 'parentbased_traceidratio'
