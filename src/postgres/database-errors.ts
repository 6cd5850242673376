import pg from 'pg'

/** The five-character SQLSTATE of an error that PostgreSQL sent (its manual, appendix A); null for any other error. */
export function sqlState(error: unknown): string | null {
  return error instanceof pg.DatabaseError ? (error.code ?? null) : null
}

// Classes that speak of the server's state, not of what it was asked: connection, rollback, resources, locks, operators.
const PASSING = new Set(['08', '25', '40', '53', '55', '57', '58'])
// node-postgres has no class of its own for these.
const CONNECTION_MESSAGES = /^(Connection terminated|Query read timeout|timeout exceeded|Client (has|was))/

/** Whether a failure comes from the state of the server or of the way to it, so that it passes by itself. */
export function isOfTheServer(error: unknown): boolean {
  const state = sqlState(error)
  if (state !== null) return PASSING.has(state.slice(0, 2))
  return error instanceof Error && ('syscall' in error || CONNECTION_MESSAGES.test(error.message))
}

// Classes that speak of the connection (08), or of a server that is being shut down (57) or breaks down (53, 58, XX): the
// failure may have struck after the commit was written.
const LOST = new Set(['08', '53', '57', '58', 'XX'])
// Classes that speak of a value (22) or of an integrity rule (23): some record brought them on.
const OF_A_RECORD = new Set(['22', '23'])
const SERIALIZATION_FAILURE = '40001'
const DEADLOCK_DETECTED = '40P01'

/**
 * Whether a failure in the middle of a transaction that was sent up to its COMMIT tells that it did not take effect.
 * An ordinary error does; a lost connection, a time-out or a server that is going down may have struck after COMMIT.
 */
export function meansNotCommitted(error: unknown): boolean {
  const state = sqlState(error)
  return state !== null && !LOST.has(state.slice(0, 2))
}

/** Whether a record, not the state of the server, brought the failure on. */
export function blamesRecord(error: unknown): boolean {
  return OF_A_RECORD.has(sqlState(error)?.slice(0, 2) ?? '')
}

/** Whether the same transaction may well succeed when it is run again at once. */
export function isPassing(error: unknown): boolean {
  const state = sqlState(error)
  return state === SERIALIZATION_FAILURE || state === DEADLOCK_DETECTED
}
