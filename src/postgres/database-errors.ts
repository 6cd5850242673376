import pg from 'pg'

/** The SQLSTATE of a PostgreSQL error (PostgreSQL manual, appendix A); null for any other error. */
export function sqlState(error: unknown): string | null {
  return error instanceof pg.DatabaseError ? (error.code ?? null) : null
}

// Classes caused by the state of the server, not by the statement: connection, rollback, resources, locks, operators.
const PASSING = new Set(['08', '25', '40', '53', '55', '57', '58'])
// node-postgres reports these without a class of their own.
const CONNECTION_MESSAGES = /^(Connection terminated|Query read timeout|timeout exceeded|Client (has|was))/

/** Whether an error is caused by the server's state or by the connection, so that a later retry may succeed. */
export function isServerError(error: unknown): boolean {
  const state = sqlState(error)
  if (state !== null) return PASSING.has(state.slice(0, 2))
  return error instanceof Error && ('syscall' in error || CONNECTION_MESSAGES.test(error.message))
}

// Classes of a lost connection (08) or of a server that is shutting down (57) or failing (53, 58, XX). The error may
// have occurred after the commit was written.
const LOST = new Set(['08', '53', '57', '58', 'XX'])
// Data exceptions (22) and integrity violations (23): a record caused them.
const OF_A_RECORD = new Set(['22', '23'])
const SERIALIZATION_FAILURE = '40001'
const DEADLOCK_DETECTED = '40P01'

/**
 * Whether an error proves that a transaction, sent together with its COMMIT, did not commit. Ordinary errors do; a lost
 * connection, a timeout or a server shutdown may have occurred after the commit.
 */
export function meansNotCommitted(error: unknown): boolean {
  const state = sqlState(error)
  return state !== null && !LOST.has(state.slice(0, 2))
}

/** Whether a record, not the state of the server, caused the error. */
export function isCausedByRecord(error: unknown): boolean {
  return OF_A_RECORD.has(sqlState(error)?.slice(0, 2) ?? '')
}

/** Whether the same transaction may succeed if it is retried immediately. */
export function isRetryable(error: unknown): boolean {
  const state = sqlState(error)
  return state === SERIALIZATION_FAILURE || state === DEADLOCK_DETECTED
}
