import pg from 'pg'
import type { Logger } from 'pino'
import { pino } from 'pino'

const STANDARD_ERROR = 2

/**
 * The log: JSON lines on standard error. Bodies, headers and parameters are never handed to it, and an error of the
 * database is stripped of what may quote them, so that no secret and no person's data get into it.
 */
export function openLog(level: string): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: loggedError } }
  return pino(options, pino.destination(STANDARD_ERROR))
}

/** An error as the log shows it, its causes included. */
export function loggedError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error }
  const cause = error.cause === undefined ? {} : { cause: loggedError(error.cause) }
  if (error instanceof pg.DatabaseError) {
    // Its message, detail and context quote values of rows; what names the place says enough.
    const { code, severity, schema, table, column, constraint, routine } = error
    return { type: 'DatabaseError', code, severity, schema, table, column, constraint, routine, ...cause }
  }
  const code = 'code' in error ? { code: error.code } : {}
  return { type: error.name, message: error.message, ...code, stack: error.stack, ...cause }
}

/** The ids by which the log names a trace, from a W3C `traceparent`; none of what is not traced. */
export function loggedTrace(traceparent: string | null | undefined): { trace_id?: string; span_id?: string } {
  const [, traceId, spanId] = traceparent?.split('-') ?? []
  return traceId === undefined || spanId === undefined ? {} : { trace_id: traceId, span_id: spanId }
}
