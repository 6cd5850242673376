import type { Config } from '../../config.ts'
import type { BeginTrace } from '#http/server/trace-requests'
import type { WriteCall } from '#domain/calls/commands'
import type { Lanes } from '#ledger/append/lanes'
import type { LedgerDb } from '#ledger/tables'
import type { TraceFold } from '#workers/fold-in-turns'

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

/** The settings of tracing, as defined by OpenTelemetry. */
export type TracingSettings = Pick<Config, Extract<keyof Config, `OTEL_${string}`>>

/** The name and version of the program. */
export type TracedProgram = { name: string; version: string }
