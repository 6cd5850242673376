import pg from 'pg'
import { setTimeout as pause } from 'node:timers/promises'
import { ReadOnlyServerError } from './session-settings.ts'

const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK_DETECTED = '40P01'

/** The SQLSTATE of a PostgreSQL error (PostgreSQL manual, appendix A); null for any other error. */
export function sqlState(error: unknown): string | null {
  return error instanceof pg.DatabaseError ? (error.code ?? null) : null
}

/** Whether a statement could not get a lock: it waited for too long, or in a deadlock. */
export function isLockFailure(error: unknown): boolean {
  const state = sqlState(error)
  return state === LOCK_NOT_AVAILABLE || state === DEADLOCK_DETECTED
}

/** The constraint that a statement violated, or null. */
export function constraintOf(error: unknown): string | null {
  return error instanceof pg.DatabaseError ? (error.constraint ?? null) : null
}

// Classes caused by the state of the server or session, not by the statement: connection, transaction, prepared
// statements, rollback, resources, locks, operators.
const TRANSIENT_CLASSES = new Set(['08', '25', '26', '40', '53', '55', '57', '58'])
// A statement met another state than it was prepared or planned for: it was prepared already (42P05) or not at all
// (26000), or a switch or a move of shards replaced a table meanwhile (42P01, or an internal error of Citus).
const OUTDATED = new Set(['26000', '42P05', '42P01', 'XX000'])
// node-postgres reports these without a class of their own.
const CONNECTION_MESSAGES = [
  'Connection terminated',
  'Query read timeout',
  'timeout exceeded',
  'Client has',
  'Client was',
  'Client network',
  'Cannot use a pool',
  'Received unexpected',
  'Prepared statements must be unique',
  'a pipeline has failed',
]

/** COMMIT was sent and not answered. The transaction may have taken effect, so it must not be run again. */
export class UnconfirmedCommitError extends Error {
  override name = 'UnconfirmedCommitError'

  constructor(cause: unknown) {
    super('the connection was lost while the transaction committed', { cause })
  }
}

/** Whether an error, or what caused it, leaves open whether a transaction took effect. */
export function isUnconfirmed(error: unknown): boolean {
  return error instanceof UnconfirmedCommitError || (error instanceof Error && isUnconfirmed(error.cause))
}

/** Whether an error is caused by the server's state or by the connection, so that a later retry may succeed. */
export function isTransient(error: unknown): boolean {
  const state = sqlState(error)
  if (state !== null) return TRANSIENT_CLASSES.has(state.slice(0, 2)) || OUTDATED.has(state)
  return isConnectionError(error)
}

// Classes of a lost connection, of prepared statements, and of a session that the server ends.
const CONNECTION_CLASSES = new Set(['08', '26', '58'])
// The server takes no writes any more: after a failover, another one does.
const READ_ONLY_TRANSACTION = '25006'
// The server shuts down, crashes or starts, or an administrator ends the session.
const ENDS_SESSION = /^57P/

/** Whether a connection is lost, or must be left: its session or server is not what this process believes it to be. */
export function breaksConnection(error: unknown): boolean {
  const state = sqlState(error)
  if (state === null) return isConnectionError(error)
  const endsConnection = CONNECTION_CLASSES.has(state.slice(0, 2)) || ENDS_SESSION.test(state)
  return endsConnection || OUTDATED.has(state) || state === READ_ONLY_TRANSACTION
}

// The disk is full (53100), or the server can't read or write it (58030).
const UNWRITABLE = new Set(['53100', '58030', READ_ONLY_TRANSACTION])

/** Whether an error says that the server takes no writes. */
export const isReadOnly = (error: unknown) => sqlState(error) === READ_ONLY_TRANSACTION

/** Whether an error, or what caused it, says that the server can't store anything now. */
export function refusesWrites(error: unknown): boolean {
  return UNWRITABLE.has(sqlState(error) ?? '') || (error instanceof Error && refusesWrites(error.cause))
}

function isConnectionError(error: unknown) {
  // A host with several addresses fails once for each.
  if (error instanceof AggregateError) return error.errors.every(isConnectionError)
  if (error instanceof ReadOnlyServerError) return true
  if (!(error instanceof Error)) return false
  return 'syscall' in error || CONNECTION_MESSAGES.some((beginning) => error.message.startsWith(beginning))
}

// Cardinality violations (21), data exceptions (22), integrity violations (23), and exceeded limits such as the size of
// an indexed value (54).
const DATA_CLASSES = new Set(['21', '22', '23', '54'])

/** Whether the values of a statement, not the state of the server, caused the error. */
export function isCausedByData(error: unknown): boolean {
  return DATA_CLASSES.has(sqlState(error)?.slice(0, 2) ?? '')
}

/**
 * Whether the values of a statement caused an error, or this program's own code outside the database, so that a retry
 * would fail the same way. Everything else that a server, a pooler or a connection may report does not count, also errors
 * that nobody has thought of.
 */
export function isPermanent(error: unknown): boolean {
  return isCausedByData(error) || (sqlState(error) === null && !isTransient(error))
}

// Classes of a lost connection (08) or of a server that is shutting down (57) or failing (53, 58, XX). The error may
// have occurred after the commit was written.
const COMMIT_UNKNOWN_CLASSES = new Set(['08', '53', '57', '58', 'XX'])
// An internal error, and the class of those of a full disk or memory.
const OF_STATEMENTS = /^(?:XX000|53)/
const SERIALIZATION_FAILURE = '40001'

/**
 * Whether an error proves that a transaction, sent together with its COMMIT, did not commit. Ordinary errors do; a lost
 * connection, a timeout or a server shutdown may have occurred after the commit. So may an internal error, or one of a
 * full disk, unless a statement before the COMMIT raised it.
 */
export function meansNotCommitted(error: unknown, isBeforeCommit = false): boolean {
  const state = sqlState(error)
  if (state === null) return false
  if (OF_STATEMENTS.test(state)) return isBeforeCommit
  return !COMMIT_UNKNOWN_CLASSES.has(state.slice(0, 2))
}

/**
 * Whether a transaction whose COMMIT was not sent, or did not take effect, may succeed on another connection if it is
 * retried immediately.
 */
export function isRetryable(error: unknown): boolean {
  const state = sqlState(error)
  return state !== null && (OUTDATED.has(state) || state === SERIALIZATION_FAILURE || state === DEADLOCK_DETECTED)
}

/** On Citus, the machines finish the switch of a table one after the other. */
const PAUSE_MS = 50

/** Runs a task, and a second time if its state was outdated. A task that fails so must have committed nothing. */
export async function retryOnce<Result>(task: () => Promise<Result>): Promise<Result> {
  try {
    return await task()
  } catch (error) {
    if (!isRetryable(error)) throw error
    await pause(PAUSE_MS)
    return task()
  }
}
