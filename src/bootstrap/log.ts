import type { DatabaseError } from 'pg'
import { pino, type Logger } from 'pino'

const STANDARD_ERROR = 2
/** How many bytes may wait to be written. */
const MAX_UNWRITTEN = 8 * 1024 * 1024

/**
 * Opens the log: JSON lines on standard error. Bodies, headers and parameters are never logged, and database errors
 * lose whatever may quote them, so that no secret and no personal data reach the log.
 */
export function openLog(level: string): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: loggedError } }
  return pino(options, openStandardError())
}

/**
 * Opens standard error for the log. While it cannot be written, as on a full disk, the program goes on: lines wait, the
 * later ones are dropped beyond a limit, and the end of the process does not wait for them.
 */
function openStandardError() {
  const target = pino.destination({ dest: STANDARD_ERROR, maxLength: MAX_UNWRITTEN })
  let isWritable = true
  target.on('error', () => (isWritable = false)).on('write', () => (isWritable = true))
  // Called at the end of the process. The library's own tries again until it succeeds.
  const flush = target.flushSync.bind(target)
  target.flushSync = () => isWritable && flush()
  return target
}

/** Serializes an error and its causes for the log; also a copy of its properties, which is what pg-boss reports. */
export function loggedError(error: unknown): Record<string, unknown> {
  if (typeof error !== 'object' || error === null || !('message' in error)) return { type: typeof error }
  const { name: type = 'Error', message, stack, cause: origin } = error as Partial<Error>
  const cause = origin === undefined ? {} : { cause: loggedError(origin) }
  if ('severity' in error) {
    // The message, detail and context quote values of rows; the remaining fields identify the place.
    const { code, severity, schema, table, column, constraint, routine } = error as DatabaseError
    return { type: 'DatabaseError', code, severity, schema, table, column, constraint, routine, ...cause }
  }
  const code = 'code' in error ? { code: error.code } : {}
  return { type, message, ...code, stack, ...cause }
}

/** The trace ids for a log line, from a W3C `traceparent`; empty for an untraced call. */
export function loggedTrace(traceparent: string | null | undefined): { trace_id?: string; span_id?: string } {
  const [, traceId, spanId] = traceparent?.split('-') ?? []
  return traceId === undefined || spanId === undefined ? {} : { trace_id: traceId, span_id: spanId }
}
