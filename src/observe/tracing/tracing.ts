import type { BeginTrace } from '../../http/server/trace-requests.ts'
import type { WriteCall } from '../../domain/calls/write-call.ts'
import type { Lanes } from '../../ledger/append/lanes.ts'
import type { LedgerDb } from '../../ledger/tables.ts'
import type { TraceFold } from '../../workers/fold-in-turns.ts'

/**
 * The tracing of this process: spans for requests, for the wait and the append of a call, for transactions, and for
 * folds. This file imports only types, so that the packages are not loaded while tracing is off.
 */
export interface Tracing {
  beginTrace: BeginTrace
  /** Wraps lanes to trace their calls. */
  traceLanes(lanes: Lanes): Lanes
  /** Called at the start of a transaction. Returns a function to call at its end, with its error or null. */
  traceTransaction(calls: WriteCall[]): ((error: unknown) => void) | null
  /** Returns a function that traces the folds of a worker. It looks up the traces of events in `db`. */
  foldTracer(db: LedgerDb): TraceFold
  /** Exports the remaining spans, within a short time limit. */
  stop(): Promise<void>
}

export interface TracingOptions {
  /** The base URL of the collector, which gets OTLP over HTTP with JSON at `v1/traces`. */
  endpoint: string
  /** Headers for the collector: `name=value`, separated by commas. */
  headers: string | undefined
  service: { name: string; version: string }
  /** The service name in traces; by default `service.name`. */
  serviceName: string | undefined
  /** Further attributes of this process: `name=value`, separated by commas. */
  resourceAttributes: string | undefined
  sampler: SamplerName
  /** The share of traces that ratio samplers keep, from 0 to 1. */
  samplerRatio: number
  /** Called when exports fail, at most once a minute. */
  onError(error: Error): void
}

/** The supported values of OpenTelemetry's `OTEL_TRACES_SAMPLER`. */
export type SamplerName =
  | 'always_on'
  | 'always_off'
  | 'traceidratio'
  | 'parentbased_always_on'
  | 'parentbased_always_off'
  | 'parentbased_traceidratio'
